// The records of deleted DNSRecords: released at once, found when no operator saw the deletion, and kept when too many
// are gone.
import { describe, expect, test } from 'vitest';
import { isMassDeletion } from '#base/mass-deletion.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { EXISTING_ZONES, RELEASE_MANY } from '#resources/names.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const record = (on: Bench, name: string, spec: object = {}) =>
  on.cluster.create(
    DNS_RECORD,
    { name },
    { zoneRef: { name: 'example' }, name, type: 'A', content: '192.0.2.1', ...spec },
  );

async function bench(records: number): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  for (let n = 0; n < records; n += 1) record(on, `host${n}`);
  await on.settle();
  on.events.length = 0;
  return on;
}

const removeFirst = (on: Bench, count: number) => {
  for (let n = 0; n < count; n += 1) on.cluster.remove(DNS_RECORD, `default/host${n}`);
};
/** Many deletions wait a moment for others. */
const settle = async (on: Bench) => {
  await on.settle();
  await on.clock.advance(3_000);
  await on.settle();
};
const held = (on: Bench) =>
  on.cluster.zone(ZONE)?.status?.conditions.find(({ type }) => type === 'DeletionsHeld')?.status;

test('a DNSRecord that is deleted while no operator runs is found when the next one starts, and its records are released', async () => {
  const on = await bench(3);
  removeFirst(on, 1);
  on.restart();
  await on.settle();
  expect(on.service.ids()).toHaveLength(2);
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord that is deleted while no operator runs and created again for another zone, leaves nothing in the first one', async () => {
  const on = await bench(3);
  on.cluster.create(DNS_ZONE, { name: 'other' }, { zoneName: 'other.example' });
  removeFirst(on, 1);
  record(on, 'host0', { zoneRef: { name: 'other' } });
  on.restart();
  await on.settle();
  expect(on.service.lines()).toContain('other.example host0 A 192.0.2.1 3600');
  expect(on.service.ids()).toHaveLength(3);
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord that is deleted while no operator runs keeps its records with deletionPolicy Retain, and they then block the deletion of the zone', async () => {
  const on = await bench(0);
  record(on, 'kept', { deletionPolicy: 'Retain' });
  await on.settle();
  on.cluster.remove(DNS_RECORD, 'default/kept');
  on.restart();
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org kept A 192.0.2.1 3600']);
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(on.ready(on.cluster.zone(ZONE))).toBe('False DeletionBlocked');
});

test('a DNSRecord that is deleted while no operator runs keeps them also when its zone is deleted together with it, before its owner is released', async () => {
  const on = await bench(0);
  record(on, 'kept', { deletionPolicy: 'Retain' });
  await on.settle();
  on.cluster.remove(DNS_RECORD, 'default/kept');
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org kept A 192.0.2.1 3600']);
  expect(on.ready(on.cluster.zone(ZONE))).toBe('False DeletionBlocked');
  expect(on.message(on.cluster.zone(ZONE))).toContain('kept A');
});

test('a start sends no write for records that the service has as they should be', async () => {
  const on = await bench(30);
  const { version } = on.cluster;
  on.restart();
  await on.round();
  expect(on.faults.calls.filter((call) => /^(api apply|kube status|kube patch)/.test(call))).toEqual([]);
  expect(on.cluster.version).toBe(version);
});

test('a start applies a record whose value another client changed meanwhile', async () => {
  const on = await bench(3);
  const [id = ''] = on.idsOf('default/host1');
  on.service.tamper(on.cluster.zone(ZONE)?.status?.zoneId as string, id, { content: '192.0.2.66' });
  on.restart();
  await on.settle();
  expect(audit(on)).toEqual([]);
});

describe('a DNSZone that is restored from a backup before its DNSRecords', () => {
  async function restored(): Promise<Bench> {
    const on = await bench(5);
    on.cluster.strip(DNS_ZONE, ZONE);
    on.cluster.remove(DNS_ZONE, ZONE);
    for (let n = 0; n < 5; n += 1) on.cluster.remove(DNS_RECORD, `default/host${n}`);
    on.restart();
    const labels = { [EXISTING_ZONES]: 'allow' };
    on.cluster.create(NAMESPACE, { namespace: '', name: 'default', labels }, {});
    on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', adopt: 'IfIdentical' });
    await settle(on);
    return on;
  }

  test('a DNSZone that is restored from a backup before its DNSRecords keeps their records in DNS', async () => {
    const on = await restored();
    expect(on.service.ids()).toHaveLength(5);
    const before = on.service.ids();
    for (let n = 0; n < 5; n += 1) record(on, `host${n}`);
    await settle(on);
    expect(on.service.ids()).toEqual(before);
    expect(audit(on)).toEqual([]);
  });

  test('a DNSZone that is restored from a backup before its DNSRecords releases those of DNSRecords that did not return with the next check', async () => {
    const on = await restored();
    for (let n = 0; n < 3; n += 1) record(on, `host${n}`);
    await on.clock.advance(11 * 60_000);
    await settle(on);
    expect(on.service.ids()).toHaveLength(3);
    expect(audit(on)).toEqual([]);
  });
});

test.each([
  [40, 20, false],
  [40, 21, true],
  [20, 20, false],
  [21, 21, true],
  [100, 50, false],
  [100, 51, true],
])('the brake on mass deletion with %i owners stops %i releases: %s', (all, deletions, expected) => {
  expect(isMassDeletion({ all, deletions })).toBe(expected);
});

test.each([
  ['while the operator runs', false],
  ['while no operator runs', true],
])(
  'the brake on mass deletion keeps all records when most objects are gone %s, says so, and forgets it when they return',
  async (_when, isDown) => {
    const on = await bench(40);
    removeFirst(on, 30);
    if (isDown) on.restart();
    await on.settle();
    expect(on.service.ids()).toHaveLength(40);
    expect(held(on)).toBe('True');
    expect(on.reasons()).toContain(`${ZONE} DeletionsHeld`);
    expect(on.ready(on.cluster.zone(ZONE))).toBe('True Ready');
    for (let n = 0; n < 30; n += 1) record(on, `host${n}`);
    await on.settle();
    expect(held(on)).toBe('False');
    expect(audit(on)).toEqual([]);
    on.cluster.remove(DNS_RECORD, 'default/host0');
    await settle(on);
    expect(on.service.ids()).toHaveLength(39);
  },
);

test('the brake on mass deletion counts deletions together that arrive one after the other', async () => {
  const on = await bench(30);
  for (let n = 0; n < 25; n += 1) {
    on.cluster.remove(DNS_RECORD, `default/host${n}`);
    await on.round();
  }
  await settle(on);
  expect(on.service.ids()).toHaveLength(30);
  expect(held(on)).toBe('True');
});

test('the brake on mass deletion keeps the records of objects that vanish with their CRD, however few, until they return', async () => {
  const on = await bench(3);
  on.deletedKinds.add('DNSRecord');
  removeFirst(on, 3);
  await settle(on);
  expect([on.service.ids().length, held(on), on.held.held]).toEqual([3, 'True', 3]);
  expect(on.message(on.cluster.zone(ZONE), 'DeletionsHeld')).toMatch(
    /their CRD, were deleted\. The records of 3 of them/,
  );
  on.deletedKinds.clear();
  for (let n = 0; n < 3; n += 1) record(on, `host${n}`);
  await settle(on);
  expect([held(on), on.held.held, audit(on)]).toEqual(['False', 0, []]);
  removeFirst(on, 1);
  await settle(on);
  expect(on.service.ids()).toHaveLength(2);
});

test('the brake on mass deletion lets go of the records of a deleted CRD with an annotation of the DNSZone', async () => {
  const on = await bench(3);
  on.deletedKinds.add('DNSRecord');
  removeFirst(on, 3);
  await settle(on);
  on.cluster.annotate(DNS_ZONE, ZONE, { [RELEASE_MANY]: 'true' });
  await settle(on);
  expect([on.service.ids(), held(on)]).toEqual([[], 'False']);
});

test('the brake on mass deletion lets go with an annotation of the DNSZone', async () => {
  const on = await bench(40);
  removeFirst(on, 40);
  await on.settle();
  expect(on.service.ids()).toHaveLength(40);
  on.cluster.annotate(DNS_ZONE, ZONE, { [RELEASE_MANY]: 'true' });
  await on.settle();
  expect(on.service.ids()).toEqual([]);
  expect(held(on)).toBe('False');
});

test('the brake on mass deletion is not for half of the objects, nor for a zone that is deleted with them', async () => {
  const on = await bench(60);
  // Soon after a start, fewer deletions are many.
  await on.clock.advance(600_000);
  removeFirst(on, 30);
  await settle(on);
  expect(on.service.ids()).toHaveLength(30);
  await on.clock.advance(61_000);
  for (let n = 30; n < 60; n += 1) on.cluster.remove(DNS_RECORD, `default/host${n}`);
  on.cluster.remove(DNS_ZONE, ZONE);
  await settle(on);
  expect(on.service.zones.size).toBe(0);
  expect(on.reasons().filter((reason) => reason.endsWith('DeletionsHeld'))).toEqual([]);
});

test('the brake on mass deletion keeps only the deletions of that minute: a later one is released', async () => {
  const on = await bench(40);
  removeFirst(on, 30);
  await settle(on);
  on.cluster.remove(DNS_RECORD, 'default/host30');
  await settle(on);
  expect(on.service.ids()).toHaveLength(40);
  await on.clock.advance(61_000);
  on.cluster.remove(DNS_RECORD, 'default/host31');
  await settle(on);
  expect(on.service.ids()).toHaveLength(39);
  expect([held(on), on.held.held]).toEqual(['True', 31]);
});

test('the brake on mass deletion is not released by a restart, although there are many other objects by then', async () => {
  const on = await bench(40);
  removeFirst(on, 30);
  await settle(on);
  for (let n = 100; n < 180; n += 1) record(on, `host${n}`);
  await settle(on);
  on.restart();
  await settle(on);
  expect(on.service.ids()).toHaveLength(120);
  expect([held(on), on.held.held]).toEqual(['True', 30]);
});

test('the brake on mass deletion ends with the deletion of the zone, or when a user releases the owners at the service', async () => {
  const on = await bench(40);
  removeFirst(on, 30);
  await settle(on);
  const [stored] = on.service.zones.values();
  const owners = Array.from({ length: 29 }, (_, n) => `k8s:cluster-1/default/host${n}`);
  const sets = owners.map((owner) => ({ owner, release: true }));
  if (stored) on.service.owners.apply(stored, sets);
  await on.clock.advance(11 * 60_000);
  await settle(on);
  expect(on.held.held).toBe(1);
  on.cluster.remove(DNS_ZONE, ZONE);
  await settle(on);
  expect([on.service.zones.size, on.held.held]).toEqual([0, 0]);
});

test('the brake on mass deletion counts the releases of a whole minute', async () => {
  const on = await bench(60);
  await on.clock.advance(600_000);
  removeFirst(on, 30);
  await settle(on);
  for (let n = 30; n < 36; n += 1) on.cluster.remove(DNS_RECORD, `default/host${n}`);
  await settle(on);
  expect(held(on)).toBe('True');
  expect(on.service.ids()).toHaveLength(30);
});

test.each([
  ['while it has the name', true],
  ['until the service has answered a heartbeat', undefined],
])(
  'another cluster with the same name loses nothing %s: no record is released and no zone deleted',
  async (_when, isTaken) => {
    const on = await bench(3);
    on.cluster.create(DNS_ZONE, { name: 'gone' }, { zoneName: 'gone.example' });
    await settle(on);
    on.isNameTaken = isTaken;
    on.restart();
    removeFirst(on, 3);
    on.cluster.create(DNS_ZONE, { name: 'other' }, { zoneName: 'other.example' });
    on.cluster.remove(DNS_ZONE, 'default/gone');
    await settle(on);
    expect(on.service.ids()).toHaveLength(3);
    expect(on.service.zones.size).toBe(isTaken ? 2 : 3);
    expect(on.ready(on.cluster.zone('default/other'))).toBe(isTaken ? 'False ClusterNameTaken' : 'True Ready');
    if (isTaken) expect(on.ready(on.cluster.zone('default/gone'))).toBe('False ClusterNameTaken');
    on.isNameTaken = false;
    await settle(on);
    expect(on.service.ids()).toEqual([]);
    expect(on.cluster.zone('default/gone')).toBeUndefined();
    expect(on.ready(on.cluster.zone('default/other'))).toBe('True Ready');
  },
);

test('another cluster with the same name keeps the turn of its new zones: an older one of another namespace is not overtaken', async () => {
  const on = await bench(1);
  on.isNameTaken = true;
  for (const namespace of ['old', 'young']) {
    on.cluster.create(DNS_ZONE, { namespace, name: 'claim' }, { zoneName: 'claimed.example' });
    await settle(on);
  }
  expect(on.ready(on.cluster.zone('old/claim'))).toBe('False ClusterNameTaken');
  expect(on.ready(on.cluster.zone('young/claim'))).toBe('False Conflict');
  on.isNameTaken = false;
  // The younger one is looked at first.
  await on.run('zone', 'young/claim');
  expect(on.ready(on.cluster.zone('young/claim'))).toBe('False Conflict');
  expect((await on.run('zone', 'old/claim')).error).toBeNull();
  await settle(on);
  expect(on.ready(on.cluster.zone('old/claim'))).toBe('True Ready');
});

test('another cluster with the same name looks again at a zone after some seconds', async () => {
  const on = await bench(1);
  on.isNameTaken = true;
  on.cluster.create(DNS_ZONE, { name: 'other' }, { zoneName: 'other.example' });
  const { result } = await on.run('zone', 'default/other');
  expect(result?.requeueAfterMs).toBe(10_000);
});

test('another cluster with the same name loses no value to an object of the same name', async () => {
  const on = await bench(1);
  on.isNameTaken = true;
  on.cluster.edit(DNS_RECORD, 'default/host0', { content: '192.0.2.9' });
  await settle(on);
  expect(on.service.lines()).toEqual(['example.org host0 A 192.0.2.1 3600']);
  expect(on.ready(on.cluster.record('default/host0'))).toBe('False ZoneNotReady');
  on.isNameTaken = false;
  await settle(on);
  expect(audit(on)).toEqual([]);
});
