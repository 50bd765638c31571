// DNSRecords with health checks, under a real kube-apiserver: real web servers are stopped, the name server answers
// without them, and the status, the Events and the diagnosis say so, while Ready stays True.
import { afterAll, expect, test, vi } from 'vitest';
import { listChecks, setCheck } from '#contract/operations/checks.ts';
import { deleteRecord, listRecords } from '#contract/operations/records.ts';
import { diagnoseObject } from '#diagnosis/object.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { startWebServers } from '../../support/http/web-servers.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { type OperatorOptions, startOperator, type TestOperator } from '../../support/matrix/operator.ts';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });
const PATIENCE = { timeout: 60_000, interval: 200 };
const FAST = { type: 'http', interval: 1, timeout: 1, failures: 2, successes: 1 };
const EVENTS = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true } as const;

const chain = await startChain([], { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' });
const { api, client, dns } = chain;
let operator: TestOperator | undefined;
const start = (options: OperatorOptions = {}) => {
  operator = startOperator(chain, { cluster: 'prod', heartbeatMs: 500, checksMs: 300, ...options });
  return operator;
};
afterAll(() => operator?.stop());
start();
await chain.zone('zone', { zoneName: 'health.example', defaultTtl: 300 });

const get = (name: string, namespace = 'default') => api.get<DNSRecord>(DNS_RECORD, { namespace, name });
/** Such as `True Ready`. */
const condition = async (name: string, type: string, namespace?: string) => {
  const found = findCondition((await get(name, namespace)).status?.conditions, type);
  return `${found?.status} ${found?.reason}`;
};
const message = async (name: string, type: string) =>
  findCondition((await get(name)).status?.conditions, type)?.message ?? '';
const members = async (name: string) =>
  (await get(name)).status?.members?.map(({ content, state, served }) => `${content} ${state} ${served}`);
const answers = async (name: string) =>
  (await dns.lookup(`${name}.health.example`, 'A')).answers.map((line) => line.split(/\s+/).at(-1) ?? '').sort();
const events = async (name: string) => {
  type Event = KubeObject & { reason: string; note: string; type: string; regarding: { name: string } };
  const { items } = await api.list<Event>(EVENTS, { namespace: 'default' });
  return items
    .filter(({ regarding }) => regarding.name === name)
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
};
const checks = async () => (await client.call(listChecks, {})).checks.map(({ name }) => name);
const ready = (name: string, namespace?: string) =>
  expect.poll(() => condition(name, 'Ready', namespace), PATIENCE).toBe('True Ready');

/** A record for the addresses of web servers. @param tiers the tier of each */
async function site(name: string, tiers: readonly number[], spec: object = {}) {
  const { port, servers } = await startWebServers(tiers.length);
  const values = servers.map(({ address }, at) => ({
    content: address,
    ...(tiers[at] === 0 ? {} : { tier: tiers[at] }),
  }));
  const apply = (more: object = {}) =>
    chain.record(name, 'zone', { name, type: 'A', values, healthCheck: { ...FAST, port }, ...spec, ...more });
  return { port, servers, addresses: servers.map(({ address }) => address), apply };
}

test('a server that is stopped leaves the answers, the status says so, and Ready stays True', async () => {
  const { servers, addresses, apply } = await site('www', [0, 0]);
  const [one, two] = addresses;
  await apply();
  await ready('www');
  await expect.poll(() => members('www'), PATIENCE).toEqual([`${one} Healthy true`, `${two} Healthy true`]);
  expect(await condition('www', 'Healthy')).toBe('True AllHealthy');
  // The TTL is that of a record with a check, and the proof expected it.
  expect((await dns.lookup('www.health.example', 'A')).answers[0]?.split(/\s+/)[1]).toBe('60');
  await servers[0]?.stop();
  await expect.poll(() => members('www'), PATIENCE).toEqual([`${one} Unhealthy false`, `${two} Healthy true`]);
  expect(await answers('www')).toEqual([two]);
  expect(await condition('www', 'Ready')).toBe('True Ready');
  expect(await condition('www', 'Propagated')).toBe('True Propagated');
  expect(await condition('www', 'Healthy')).toBe('False SomeUnhealthy');
  const text = `1 of 2 addresses does not work: ${one} (The connection is refused). Answers omit it.`;
  expect(await message('www', 'Healthy')).toBe(text);
  const object = await get('www');
  expect(object.status?.members?.[0]).toMatchObject({ reason: 'The connection is refused.', tier: 0 });
  await expect
    .poll(() => events('www'), PATIENCE)
    .toContain(`Warning MemberUnhealthy: Does not work: ${one} (The connection is refused)`);
  const { nextStep } = diagnoseObject({ object, named: [] } as never);
  expect(nextStep.words).toMatch(`Repair the server at ${one}: The connection is refused.`);
  await servers[0]?.start();
  await expect.poll(() => condition('www', 'Healthy'), PATIENCE).toBe('True AllHealthy');
  await expect.poll(() => events('www'), PATIENCE).toContain(`Normal MemberHealthy: Works again: ${one}`);
  expect(await answers('www')).toEqual([one, two]);
});

test('probes that change nothing write nothing to Kubernetes and to the service', async () => {
  const { apply, servers } = await site('quiet', [0]);
  await apply();
  await expect.poll(() => condition('quiet', 'Healthy'), PATIENCE).toBe('True AllHealthy');
  const { metadata } = await get('quiet');
  operator?.arm(null);
  const requests = servers[0]?.requests ?? 0;
  await expect.poll(() => servers[0]?.requests, PATIENCE).toBeGreaterThan(requests + 3);
  expect((await get('quiet')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  // The status of the zone follows earlier changes of records after ten seconds.
  expect(operator?.writes.filter((write) => write !== 'status dnszones')).toEqual([]);
});

test('a record becomes Ready with an address that fails and with one of a higher tier', async () => {
  const { servers, addresses, apply } = await site('spare', [0, 0, 1]);
  const [one, two, spare] = addresses;
  await apply();
  await expect
    .poll(() => members('spare'), PATIENCE)
    .toEqual([`${one} Healthy true`, `${two} Healthy true`, `${spare} Healthy false`]);
  await ready('spare');
  for (const server of servers.slice(0, 2)) await server.stop();
  await expect
    .poll(() => members('spare'), PATIENCE)
    .toEqual([`${one} Unhealthy false`, `${two} Unhealthy false`, `${spare} Healthy true`]);
  expect(await answers('spare')).toEqual([spare]);
  // A change of the spec is proven again, while two members are down.
  await apply({ ttl: 30 });
  await expect.poll(async () => (await get('spare')).status?.observedGeneration, PATIENCE).toBe(2);
  await ready('spare');
  expect((await dns.lookup('spare.health.example', 'A')).answers).toEqual([expect.stringMatching(/\s30\s/)]);
});

test('with ServeNone nothing is answered while no address works, and Ready stays True', async () => {
  const { servers, addresses, apply } = await site('none', [0], { whenAllFail: 'ServeNone' });
  await servers[0]?.stop();
  await apply();
  await expect.poll(() => condition('none', 'Healthy'), PATIENCE).toBe('False NoneHealthy');
  await expect.poll(() => members('none'), PATIENCE).toEqual([`${addresses[0]} Unhealthy false`]);
  expect(await answers('none')).toEqual([]);
  // The proof of this generation is new, and nothing is expected.
  await apply({ ttl: 30 });
  await expect.poll(async () => (await get('none')).status?.observedGeneration, PATIENCE).toBe(2);
  await ready('none');
});

test('a check that does not exist has its reason, until it exists', async () => {
  const { port, addresses, apply } = await site('named', [0], { healthCheck: { checkRef: 'web' } });
  await apply();
  await expect.poll(() => condition('named', 'Ready'), PATIENCE).toBe('False CheckMissing');
  expect(await message('named', 'Ready')).toMatch(/ has no check web at the DNS service\. Create it with "PUT /);
  await client.call(setCheck, { params: { name: 'web' }, body: { ...FAST, type: 'http' as const, port } });
  await ready('named');
  await expect.poll(() => members('named'), PATIENCE).toEqual([`${addresses[0]} Healthy true`]);
});

test('a record of another namespace has its own check, and none of the team', async () => {
  await chain.namespace('guests');
  await chain.zone('open', { zoneName: 'open.example', allowedRecords: [{ namespaces: { from: 'All' } }] });
  const { port, addresses } = await site('guest', [0]);
  const zoneRef = { name: 'open', namespace: 'default' };
  const apply = (healthCheck: object) =>
    chain.record('guest', 'open', { zoneRef, name: 'guest', type: 'A', content: addresses[0], healthCheck }, 'guests');
  await apply({ checkRef: 'web' });
  await expect.poll(() => condition('guest', 'Ready', 'guests'), PATIENCE).toBe('False NotPermitted');
  await apply({ ...FAST, port });
  await ready('guest', 'guests');
});

test('the check of an object is deleted after its records, and not before', async () => {
  const before = await checks();
  const one = await site('gone', [0]);
  const two = await site('kept', [0], { deletionPolicy: 'Retain' });
  await one.apply();
  await two.apply();
  await ready('gone');
  await ready('kept');
  const own = (await checks()).filter((name) => !before.includes(name));
  expect(own).toHaveLength(2);
  await chain.remove(DNS_RECORD, 'gone');
  await chain.remove(DNS_RECORD, 'kept');
  await expect.poll(async () => (await checks()).filter((name) => own.includes(name)).length, PATIENCE).toBe(1);
  expect(await answers('kept')).toEqual(two.addresses);
  const [left] = (await checks()).filter((name) => own.includes(name));
  const zoneId = (await get('www')).status?.zoneId ?? '';
  const { records } = await client.call(listRecords, { params: { id: zoneId }, query: { name: 'kept' } });
  expect(records).toMatchObject([{ check: left }]);
  for (const { id } of records) await client.call(deleteRecord, { params: { id: zoneId, recordId: id } });
  await expect.poll(checks, PATIENCE).not.toContain(left);
});

test('an operator that dies between the check and the records leaves no check behind, and neither does an edit that removes the definition', async () => {
  const before = await checks();
  const { apply } = await site('crash', [0]);
  operator?.arm({ write: 'setCheck', nth: 1, when: 'after' });
  await apply();
  await operator?.died();
  await operator?.kill();
  const own = (await checks()).filter((name) => !before.includes(name));
  expect(own).toHaveLength(1);
  await chain.remove(DNS_RECORD, 'crash');
  start();
  await expect.poll(checks, PATIENCE).not.toContain(own[0]);
  const plain = await site('plain', [0]);
  await plain.apply();
  await ready('plain');
  const [check] = (await checks()).filter((name) => !before.includes(name));
  await plain.apply({ healthCheck: undefined });
  await expect.poll(checks, PATIENCE).not.toContain(check);
  const { status } = await get('plain');
  expect(status?.members).toBeUndefined();
  expect(findCondition(status?.conditions, 'Healthy')).toBeUndefined();
  await ready('plain');
});

test('a check of a record that is edited at the service gets its definition back', async () => {
  const { apply, port } = await site('edited', [0]);
  await apply();
  await ready('edited');
  const find = async () =>
    (await client.call(listChecks, {})).checks.find(
      ({ definition }) => 'port' in definition && definition.port === port,
    );
  const check = await find();
  const body = { ...FAST, type: 'http' as const, port, path: '/other' };
  await client.call(setCheck, { params: { name: check?.name ?? '' }, body });
  await expect.poll(async () => (await find())?.definition, PATIENCE).not.toHaveProperty('path');
});
