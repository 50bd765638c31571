// Which keys a change in a cache puts into which queue.
import { beforeEach, describe, expect, it } from 'vitest';
import { createQueue, HIGH_PRIORITY, LOW_PRIORITY, type WorkQueue } from '../../../src/kube/queue.ts';
import { type KubeObject, keyOf } from '../../../src/kube/resource.ts';
import { type CacheStore, createStore } from '../../../src/kube/store.ts';
import { BY_ZONE, BY_ZONE_ABOVE, BY_ZONE_NAME } from '../../../src/operator/house.ts';
import { createSeal } from '../../../src/operator/record-birth.ts';
import { isChallenge } from '../../../src/operator/record-create.ts';
import { recordIndexes } from '../../../src/operator/record-indexes.ts';
import type { DNSRecord } from '../../../src/operator/resources/dnsrecord.ts';
import type { DNSZone } from '../../../src/operator/resources/dnszone.ts';
import { connectWakes } from '../../../src/operator/wakes.ts';
import { zoneNameIndex, zonesAboveIndex } from '../../../src/operator/zone-claims.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { aRecord, aZone } from '../../support/operator/build.ts';

const ZONE = 'default/example';
const log = createLogger({ name: 'test', level: 'silent' });

let zones: CacheStore<DNSZone>;
let records: CacheStore<DNSRecord>;
let namespaces: CacheStore<KubeObject>;
let zoneQueue: WorkQueue;
let recordQueue: WorkQueue;
let versions = 1;
let clock: FakeClock;

beforeEach(() => {
  clock = new FakeClock();
  zones = createStore<DNSZone>({ log, indexes: { [BY_ZONE_NAME]: zoneNameIndex, [BY_ZONE_ABOVE]: zonesAboveIndex } });
  records = createStore<DNSRecord>({ log, indexes: recordIndexes(createSeal('key')) });
  namespaces = createStore<KubeObject>({ log });
  zoneQueue = createQueue({ name: 'zones', clock });
  recordQueue = createQueue({
    name: 'records',
    clock,
    priorityOf: (key) =>
      records.byIndex(BY_ZONE, ZONE).some((each) => keyOf(each) === key && isChallenge(each)) ? HIGH_PRIORITY : 0,
  });
  connectWakes({ zones, records, namespaces, zoneQueue, recordQueue });
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

/** Takes all keys that wait, as worked. */
async function taken(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.stats().waiting > 0) {
    const item = await queue.get();
    keys.push(item?.key as string);
    queue.done(item?.key as string);
  }
  return keys;
}

const named = (name: string, spec: Record<string, unknown> = {}) => next(aRecord(spec, { name, uid: `uid-${name}` }));

describe('what was there at the start', () => {
  it('is looked at after what users change, but a challenge before', async () => {
    const challenge = named('challenge', { name: '_acme-challenge', type: 'TXT', content: 'token' });
    records.replace([named('a'), challenge]);
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
});

describe('a record', () => {
  beforeEach(async () => {
    records.replace([named('www')]);
    await taken(recordQueue);
  });
  const www = () => records.get('default/www') as DNSRecord;

  it.each([
    ['its spec changes', { generation: 2 }],
    ['it is deleted', { deletionTimestamp: '2026-11-21T10:00:00Z' }],
    ['it is annotated', { annotations: { look: 'again' } }],
  ])('is run when %s, with its failures forgotten', async (_what, metadata) => {
    recordQueue.addRateLimited('default/www');
    records.upsert(next(www(), metadata));
    expect(recordQueue.failures('default/www')).toBe(0);
    expect(await taken(recordQueue)).toEqual(['default/www']);
  });

  it('is not run by a write of its own status', async () => {
    records.upsert(next(www(), {}, { fqdn: 'www.example.org' }));
    expect(await taken(recordQueue)).toEqual([]);
  });

  it('is run when its zone gets what it waits for, and not when the zone only says something else', async () => {
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

  it('is run when the labels of its namespace may have changed', async () => {
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
  const ledger = (...ids: string[]) => ({ records: ids.map((id) => ({ id, content: id, priority: null })) });
  const www = () => records.get('default/www') as DNSRecord;
  beforeEach(async () => {
    zones.replace([next(aZone())]);
    records.replace([named('www')]);
    await taken(zoneQueue);
  });

  it('is looked at a moment later, once for all of them, so that its serial and their number are told', async () => {
    records.upsert(next(www(), {}, { observedGeneration: 1, ...ledger('rec_1') }));
    records.upsert(next(www(), {}, { observedGeneration: 2, ...ledger('rec_1', 'rec_2') }));
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

  it('is left alone while they only say something', async () => {
    records.upsert(next(www(), {}, { summary: '192.0.2.1', ...ready('AwaitingPropagation') }));
    await clock.advance(60_000);
    expect(await taken(zoneQueue)).toEqual([]);
  });
});

describe('an object in conflict', () => {
  const ledger = (...ids: string[]) => ({ records: ids.map((id) => ({ id, content: id, priority: null })) });

  it('is run when another record of its zone goes, or gives a value up', async () => {
    const winner = next(named('winner'), {}, ledger('rec_1', 'rec_2'));
    const loser = next(named('loser'), {}, ready('Conflict'));
    const waiting = next(named('waiting'), {}, ready('ZoneNotReady'));
    const elsewhere = next(named('elsewhere', { zoneRef: { name: 'other' } }), {}, ready('Conflict'));
    records.replace([winner, loser, waiting, elsewhere]);
    await taken(recordQueue);
    records.upsert(next(winner, {}, ledger('rec_1', 'rec_2', 'rec_3')));
    expect(await taken(recordQueue)).toEqual([]);
    records.upsert(next(winner, {}, ledger('rec_1', 'rec_2')));
    expect(await taken(recordQueue)).toEqual(['default/loser']);
    records.remove(next(winner));
    expect((await taken(recordQueue)).sort()).toEqual(['default/loser', 'default/winner']);
  });

  it('is run when another zone of its name goes, however that was spelt', async () => {
    const winner = next(aZone({}, { name: 'winner', uid: 'w' }));
    const loser = next(aZone({ zoneName: 'EXAMPLE.org.' }, { name: 'loser', uid: 'l' }), {}, ready('Conflict'));
    zones.replace([winner, loser]);
    await taken(zoneQueue);
    zones.remove(next(winner));
    expect((await taken(zoneQueue)).sort()).toEqual(['default/loser', 'default/winner']);
  });
});
