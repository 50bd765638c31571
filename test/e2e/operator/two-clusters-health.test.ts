// Two clusters, each with a kube-apiserver and an operator of its own, have addresses at one name, and each follows a
// Service of its cluster. The Services and the DNSRecords have the same names in both. The test writes the
// EndpointSlices.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import { listChecks } from '#contract/operations/checks.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { ENDPOINT_SLICE } from '#kube/objects/endpoint-slices.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { startTestService } from '../../support/service/service.ts';
import { startCluster, type TestCluster } from './one-of-two-clusters.support.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const PATIENCE = { timeout: 120_000, interval: 100 };
const HEARTBEAT_MS = 500;
const ZONE = 'both.example';
const EAST = '192.0.2.10';
const WEST = '198.51.100.10';

const service = await startTestService();
const client = createClient({ baseUrl: service.url, key: service.admin.text });
const folder = await mkdtemp(join(tmpdir(), 'zonestead-health-'));
const closers: (() => Promise<unknown>)[] = [() => client.close(), () => rm(folder, { recursive: true, force: true })];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});
const start = (name: string) => startCluster(service, name, HEARTBEAT_MS, closers);
const [east, west] = await Promise.all([start('east'), start('west')]);

/** The EndpointSlice of the Service `web` of a cluster, with one pod. */
async function pod({ api }: TestCluster, ready: boolean): Promise<void> {
  const slice = {
    metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
  };
  await api.apply(ENDPOINT_SLICE, slice as never, { fieldManager: 'test' });
}

/** Such as `True AllHealthy`. */
async function condition({ api }: TestCluster, type: string): Promise<string> {
  const { status } = await api.get<DNSRecord>(DNS_RECORD, { namespace: 'default', name: 'shop' });
  const found = findCondition(status?.conditions, type);
  return `${found?.status} ${found?.reason}`;
}
const has = (cluster: TestCluster, type: string, text: string) =>
  expect.poll(() => condition(cluster, type), PATIENCE).toBe(text);

const answers = async () =>
  (await service.dns.raw.lookup(`shop.${ZONE}`, 'A')).answers.map((line) => line.split(' ').at(-1));
const serves = (...addresses: string[]) => expect.poll(answers, PATIENCE).toEqual(addresses);

/** The object has the same name in both clusters. */
const follow = ({ record }: TestCluster, content: string, tier: number) =>
  record('shop', 'zone', {
    ...{ name: 'shop', type: 'A', values: [{ content, ...(tier > 0 && { tier }) }] },
    healthFrom: { serviceRef: { name: 'web' } },
  });

test('a name fails over to the address of the other cluster, and each Service speaks for those of its cluster', async () => {
  await Promise.all([east, west].map((cluster) => cluster.startOperator()));
  await Promise.all([east, west].map((cluster) => pod(cluster, true)));
  await east.zone('zone', { zoneName: ZONE });
  await follow(east, EAST, 0);
  await has(east, 'Ready', 'True Ready');
  await west.type('kubectl label namespace default zonestead.dev/existing-zones=allow', folder);
  await west.zone('zone', { zoneName: ZONE, managementPolicy: 'Observe' });
  await follow(west, WEST, 1);
  for (const cluster of [east, west]) await has(cluster, 'Healthy', 'True AllHealthy');
  await serves(EAST);
  const { checks } = await client.call(listChecks, {});
  expect(new Set(checks.map(({ name }) => name)).size).toBe(2);

  await pod(east, false);
  await serves(WEST);
  await has(east, 'Healthy', 'False NoneHealthy');
  expect(await condition(west, 'Healthy')).toBe('True AllHealthy');
  for (const cluster of [east, west]) await has(cluster, 'Ready', 'True Ready');

  await pod(west, false);
  await serves(EAST);
  await has(west, 'Healthy', 'False NoneHealthy');
  await pod(west, true);
  await serves(WEST);
});

test('without its operator, the addresses of a cluster count as working', async () => {
  await pod(east, false);
  await serves(WEST);
  await east.killOperator();
  // As after a minute without a signal. That of the other operator comes again.
  await service.sql`update check_signals set until = now()`;
  await serves(EAST);
  await east.startOperator();
  await serves(WEST);
  await pod(east, true);
  await serves(EAST);
});
