// The brake on mass deletion on a real API server: the ways in which most objects vanish by mistake, and how the
// records return.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { fetchZones } from '#client/lists.ts';
import { isNotFound } from '#kube/api/errors.ts';
import { EVENTS } from '#kube/events/events.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { CRD } from '#kube/objects/crds.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, DELETIONS_HELD, EXISTING_ZONES, RELEASE_MANY } from '#resources/names.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startTcpRelay } from '../../support/http/tcp-relay.ts';
import { startChain, startPlane } from '../../support/matrix/chain.ts';
import { type OperatorOptions, startOperator, type TestOperator } from '../../support/matrix/operator.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { loseCluster } from '../../support/service/clusters.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const PATIENCE = { timeout: 120_000, interval: 100 };
const ZONE = { namespace: 'default', name: 'example' };
const HOSTS = Array.from({ length: 30 }, (_, n) => `host${n}`);
const TEAM_HOSTS = Array.from({ length: 45 }, (_, n) => `team${n}`);

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});
// Two control planes that start at once may keep the database waiting: no warning of the service is a failure here.
const [chain, empty] = await Promise.all([startChain(['']), startPlane(closers)]);
const { api, client } = chain;
const folder = await temporaryFolder('brake');
const { health } = await allocatePorts([{ name: 'health' }], { stateDir: folder });
const relay = await startTcpRelay(chain.apiserverPort);
closers.push(() => relay.close());
const kubeconfig = join(folder, 'kubeconfig');
const direct = await readFile(chain.operatorKubeconfig, 'utf8');
await writeFile(kubeconfig, direct.replace(`:${chain.apiserverPort}`, `:${relay.port}`));

let operator: TestOperator;
function start(options: OperatorOptions = {}): void {
  operator = startOperator(chain, { cluster: 'prod', kubeconfig, heartbeatMs: 200, healthPort: health, ...options });
}
afterAll(() => operator.stop());

/** The operator sees all of the work at once, however slow the API server is. */
async function together(work: () => Promise<unknown>): Promise<void> {
  relay.lead();
  relay.cut();
  await work();
  relay.lead(chain.apiserverPort);
}

const createAll = (hosts: readonly string[], namespace = 'default') =>
  Promise.all(
    hosts.map((name) => {
      const spec = { zoneRef: ZONE, name, type: 'A', content: '192.0.2.1' } as const;
      return api.create<DNSRecord>(DNS_RECORD, { metadata: { namespace, name }, spec });
    }),
  );
const deleteAll = (hosts: readonly string[], namespace = 'default') =>
  Promise.all(hosts.map((name) => api.delete(DNS_RECORD, { namespace, name })));

/** The DNSRecords that are not Ready for their newest generation. */
async function unready(): Promise<string[]> {
  const { items } = await api.list<DNSRecord>(DNS_RECORD, {});
  return items.flatMap(({ metadata, status }) => {
    const ready = findCondition(status?.conditions, 'Ready');
    return ready?.status === 'True' && ready.observedGeneration === metadata.generation ? [] : [metadata.name];
  });
}
const allReady = () => expect.poll(unready, PATIENCE).toEqual([]);

/** The hosts that the name server answers. */
async function answered(): Promise<string[]> {
  const all = [...HOSTS, ...TEAM_HOSTS].map(async (host) => {
    const { answers } = await chain.dns.lookup(`${host}.example.org`, 'A');
    return answers.length === 0 ? [] : [host];
  });
  return (await Promise.all(all)).flat();
}

/** A change of the zone, also one that was undone, gives it another serial. */
async function serial(): Promise<number | undefined> {
  const [zone] = await fetchZones(client, { zoneName: 'example.org' });
  return zone?.serial;
}

async function heldBy({ api: at }: { api: typeof api } = chain): Promise<string | undefined> {
  const { status } = await at.get<DNSZone>(DNS_ZONE, ZONE);
  const condition = findCondition(status?.conditions, DELETIONS_HELD);
  return condition && `${condition.status} ${/The records of \d+ of them remain/.exec(condition.message)?.[0] ?? ''}`;
}
const isHeld = (count: number, at?: { api: typeof api }) =>
  expect.poll(() => heldBy(at), PATIENCE).toBe(`True The records of ${count} of them remain`);
const isLifted = () => expect.poll(() => heldBy(), PATIENCE).toBe('False ');

const scrape = async (series: string) => {
  const text = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`zonestead_${series} `))
      ?.split(' ')
      .at(-1),
  );
};
const metricIs = (series: string, value: number) => expect.poll(() => scrape(series), PATIENCE).toBe(value);

const createZone = (spec: object, at = api, name = ZONE.name) =>
  at.create<DNSZone>(DNS_ZONE, {
    metadata: { ...ZONE, name },
    spec: { zoneName: `${name}.org`, ...spec } as DNSZone['spec'],
  });

const isAbsent = (crd: string) => api.get(CRD, { name: crd }).then(() => false, isNotFound);

test('a deleted CRD of DNSRecords takes nothing out of DNS, and nothing has changed when CRD and objects return', async () => {
  start();
  await createZone({ allowedRecords: [{ namespaces: { from: 'All' } }] });
  await createAll(HOSTS);
  await allReady();
  const before = await serial();
  await api.delete(CRD, { name: 'dnsrecords.zonestead.dev' });
  await isHeld(30);
  await metricIs('deletions_held{kind="DNSRecord"}', 30);
  const notes = async () =>
    (await api.list<KubeObject & { reason: string; type: string; note: string }>(EVENTS, ZONE)).items
      .filter(({ reason }) => reason === 'DeletionsHeld')
      .map(({ type, note }) => `${type} ${note}`);
  await expect
    .poll(notes, PATIENCE)
    .toEqual([expect.stringMatching(/^Warning More than half .* Their records remain .*Create the objects/)]);
  await expect.poll(() => isAbsent('dnsrecords.zonestead.dev'), PATIENCE).toBe(true);
  expect(await answered()).toEqual(HOSTS);

  await chain.applyCrds();
  await createAll(HOSTS);
  await allReady();
  await isLifted();
  await metricIs('deletions_held{kind="DNSRecord"}', 0);
  expect(await answered()).toEqual(HOSTS);
  expect(await serial()).toBe(before);
});

test('a prune of 25 of 30 DNSRecords is held until they return, and one of 10 goes through', async () => {
  const before = await serial();
  await together(() => deleteAll(HOSTS.slice(5)));
  await isHeld(25);
  expect(await answered()).toEqual(HOSTS);
  await createAll(HOSTS.slice(5));
  await allReady();
  await isLifted();
  expect(await serial()).toBe(before);

  await deleteAll(HOSTS.slice(20));
  await expect.poll(answered, PATIENCE).toEqual(HOSTS.slice(0, 20));
  expect(await heldBy()).toBe('False ');
});

test('a namespace that is deleted with most of the records leaves them in DNS until an annotation permits it', async () => {
  await chain.namespace('team');
  await createAll([...HOSTS.slice(20)]);
  await createAll(TEAM_HOSTS, 'team');
  await allReady();
  await api.delete(NAMESPACE, { name: 'team' });
  // No kube-controller-manager runs here, so the test deletes the objects of the namespace.
  await together(() => deleteAll(TEAM_HOSTS, 'team'));
  await isHeld(45);
  expect(await answered()).toEqual([...HOSTS, ...TEAM_HOSTS]);
  const annotate = (value: string | null) =>
    api.merge(DNS_ZONE, ZONE, { metadata: { annotations: { [RELEASE_MANY]: value } } });
  await annotate('true');
  await expect.poll(answered, PATIENCE).toEqual(HOSTS);
  await isLifted();
  await metricIs('deletions_held{kind="DNSRecord"}', 0);
  await annotate(null);
});

test('an operator with the kubeconfig of another cluster releases nothing, also when it has the name', async () => {
  const before = await serial();
  await operator.stop();
  start({ kubeconfig: empty.operatorKubeconfig });
  await expect.poll(() => scrape('heartbeats_total{result="taken"}'), PATIENCE).toBeGreaterThan(1);
  expect(await answered()).toEqual(HOSTS);
  // GitOps creates the zones first.
  const other = empty.cluster.api;
  await other.merge(NAMESPACE, { name: 'default' }, { metadata: { labels: { [EXISTING_ZONES]: 'allow' } } });
  await createZone({ managementPolicy: 'Observe' }, other);
  const ready = async () =>
    findCondition((await other.get<DNSZone>(DNS_ZONE, ZONE)).status?.conditions, 'Ready')?.reason;
  await expect.poll(ready, PATIENCE).toBe('ClusterNameTaken');
  expect(await answered()).toEqual(HOSTS);
  // After a minute without the other cluster, the name is free.
  await operator.stop();
  await loseCluster(chain, 'prod');
  start({ kubeconfig: empty.operatorKubeconfig });
  await expect.poll(ready, PATIENCE).toBe('Ready');
  expect(await answered()).toEqual(HOSTS);
  // A new DNSZone may come from a backup, before its DNSRecords. One that an operator finds at its start did not.
  await operator.stop();
  start({ kubeconfig: empty.operatorKubeconfig });
  await isHeld(30, { api: other });
  expect(await answered()).toEqual(HOSTS);
  await operator.stop();
  await loseCluster(chain, 'prod');
  start();
  await allReady();
  await metricIs('workqueue_depth{name="records"}', 0);
  expect(await answered()).toEqual(HOSTS);
  expect(await serial()).toBe(before);
});

test('a deleted CRD of DNSZones deletes no zone, however few there are, until each object says what to do', async () => {
  await createZone({}, api, 'unwanted');
  const zones = async () => (await fetchZones(client, {})).map(({ zoneName }) => zoneName).sort();
  await expect.poll(zones, PATIENCE).toEqual(['example.org', 'unwanted.org']);
  await allReady();
  const before = await serial();
  await api.delete(CRD, { name: 'dnszones.zonestead.dev' });
  const blockedBy = async () => {
    const { items } = await api.list<DNSZone>(DNS_ZONE, {});
    return items.map(({ status }) => findCondition(status?.conditions, DELETION_BLOCKED)?.reason);
  };
  await expect.poll(blockedBy, PATIENCE).toEqual(['CRDDeleted', 'CRDDeleted']);
  await metricIs('deletions_held{kind="DNSZone"}', 2);
  expect(await zones()).toEqual(['example.org', 'unwanted.org']);
  // The API server waits for the finalizers, and takes no new objects meanwhile.
  expect((await api.get(CRD, { name: 'dnszones.zonestead.dev' })).metadata.deletionTimestamp).toBeDefined();
  await expect(createZone({}, api, 'late')).rejects.toThrow(/terminating|not allowed/);

  await api.merge(
    DNS_ZONE,
    { namespace: 'default', name: 'unwanted' },
    { metadata: { annotations: { [RELEASE_MANY]: 'true' } } },
  );
  await expect.poll(zones, PATIENCE).toEqual(['example.org']);
  await api.merge(DNS_ZONE, ZONE, { spec: { deletionPolicy: 'Retain' } });
  await expect.poll(() => isAbsent('dnszones.zonestead.dev'), PATIENCE).toBe(true);
  await chain.applyCrds();
  await api.merge(NAMESPACE, { name: 'default' }, { metadata: { labels: { [EXISTING_ZONES]: 'allow' } } });
  await createZone({ adopt: 'IfIdentical' });
  await expect.poll(async () => (await api.get<DNSZone>(DNS_ZONE, ZONE)).status?.origin, PATIENCE).toBe('Adopted');
  await allReady();
  expect(await answered()).toEqual(HOSTS);
  expect(await serial()).toBe(before);
});
