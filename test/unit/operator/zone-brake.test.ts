// The zones of deleted DNSZones: deleted at the service, and kept when most objects are deleted at once.
import { describe, expect, test } from 'vitest';
import { isZoneHeld } from '#operator/zone/brake.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { Bench, DNS_ZONE } from '../../support/operator/bench.ts';

async function bench(zones: number): Promise<Bench> {
  const on = new Bench();
  for (let n = 0; n < zones; n += 1) on.cluster.create(DNS_ZONE, { name: `z${n}` }, { zoneName: `z${n}.example` });
  await settle(on);
  return on;
}

const settle = async (on: Bench) => {
  await on.settle();
  await on.clock.advance(3_000);
  await on.settle();
};
const removeFirst = (on: Bench, count: number) => {
  for (let n = 0; n < count; n += 1) on.cluster.remove(DNS_ZONE, `default/z${n}`);
};
const blocked = (on: Bench, name: string) =>
  on.cluster.zone(`default/${name}`)?.status?.conditions.find(({ type }) => type === 'DeletionBlocked');
const zonesThere = (on: Bench) => on.service.zones.size;

test.each([
  ['while the operator runs', false],
  ['while no operator runs', true],
])(
  'the deletion of many DNSZones %s keeps all zones if they are most of them, and names the annotation that deletes them',
  async (_when, isDown) => {
    const on = await bench(30);
    removeFirst(on, 25);
    if (isDown) on.restart();
    await settle(on);
    expect(zonesThere(on)).toBe(30);
    expect(blocked(on, 'z0')).toMatchObject({ status: 'True', reason: 'ManyDeleted' });
    expect(blocked(on, 'z0')?.message).toContain(`${RELEASE_MANY}=true`);
    expect(on.ready(on.cluster.zone('default/z0'))).toBe('False DeletionBlocked');
    expect(on.reasons()).toContain('default/z0 DeletionBlocked');
  },
);

test('the deletion of many DNSZones deletes the zones of the objects with the annotation, and only these, also when few are left', async () => {
  const on = await bench(30);
  removeFirst(on, 25);
  await settle(on);
  for (let n = 0; n < 10; n += 1) on.cluster.annotate(DNS_ZONE, `default/z${n}`, { [RELEASE_MANY]: 'true' });
  await settle(on);
  expect(zonesThere(on)).toBe(20);
  on.restart();
  await settle(on);
  expect(zonesThere(on)).toBe(20);
  expect(on.cluster.zone('default/z0')).toBeUndefined();
});

test.each([
  ['less than half of them', 30, 10],
  ['no more than 20', 20, 20],
])('the deletion of many DNSZones is not a mass deletion if they are %s', async (_what, zones, deleted) => {
  const on = await bench(zones);
  removeFirst(on, deleted);
  await settle(on);
  expect(zonesThere(on)).toBe(zones - deleted);
});

test('the deletion of many DNSZones that arrive one after the other counts them together', async () => {
  const on = await bench(30);
  for (let n = 0; n < 25; n += 1) {
    on.cluster.remove(DNS_ZONE, `default/z${n}`);
    await on.round();
  }
  await settle(on);
  expect(zonesThere(on)).toBe(30);
});

describe('the deletion of the CRD of DNSZones', () => {
  async function withoutCrd(): Promise<Bench> {
    const on = await bench(3);
    on.deletedKinds.add('DNSZone');
    removeFirst(on, 3);
    await settle(on);
    return on;
  }

  test('the deletion of the CRD of DNSZones keeps all zones, however few, and says how to release them', async () => {
    const on = await withoutCrd();
    on.restart();
    await settle(on);
    expect(zonesThere(on)).toBe(3);
    expect(blocked(on, 'z0')).toMatchObject({ status: 'True', reason: 'CRDDeleted' });
    expect(blocked(on, 'z0')?.message).toMatch(/annotate this object with .*=true.* spec\.deletionPolicy: Retain/);
    expect(on.cluster.zones().filter(isZoneHeld)).toHaveLength(3);
  });

  test('the deletion of the CRD of DNSZones deletes a zone with the annotation, and leaves one with deletionPolicy Retain without its object', async () => {
    const on = await withoutCrd();
    on.cluster.annotate(DNS_ZONE, 'default/z0', { [RELEASE_MANY]: 'true' });
    on.cluster.edit(DNS_ZONE, 'default/z1', { deletionPolicy: 'Retain' });
    await settle(on);
    expect(zonesThere(on)).toBe(2);
    expect(on.cluster.zones().map(({ metadata }) => metadata.name)).toEqual(['z2']);
  });
});
