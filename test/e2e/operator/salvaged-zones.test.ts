// A database that was restored to a time before zones were made, under a real kube-apiserver: the zones come back from
// the name server with their records and keys, and the DNSZones and DNSRecords of the cluster take them back without a
// change of their manifests. The second database is empty, so it has not sealed them.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test, vi } from 'vitest';
import { findCondition } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { adminEnsureNodeKey, adminListNodes, adminMintNodeKey } from '#service/nodes/administration.ts';
import { createResolver } from '../../support/dns/resolver.ts';
import { testKnot } from '../../support/knot/knot.ts';
import { nodeProcess } from '../../support/knot/node-process.ts';
import { type Chain, createCalls, startPlane } from '../../support/matrix/chain.ts';
import { startOperator, type TestOperator } from '../../support/matrix/operator.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { NAMESERVERS, startTestService, type TestService } from '../../support/service/service.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
const PATIENCE = { timeout: 120_000, interval: 200 };
const OPTIONS = { nameserver: false, warnings: ['two instances report', 'a cluster is lost'] };

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});
const [before, sealed, empty, knot, kube] = await Promise.all([
  startTestService(OPTIONS),
  startTestService(OPTIONS),
  startTestService(OPTIONS),
  testKnot(),
  startPlane(closers),
]);
const { text: nodeKey } = await adminMintNodeKey(before.database.url, 'ns1', {}, randomBytes, new Date());
const node = await nodeProcess(before.url, nodeKey, 'ns1', knot);
const state = { ZONESTEAD_NODE_STATE: node.folder };
const dns = createResolver({ address: '127.0.0.1', port: knot.port }, await temporaryFolder('salvaged-zones'));
const { api } = kube.cluster;
const calls = createCalls(api);

let operator: TestOperator | undefined;
const stop = async () => {
  await operator?.stop();
  operator = undefined;
};
afterAll(stop);
const start = (service: TestService, key: string) => {
  const place = { url: service.url, key, operatorKubeconfig: kube.operatorKubeconfig, nameservers: NAMESERVERS };
  const chain = { ...place, dns: { address: '127.0.0.1', port: knot.port } } as unknown as Chain;
  operator = startOperator(chain, { cluster: 'prod', heartbeatMs: 500 });
};

const NAMES = ['www', 'two', 'text', 'slow', 'guest'];
const reasons = async () => {
  const records = (await api.list<DNSRecord>(DNS_RECORD, {})).items;
  const zones = (await api.list<DNSZone>(DNS_ZONE, {})).items;
  return [...zones, ...records].map(
    ({ metadata, status }) => `${metadata.name} ${findCondition(status?.conditions, 'Ready')?.reason}`,
  );
};
const ready = ['example', ...NAMES].map((name) => `${name} Ready`).sort();
const zone = () => api.get<DNSZone>(DNS_ZONE, { namespace: 'default', name: 'example' });
const owners = async ({ sql }: TestService) =>
  (await sql`select owner from owned_sets order by owner`).map(({ owner }) => owner);
const OWNERS = NAMES.map((name) => `k8s:prod/${name === 'guest' ? 'guests' : 'default'}/${name}`).sort();
const held = async ({ database }: TestService) =>
  (await adminListNodes(database.url)).flatMap((row) => row.held?.zones.map(({ name }) => name) ?? []);

/** Asks for all names without a pause. @returns stops it, with the names that had no answer */
function watch() {
  const missing: string[] = [];
  let isGoing = true;
  const done = (async () => {
    while (isGoing)
      for (const name of NAMES) {
        const type = name === 'text' ? 'TXT' : 'A';
        const { answers } = await dns.lookup(`${name}.example.org`, type);
        if (answers.length !== (name === 'two' ? 2 : 1)) missing.push(name);
      }
  })();
  return async () => {
    isGoing = false;
    await done;
    return missing;
  };
}

async function salvage({ database }: TestService, ...words: string[]): Promise<void> {
  vi.stubEnv('DATABASE_URL', database.url);
  const { code, out } = await zonestead('admin', 'nodes', 'salvage', ...words).finally(() => vi.unstubAllEnvs());
  expect([code, out]).toEqual([0, expect.stringContaining('1 zones brought back')]);
}

/** The objects take back the zone and its records, and are the owners again. */
async function expectBack(service: TestService, original: DNSZone): Promise<void> {
  // The conditions are those from before until the objects have run.
  await expect.poll(() => owners(service), PATIENCE).toEqual(OWNERS);
  await expect.poll(async () => (await reasons()).sort(), PATIENCE).toEqual(ready);
  expect((await zone()).status).toMatchObject({ zoneId: original.status?.zoneId, ds: original.status?.ds });
}

test('the objects of a zone that came back from a name server take it back, and no answer is missing meanwhile', async () => {
  await node.start();
  start(before, before.admin.text);
  await calls.namespace('guests');
  const allowedRecords = [{ namespaces: { from: 'All' } }];
  await calls.zone('example', { zoneName: 'example.org', defaultTtl: 600, allowedRecords });
  const values: Record<string, object> = {
    www: { type: 'A', content: '192.0.2.1' },
    two: { type: 'A', values: [{ content: '192.0.2.2' }, { content: '192.0.2.3' }], ttl: 60 },
    text: { type: 'TXT', content: '"a \\"b\\" c"' },
    slow: { type: 'A', content: '192.0.2.4', ttl: 3600 },
  };
  for (const [name, value] of Object.entries(values)) await calls.record(name, 'example', { name, ...value });
  const zoneRef = { name: 'example', namespace: 'default' };
  await calls.record('guest', 'example', { zoneRef, name: 'guest', type: 'A', content: '192.0.2.5' }, 'guests');
  await expect.poll(async () => (await reasons()).sort(), PATIENCE).toEqual(ready);
  expect(await owners(before)).toEqual(OWNERS);
  const original = await zone();
  await stop();
  const questions = watch();
  await node.stop();

  const { admin } = before;
  const [service] = await before.sql`select seal_secret as secret from service`;
  await sealed.sql`update service set seal_secret = ${service?.secret}`;
  await sealed.sql`insert into teams (id, name) values (${admin.team}, 'restored')`;
  await adminEnsureNodeKey(sealed.database.url, 'ns1', nodeKey, randomBytes, new Date());
  const restored = await nodeProcess(sealed.url, nodeKey, 'ns1', knot, state);
  await restored.start();
  await expect.poll(() => held(sealed), PATIENCE).toEqual(['example.org']);
  await salvage(sealed, '--all', '--yes');
  start(sealed, (await sealed.key({ team: 'restored' })).text);
  await expectBack(sealed, original);
  await stop();
  await restored.stop();

  // From nothing: an empty database, and the node.
  await adminEnsureNodeKey(empty.database.url, 'ns1', nodeKey, randomBytes, new Date());
  const fresh = await nodeProcess(empty.url, nodeKey, 'ns1', knot, state);
  await fresh.start();
  await expect.poll(() => held(empty), PATIENCE).toEqual(['example.org']);
  await salvage(empty, '--zone', 'example.org', '--owner', 'new', '--create-team');
  start(empty, (await empty.key({ team: 'new' })).text);
  await expectBack(empty, original);
  expect(await questions()).toEqual([]);

  // They are the owners: a deleted object leaves DNS, and an edit arrives.
  await calls.remove(DNS_RECORD, 'guest', 'guests');
  await calls.record('www', 'example', { name: 'www', type: 'A', content: '192.0.2.9' });
  await expect.poll(async () => (await dns.lookup('guest.example.org', 'A')).rcode, PATIENCE).toBe('NXDOMAIN');
  await expect.poll(() => dns.dig('www.example.org', 'A'), PATIENCE).toContain('192.0.2.9');
});
