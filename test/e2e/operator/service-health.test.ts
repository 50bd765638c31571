// DNSRecords that follow the endpoints of a Service, under a real kube-apiserver with the rights of the operator: the
// test writes the EndpointSlices, and the name server answers without the addresses of a Service that is not ready.
import { afterAll, expect, test, vi } from 'vitest';
import { listChecks } from '#contract/operations/checks.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { ENDPOINT_SLICE } from '#kube/objects/endpoint-slices.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { startOperator, type TestOperator } from '../../support/matrix/operator.ts';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });
const PATIENCE = { timeout: 60_000, interval: 100 };

const chain = await startChain();
const { api, client, dns, sql } = chain;
const lines: string[] = [];
let operator: TestOperator | undefined;
const start = () => {
  operator = startOperator(chain, {
    ...{ cluster: 'prod', heartbeatMs: 500, checksMs: 300 },
    log: (line) => void lines.push(line),
  });
};
afterAll(() => operator?.stop());
start();
await chain.zone('zone', { zoneName: 'service.example', defaultTtl: 300 });

const get = (name: string) => api.get<DNSRecord>(DNS_RECORD, { namespace: 'default', name });
/** Such as `True AllHealthy`. */
const condition = async (name: string, type: string) => {
  const found = findCondition((await get(name)).status?.conditions, type);
  return `${found?.status} ${found?.reason}`;
};
const message = async (name: string) => findCondition((await get(name)).status?.conditions, 'Healthy')?.message;
const answers = async (name: string) =>
  (await dns.lookup(`${name}.service.example`, 'A')).answers.map((line) => line.split(/\s+/).at(-1) ?? '').sort();
const has = (name: string, type: string, text: string) => expect.poll(() => condition(name, type), PATIENCE).toBe(text);
const readsSlices = () => lines.some((line) => line.includes('endpointslices'));

/** The EndpointSlice of a Service, as the controller of Kubernetes writes it. @param ready whether each pod is ready */
async function endpoints(service: string, ready: readonly boolean[], namespace = 'default'): Promise<void> {
  const slice = {
    metadata: { namespace, name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: ready.map((each, at) => ({ addresses: [`10.0.0.${at + 1}`], conditions: { ready: each } })),
    ports: ready.length === 0 ? [] : [{ name: 'https', port: 8443, protocol: 'TCP' }],
  };
  await api.apply(ENDPOINT_SLICE, slice as never, { fieldManager: 'test' });
}

const follow = (name: string, content: string, serviceRef: object, spec: object = {}) =>
  chain.record(name, 'zone', { name, type: 'A', content, healthFrom: { serviceRef }, ...spec });

test('without a DNSRecord that follows a Service, the operator reads no EndpointSlices', async () => {
  await chain.record('plain', 'zone', { name: 'plain', type: 'A', content: '192.0.2.9' });
  await has('plain', 'Ready', 'True Ready');
  expect(readsSlices()).toBe(false);
});

test('while no endpoint of its Service is ready, answers omit the addresses of a DNSRecord, and Ready stays True', async () => {
  await endpoints('east', [true, false]);
  await endpoints('west', [true]);
  await follow('east', '192.0.2.1', { name: 'east' }, { name: 'www' });
  await follow('west', '192.0.2.2', { name: 'west', port: 'https' }, { name: 'www' });
  await has('east', 'Healthy', 'True AllHealthy');
  await has('west', 'Healthy', 'True AllHealthy');
  expect(readsSlices()).toBe(true);
  expect(await answers('www')).toEqual(['192.0.2.1', '192.0.2.2']);
  const began = performance.now();
  await endpoints('east', [false, false]);
  await expect.poll(() => answers('www'), PATIENCE).toEqual(['192.0.2.2']);
  // The operator collects for 200 ms, and the api looks each 500 ms; the rest is for a busy machine.
  expect(performance.now() - began).toBeLessThan(10_000);
  await has('east', 'Healthy', 'False NoneHealthy');
  expect(await message('east')).toContain('192.0.2.1 (No endpoint of the Service east is ready)');
  expect(await condition('east', 'Ready')).toBe('True Ready');
  expect(await condition('west', 'Healthy')).toBe('True AllHealthy');
  await endpoints('east', [false, true]);
  await expect.poll(() => answers('www'), PATIENCE).toEqual(['192.0.2.1', '192.0.2.2']);
});

test('pods that change while one of them is ready write nothing', async () => {
  await has('east', 'Healthy', 'True AllHealthy');
  const { metadata } = await get('east');
  operator?.arm(null);
  for (let pods = 2; pods < 30; pods += 1)
    await endpoints(
      'east',
      Array.from({ length: pods }, (_, at) => at > 0),
    );
  // A later change of another Service has been sent, so those before were seen.
  await endpoints('west', [false]);
  await expect.poll(() => answers('www'), PATIENCE).toEqual(['192.0.2.1']);
  const writes = operator?.writes.filter((write) => !write.startsWith('status')) ?? [];
  // One for the Service west, and those that repeat a state each 20 s.
  expect(writes.length).toBeLessThan(8);
  expect((await get('east')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  await endpoints('west', [true]);
});

test('a Service with a wrong name takes nothing out of DNS, and the condition names it', async () => {
  await endpoints('typo', [true], 'kube-system');
  await follow('typo', '192.0.2.3', { name: 'typo' }, { whenAllFail: 'ServeNone' });
  await has('typo', 'Ready', 'True Ready');
  await has('typo', 'Healthy', 'Unknown NotProbed');
  await expect.poll(() => message('typo'), PATIENCE).toMatch(/No Service typo with an EndpointSlice was found/);
  expect(await answers('typo')).toEqual(['192.0.2.3']);
});

test('a Service that is deleted counts as a failure, also for an operator that starts later', async () => {
  await endpoints('gone', [true]);
  await follow('gone', '192.0.2.4', { name: 'gone' }, { whenAllFail: 'ServeNone' });
  await has('gone', 'Healthy', 'True AllHealthy');
  await expect.poll(async () => (await get('gone')).status?.foundService, PATIENCE).toBe('gone');
  await operator?.kill();
  await api.delete(ENDPOINT_SLICE, { namespace: 'default', name: 'gone-1' });
  // The signals of the operator that was killed end.
  await sql`update check_signals set until = now()`;
  await expect.poll(() => answers('gone'), PATIENCE).toEqual(['192.0.2.4']);
  start();
  await expect.poll(() => answers('gone'), PATIENCE).toEqual([]);
  expect(await answers('www')).toEqual(['192.0.2.1', '192.0.2.2']);
  await has('east', 'Healthy', 'True AllHealthy');
  expect(await condition('gone', 'Ready')).toBe('True Ready');
});

test('a DNSRecord that follows a Service no more keeps no check', async () => {
  const count = async () => (await client.call(listChecks, {})).checks.length;
  const before = await count();
  await chain.record('gone', 'zone', { name: 'gone', type: 'A', content: '192.0.2.4' });
  await expect.poll(count, PATIENCE).toBe(before - 1);
  await expect.poll(() => answers('gone'), PATIENCE).toEqual(['192.0.2.4']);
  await expect.poll(async () => (await get('gone')).status?.foundService, PATIENCE).toBeUndefined();
});
