// Two clusters, each with a kube-apiserver and an operator of its own, write into one zone of one service. A value that
// both have is asked for all the time, and must never be missing from an answer.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '#client/client.ts';
import { fetchZones } from '#client/lists.ts';
import * as clusterApi from '#contract/operations/clusters.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { type Asking, startAsking } from '../../support/dns/asking.ts';
import type { Lookup } from '../../support/dns/resolver.ts';
import { readPage } from '../../support/docs/document.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';
import { startCluster, type TestCluster } from './one-of-two-clusters.support.ts';

const HEARTBEAT_MS = 500;
const PATIENCE = { timeout: 120_000, interval: 100 };
const ZONE = 'example.org';
const ANYCAST = '192.0.2.1';

const service = await startTestService({
  clusterTimes: { lostMs: 5_000, gapMs: 10_000 },
  warnings: ['a cluster is lost'],
});
const person = await addPerson(service, { team: 'first' });
const owner = createClient({ baseUrl: service.url, key: person.text });
const closers: (() => Promise<unknown>)[] = [() => owner.close()];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});
const start = (name: string) => startCluster(service, name, HEARTBEAT_MS, closers);
const [east, west] = await Promise.all([start('east'), start('west')]);
const BOTH: readonly TestCluster[] = [east, west];
let asking: Asking;

// Before the service ends.
afterAll(async () => void (await asking?.stop()));

/** Applies an A record whose object has the name of the record. */
function put({ record }: TestCluster, name: string, content: string, more: object = {}): Promise<void> {
  return record(name, 'example', { name, type: 'A', ttl: 60, content, ...more });
}

const isReady = ({ ready }: TestCluster, record: string) =>
  expect.poll(async () => await ready(record), PATIENCE).toMatchObject({ status: 'True' });

/** The addresses of a name that the name server answers with. */
async function addresses(name: string): Promise<string[]> {
  const { answers } = await service.dns.raw.lookup(`${name}.${ZONE}`, 'A');
  return answers.map((line) => line.split(' ').at(-1) ?? '');
}
const serves = (name: string, ...wanted: string[]) => expect.poll(() => addresses(name), PATIENCE).toEqual(wanted);

const stateOf = async (name: string) =>
  (await owner.call(clusterApi.listClusters, {})).clusters.find((each) => each.name === name)?.state;
const isIn = (name: string, state: string) => expect.poll(() => stateOf(name), PATIENCE).toBe(state);

test('a value that both clusters share is Ready in both, with the commands of the page', async () => {
  await Promise.all(BOTH.map((cluster) => cluster.startOperator()));
  await east.zone('example', { zoneName: ZONE });
  await put(east, 'anycast', ANYCAST, { sharing: 'Shared' });
  await isReady(east, 'anycast');
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-page-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const { blocks } = await readPage('docs/how-to/several-clusters.md');
  for (const { file, text } of blocks) if (file) await writeFile(join(folder, file), text);
  for (const { text } of await scenario('several clusters')) await west.type(text, folder);
  await isReady(west, 'anycast');
  const judge = ({ answers }: Lookup) =>
    answers.some((line) => line.endsWith(` A ${ANYCAST}`)) ? null : `[${answers}]`;
  asking = startAsking([service.dns.raw], [{ name: `anycast.${ZONE}`, type: 'A', judge }]);
});

test('the same value of both clusters stays while one of them has it, in either order of deletion', async () => {
  for (const [first, second] of [
    [east, west],
    [west, east],
  ] as const) {
    await first.remove(DNS_RECORD, 'anycast');
    const owners = async () => (await service.request('GET', `/zones/${await zoneId()}/owners?prefix=k8s:`)).text;
    await expect.poll(owners, PATIENCE).not.toContain(`k8s:${first.name}/default/anycast`);
    await asking.more(3);
    await isReady(second, 'anycast');
    await put(first, 'anycast', ANYCAST, { sharing: 'Shared' });
    await isReady(first, 'anycast');
  }
  await put(east, 'both', '192.0.2.2', { sharing: 'Shared' });
  await put(west, 'both', '192.0.2.2', { sharing: 'Shared' });
  await Promise.all([isReady(east, 'both'), isReady(west, 'both')]);
  await Promise.all(BOTH.map(({ remove }) => remove(DNS_RECORD, 'both')));
  await serves('both');
});

test('objects of one name in both clusters are two owners', async () => {
  await put(east, 'www', '192.0.2.11');
  await put(west, 'www', '192.0.2.12');
  await Promise.all([isReady(east, 'www'), isReady(west, 'www')]);
  await serves('www', '192.0.2.11', '192.0.2.12');
  await east.remove(DNS_RECORD, 'www');
  await serves('www', '192.0.2.12');
  await put(east, 'www', '192.0.2.11');
  await isReady(east, 'www');
});

test('a cluster that starts with the name of another one changes nothing of it, and says so', async () => {
  await west.killOperator();
  await west.startOperator('east');
  const zoneReady = async () => {
    const { status } = await west.api.get<DNSZone>(DNS_ZONE, { namespace: 'default', name: 'example' });
    return findCondition(status?.conditions, 'Ready');
  };
  await expect.poll(zoneReady, PATIENCE).toMatchObject({ status: 'False', reason: 'ClusterNameTaken' });
  expect(await west.metric('heartbeats_total{result="taken"}')).toBeGreaterThan(0);
  await put(west, 'www', '192.0.2.19');
  await expect.poll(() => west.ready('www'), PATIENCE).toMatchObject({ status: 'False', reason: 'ZoneNotReady' });
  await west.remove(DNS_RECORD, 'www');
  await serves('www', '192.0.2.11', '192.0.2.12');
  await west.killOperator();
  await west.startOperator();
  await serves('www', '192.0.2.11');
  await put(west, 'www', '192.0.2.12');
  await isReady(west, 'www');
  expect(await east.ready('www')).toMatchObject({ status: 'True' });
});

test.each([
  ['Shared', 'Exclusive', 'is shared by DNSRecord default/one of cluster east', 'Shared on this DNSRecord;'],
  ['Exclusive', 'Shared', 'belongs to DNSRecord default/one of cluster east', 'Shared on that DNSRecord too;'],
  ['Exclusive', 'Exclusive', 'belongs to DNSRecord default/one of cluster east', 'Shared on both DNSRecords;'],
])(
  'a value that is %s in one cluster and %s in the other is a conflict, and the message says what to do',
  async (sharing, other, relation, remedy) => {
    await put(east, 'one', '192.0.2.5', { sharing });
    await isReady(east, 'one');
    await put(west, 'one', '192.0.2.5', { sharing: other });
    await expect.poll(() => west.ready('one'), PATIENCE).toMatchObject({ status: 'False', reason: 'Conflict' });
    const { message } = (await west.ready('one')) ?? {};
    expect(message).toContain(`The value 192.0.2.5 ${relation}`);
    expect(message).toContain(remedy);
    if (sharing === 'Shared') {
      await put(west, 'one', '192.0.2.5', { sharing });
      await isReady(west, 'one');
    }
    await Promise.all(BOTH.map(({ remove }) => remove(DNS_RECORD, 'one')));
    await serves('one');
  },
);

test('a drained cluster is withdrawn until it is restored, and its objects say so', async () => {
  await put(east, 'alone', '192.0.2.13');
  await isReady(east, 'alone');
  await owner.call(clusterApi.drainCluster, { params: { name: 'east' } });
  await serves('www', '192.0.2.12');
  await expect.poll(() => east.ready('www'), PATIENCE).toMatchObject({ status: 'False', reason: 'ClusterDrained' });
  expect((await east.ready('www'))?.message).toContain('zonestead clusters restore east');
  await put(west, 'late', '192.0.2.15');
  await isReady(west, 'late');
  await put(east, 'late', '192.0.2.14');
  await expect.poll(() => east.ready('late'), PATIENCE).toMatchObject({ status: 'False', reason: 'ClusterDrained' });
  await serves('late', '192.0.2.15');
  // A value that no other cluster replaces, or that the other cluster shares, is Ready.
  for (const record of ['alone', 'anycast']) await isReady(east, record);
  await serves('alone', '192.0.2.13');

  const version = await east.version('www');
  await east.killOperator();
  await east.startOperator();
  const beats = (await east.metric('heartbeats_total{result="accepted"}')) ?? 0;
  await expect.poll(() => east.metric('heartbeats_total{result="accepted"}'), PATIENCE).toBeGreaterThan(beats + 4);
  expect(await east.version('www')).toBe(version);
  await serves('www', '192.0.2.12');

  await owner.call(clusterApi.restoreCluster, { params: { name: 'east' } });
  await serves('www', '192.0.2.11', '192.0.2.12');
  await serves('late', '192.0.2.14', '192.0.2.15');
  await Promise.all([isReady(east, 'www'), isReady(east, 'late')]);
});

const lostClusters = async () => /^zonestead_clusters\{state="lost"\} (\d+)$/m.exec(await service.metrics())?.[1];

test('a killed cluster is lost, whenClusterLost decides about its records, and they return with it', async () => {
  await put(east, 'geo', '192.0.2.21', { whenClusterLost: 'Withdraw' });
  await put(west, 'geo', '192.0.2.22', { whenClusterLost: 'Withdraw' });
  await Promise.all([isReady(east, 'geo'), isReady(west, 'geo')]);
  await serves('geo', '192.0.2.21', '192.0.2.22');
  await east.kill();
  await isIn('east', 'lost');
  await serves('geo', '192.0.2.22');
  await serves('www', '192.0.2.11', '192.0.2.12');
  await expect.poll(lostClusters, PATIENCE).toBe('1');
  await east.restart();
  await isIn('east', 'active');
  await serves('geo', '192.0.2.21', '192.0.2.22');
  await isReady(east, 'geo');
});

test('a cluster without a way to the service is lost, and returns with the way', async () => {
  const { port } = new URL(service.url);
  west.relay.lead();
  west.relay.cut();
  await isIn('west', 'lost');
  await serves('geo', '192.0.2.21');
  await expect.poll(() => west.metric('heartbeat_failing_seconds'), PATIENCE).toBeGreaterThan(0);
  west.relay.lead(Number(port));
  await isIn('west', 'active');
  await serves('geo', '192.0.2.21', '192.0.2.22');
  await expect.poll(() => west.metric('heartbeat_failing_seconds'), PATIENCE).toBe(0);
  await isReady(west, 'geo');
});

test('a cluster that is gone is removed, and the other one has the name alone', async () => {
  await east.kill();
  await owner.call(clusterApi.drainCluster, { params: { name: 'east' } });
  await serves('www', '192.0.2.12');
  const id = await zoneId();
  const sets = ['anycast', 'www', 'alone', 'late', 'geo'].map((name) => ({
    owner: `k8s:east/default/${name}`,
    release: true,
  }));
  await owner.call(applyRecords, { params: { id }, body: { sets, atomic: true } });
  // The service removes a cluster after a minute without heartbeats.
  await service.sql`update clusters set heartbeat_at = now() - interval '61 seconds' where name = 'east'`;
  await owner.call(clusterApi.deleteCluster, { params: { name: 'east' } });
  expect((await owner.call(clusterApi.listClusters, {})).clusters.map(({ name }) => name)).toEqual(['west']);
  await serves('anycast', ANYCAST);
  await serves('alone');
});

test('the shared value was in every answer', async () => {
  await asking.more(3);
  expect(await asking.stop()).toEqual([]);
});

async function zoneId(): Promise<string> {
  const [zone] = await fetchZones(owner, { zoneName: ZONE });
  return zone?.id ?? '';
}
