// The keys that a change in a cache adds to the queues.

import { beforeEach, describe, expect, test } from 'vitest';
import { type CacheStore, createStore } from '#kube/cache/store.ts';
import { createQueue, HIGH_PRIORITY, LOW_PRIORITY, type WorkQueue } from '#kube/controller/queue.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { zonesAboveIndex } from '#operator/access/claims.ts';
import { BY_ZONE_ABOVE, BY_ZONE_NAME } from '#operator/access/context.ts';
import { HeldOwners } from '#operator/record/held.ts';
import { RECORD_INDEXES } from '#operator/record/indexes.ts';
import { recordQueueOptions, zoneQueueOptions } from '#operator/run/queues.ts';
import { connectTriggers } from '#operator/run/triggers.ts';
import { MANAGED_BY_LABEL, SOLVER_MANAGER } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneNameIndex } from '#resources/zone-ref.ts';
import { createLogger } from '#telemetry/log.ts';
import { aRecord, aZone } from '../../support/operator/build.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const ZONE = 'default/example';
const log = createLogger({ name: 'test', level: 'silent' });

let zones: CacheStore<DNSZone>;
let records: CacheStore<DNSRecord>;
let namespaces: CacheStore<KubeObject>;
let zoneQueue: WorkQueue;
let recordQueue: WorkQueue;
let versions = 1;
let clock: FakeClock;
let held: HeldOwners;

beforeEach(() => {
  clock = new FakeClock();
  zones = createStore<DNSZone>({ log, indexes: { [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex } });
  records = createStore<DNSRecord>({ log, indexes: RECORD_INDEXES });
  namespaces = createStore<KubeObject>({ log });
  zoneQueue = createQueue({ ...zoneQueueOptions(), clock });
  recordQueue = createQueue({ ...recordQueueOptions(records), clock });
  held = new HeldOwners(clock);
  connectTriggers({ zones, records, namespaces, zoneQueue, recordQueue, held });
});

/** The object with this metadata and status, in a newer version. */
function next<T extends KubeObject>(object: T, metadata: object = {}, status: object = {}): T {
  versions += 1;
  const known = (object as { status?: object }).status ?? {};
  return {
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(versions), ...metadata },
    status: { ...known, ...status },
  };
}

const ready = (reason: string) => ({
  conditions: [{ type: 'Ready', status: 'False', reason, message: '', lastTransitionTime: '2026-11-21T10:00:00Z' }],
});

/** Takes all keys that wait, and marks them as done. */
async function taken(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.stats().waiting > 0) {
    const item = await queue.get();
    keys.push(item?.key as string);
    queue.done(item?.key as string);
  }
  return keys;
}

const named = (name: string, spec: Record<string, unknown> = {}, metadata: object = {}) =>
  next(aRecord(spec, { name, uid: `uid-${name}`, ...metadata }));
const TOKEN = { name: '_acme-challenge', type: 'TXT', content: 'token' };
const OF_SOLVER = { labels: { [MANAGED_BY_LABEL]: SOLVER_MANAGER } };

test('an object that existed at the start runs after edited objects, but a challenge runs before them', async () => {
  records.replace([named('a'), named('challenge', TOKEN, OF_SOLVER)]);
  records.upsert(named('b'));
  const first = await recordQueue.get();
  const second = await recordQueue.get();
  const third = await recordQueue.get();
  expect([first, second, third]).toEqual([
    { key: 'default/challenge', priority: HIGH_PRIORITY },
    { key: 'default/b', priority: 0 },
    { key: 'default/a', priority: LOW_PRIORITY },
  ]);
});

describe('the workers', () => {
  const of = (namespace: string, name: string) => named(name, {}, { namespace, uid: `uid-${namespace}-${name}` });

  test('the workers run a challenge of the solver before other records of its namespace, and no record because of its name alone', async () => {
    records.replace([]);
    for (const record of [named('a'), named('alike', TOKEN), named('challenge', TOKEN, OF_SOLVER)])
      records.upsert(record);
    expect(await taken(recordQueue)).toEqual(['default/challenge', 'default/a', 'default/alike']);
  });

  test('the workers run records and zones of each namespace in turn', async () => {
    records.replace([]);
    for (const record of [of('a', '1'), of('a', '2'), of('a', '3'), of('b', '1')]) records.upsert(record);
    expect(await taken(recordQueue)).toEqual(['a/1', 'b/1', 'a/2', 'a/3']);
    zones.replace([]);
    for (const namespace of ['a', 'a', 'b'])
      zones.upsert(next(aZone({}, { namespace, name: `z${versions}`, uid: `uid-${versions}` })));
    expect((await taken(zoneQueue)).map((key) => key.split('/')[0])).toEqual(['a', 'b', 'a']);
  });
});

describe('a namespace whose labels change', () => {
  const labelled = (labels: Record<string, string>) =>
    next({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b', uid: 'uid-b', labels } } as KubeObject);
  const zoneOf = (namespace: string, reason: string) =>
    next(aZone({}, { namespace, name: `z-${namespace}`, uid: `uid-z-${namespace}` }), {}, ready(reason));

  test('a namespace whose labels change runs its own zones and records, and refused zones of other namespaces', async () => {
    namespaces.replace([labelled({})]);
    zones.replace([zoneOf('a', 'NotPermitted'), zoneOf('b', 'Ready'), zoneOf('c', 'Ready'), zoneOf('d', 'Conflict')]);
    records.replace([named('www', {}, { namespace: 'b' }), named('other', {}, { namespace: 'c' })]);
    await taken(zoneQueue);
    await taken(recordQueue);
    namespaces.upsert(labelled({ team: 'b' }));
    expect((await taken(zoneQueue)).sort()).toEqual(['a/z-a', 'b/z-b', 'd/z-d']);
    expect(await taken(recordQueue)).toEqual(['b/www']);
  });
});

describe('a record', () => {
  beforeEach(async () => {
    records.replace([named('www')]);
    await taken(recordQueue);
  });
  const www = () => records.get('default/www') as DNSRecord;

  test.each([
    ['its spec changes', { generation: 2 }],
    ['it is deleted', { deletionTimestamp: '2026-11-21T10:00:00Z' }],
    ['it is annotated', { annotations: { look: 'again' } }],
  ])('a record runs when %s, with its failures forgotten', async (_what, metadata) => {
    recordQueue.addRateLimited('default/www');
    records.upsert(next(www(), metadata));
    expect(recordQueue.failures('default/www')).toBe(0);
    expect(await taken(recordQueue)).toEqual(['default/www']);
  });

  test('a record that no longer exists runs, to be released in the zone that it had', async () => {
    records.upsert(next(www(), {}, { zoneId: 'zone_1' }));
    await taken(recordQueue);
    records.remove(www());
    expect(held.at('default/www')).toEqual([{ zoneId: 'zone_1', zoneKey: ZONE }]);
    expect(await taken(recordQueue)).toEqual(['default/www']);
  });

  test('a record does not run after a write of its own status', async () => {
    records.upsert(next(www(), {}, { fqdn: 'www.example.org' }));
    expect(await taken(recordQueue)).toEqual([]);
  });

  test('a record that wants PTR records runs when a reverse zone changes its grants, and after no other zone', async () => {
    records.upsert(named('ptr', { reverse: true, zoneRef: { name: 'other' } }));
    await taken(recordQueue);
    zones.replace([]);
    const reverse = aZone({ zoneName: '2.0.192.in-addr.arpa' }, { name: 'reverse', uid: 'uid-reverse' });
    zones.upsert(next(reverse));
    expect(await taken(recordQueue)).toEqual(['default/ptr']);
    zones.upsert(next({ ...reverse, spec: { ...reverse.spec, allowedRecords: [] } }));
    expect(await taken(recordQueue)).toEqual(['default/ptr']);
    zones.upsert(next(aZone({ zoneName: 'plain.example' }, { name: 'plain', uid: 'uid-plain' })));
    expect(await taken(recordQueue)).toEqual([]);
  });

  test('a record runs when its zone gets the data that it waits for, and not for other changes of the status', async () => {
    const zone = next(aZone());
    zones.replace([]);
    zones.upsert(zone);
    expect(await taken(recordQueue)).toEqual(['default/www']);
    zones.upsert(next(zone, {}, { zoneId: 'zone_1' }));
    expect(await taken(recordQueue)).toEqual(['default/www']);
    zones.upsert(next(zone, {}, { zoneId: 'zone_1', serial: 7 }));
    expect(await taken(recordQueue)).toEqual([]);
    zones.upsert(next({ ...zone, spec: { ...zone.spec, allowedRecords: [] } }, {}, { zoneId: 'zone_1' }));
    expect(await taken(recordQueue)).toEqual(['default/www']);
    zones.remove(next(zone));
    expect(await taken(recordQueue)).toEqual(['default/www']);
  });

  test('a record runs when other name servers count for its proof', async () => {
    const zone = next(aZone(), {}, { zoneId: 'zone_1' });
    zones.replace([zone]);
    await taken(recordQueue);
    const eu = (state: string, nameservers: string[]) => ({ secondaries: [{ name: 'eu', nameservers, state }] });
    zones.upsert(next(zone, {}, eu('Current', ['ns.eu.test'])));
    expect(await taken(recordQueue)).toEqual(['default/www']);
    zones.upsert(next(zone, {}, eu('Behind', ['ns.eu.test'])));
    expect(await taken(recordQueue)).toEqual([]);
    zones.upsert({ ...next(zone, {}, eu('Behind', ['ns.eu.test'])), spec: { ...zone.spec, readyWhen: 'OwnNodes' } });
    expect(await taken(recordQueue)).toEqual(['default/www']);
  });

  test('a record runs when the labels of its namespace may have changed', async () => {
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'default', uid: 'n', resourceVersion: '1' },
    };
    namespaces.replace([]);
    namespaces.upsert(namespace);
    expect(await taken(recordQueue)).toEqual(['default/www']);
  });
});

describe('a zone whose records change', () => {
  const www = () => records.get('default/www') as DNSRecord;
  beforeEach(async () => {
    zones.replace([next(aZone())]);
    records.replace([named('www')]);
    await taken(zoneQueue);
  });

  test('a zone whose records change runs after a delay, once for all of them, to update its serial and their number', async () => {
    records.upsert(next(www(), {}, { observedGeneration: 1 }));
    records.upsert(next(www(), {}, { observedGeneration: 2 }));
    expect(await taken(zoneQueue)).toEqual([]);
    await clock.advance(10_000);
    expect(await taken(zoneQueue)).toEqual([ZONE]);
    records.upsert(next(www(), {}, { observedGeneration: 3 }));
    await clock.advance(10_000);
    expect(await taken(zoneQueue)).toEqual([ZONE]);
    records.remove(www());
    await clock.advance(10_000);
    expect(await taken(zoneQueue)).toEqual([ZONE]);
  });

  test('a zone whose records change does not run for changes of their conditions', async () => {
    records.upsert(next(www(), {}, { summary: '192.0.2.1', ...ready('AwaitingPropagation') }));
    await clock.advance(60_000);
    expect(await taken(zoneQueue)).toEqual([]);
  });
});

test('an object in conflict runs when another record of its zone is deleted, or has no values any more', async () => {
  const winner = next(named('winner'), {}, { zoneId: 'zone_1' });
  const loser = next(named('loser'), {}, ready('Conflict'));
  const waiting = next(named('waiting'), {}, ready('ZoneNotReady'));
  const elsewhere = next(named('elsewhere', { zoneRef: { name: 'other' } }), {}, ready('Conflict'));
  records.replace([winner, loser, waiting, elsewhere]);
  await taken(recordQueue);
  records.upsert(next(winner, {}, { zoneId: 'zone_1', fqdn: 'www.example.org' }));
  expect(await taken(recordQueue)).toEqual([]);
  records.upsert(next(winner, {}, { zoneId: undefined }));
  expect(await taken(recordQueue)).toEqual(['default/loser']);
  records.remove(next(winner));
  expect((await taken(recordQueue)).sort()).toEqual(['default/loser', 'default/winner']);
});

test('an object in conflict runs when another zone of its name is deleted, in any spelling', async () => {
  const winner = next(aZone({}, { name: 'winner', uid: 'w' }));
  const loser = next(aZone({ zoneName: 'EXAMPLE.org.' }, { name: 'loser', uid: 'l' }), {}, ready('Conflict'));
  zones.replace([winner, loser]);
  await taken(zoneQueue);
  zones.remove(next(winner));
  expect((await taken(zoneQueue)).sort()).toEqual(['default/loser', 'default/winner']);
});
