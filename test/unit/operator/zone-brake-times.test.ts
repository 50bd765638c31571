// The deletions of zones that count together, and the pauses before the decision.
import { beforeEach, expect, test } from 'vitest';
import { ZoneBrake } from '#operator/zone/brake.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

let clock: FakeClock;
let brake: ZoneBrake;
let zones: DNSZone[];

beforeEach(() => {
  clock = new FakeClock();
  brake = new ZoneBrake(clock);
});

const have = (count: number, spec: object = {}) => {
  zones = Array.from(
    { length: count },
    (_, n) =>
      ({ metadata: { name: `z${n}` }, spec, status: { zoneId: `zone_${n}`, origin: 'Created' } }) as unknown as DNSZone,
  );
};
/** @param atMs the time of the deletions as Kubernetes states it */
const remove = (from: number, to: number, { atMs = 0, annotations = {} } = {}) => {
  zones = zones.map((zone, n) => {
    if (n < from || n >= to) return zone;
    const deletionTimestamp = new Date(Date.UTC(2026, 0, 1) + atMs).toISOString();
    return { ...zone, metadata: { ...zone.metadata, deletionTimestamp, annotations } };
  });
};
const may = (n: number, isStarting = false) => brake.mayDelete(zones[n] as DNSZone, zones, isStarting);
/** The operator deletes them at the service. */
const finish = (from: number, to: number) => {
  for (const zone of zones.splice(from, to - from)) brake.deleted(zone);
};

test('deletions of zones count together with those that were carried out in the same minute', async () => {
  have(30);
  remove(0, 20);
  expect(may(0)).toBeTypeOf('number');
  await clock.advance(2_000);
  expect(may(0)).toBe(true);
  finish(0, 20);
  remove(0, 5, { atMs: 30_000 });
  expect(may(0)).toBe(false);
});

test('deletions of zones do not count together with those that an annotation permitted', () => {
  have(40);
  remove(0, 22, { annotations: { [RELEASE_MANY]: 'true' } });
  expect(may(0)).toBe(true);
  finish(0, 22);
  remove(0, 3);
  expect(may(0)).toBe(true);
});

test('deletions of zones do not count together with those of other minutes, which may wait for something else', async () => {
  have(60);
  remove(0, 35);
  expect(may(0)).toBe(false);
  remove(35, 36, { atMs: 120_000 });
  expect(may(35)).toBeTypeOf('number');
  await clock.advance(2_000);
  expect(may(35)).toBe(true);
});

test('deletions of zones do not count together with those of zones that stay at the service', () => {
  have(30, { deletionPolicy: 'Retain' });
  zones = zones.map((zone, n) => (n < 5 ? { ...zone, spec: { ...zone.spec, deletionPolicy: 'Delete' } } : zone));
  remove(0, 30);
  expect(may(0)).toBe(true);
});

test('the decision waits for no others if there are few zones', () => {
  have(20);
  remove(0, 1);
  expect(may(0)).toBe(true);
});

test('the decision comes after ten seconds, also if the deletions do not end', async () => {
  have(60);
  for (let n = 0; n < 7; n += 1) {
    remove(n, n + 1);
    expect(may(0)).toBeTypeOf('number');
    await clock.advance(1_500);
  }
  remove(7, 8);
  expect(may(0)).toBe(true);
});

test('soon after a start, more than 5 % of all zones are held, and 20 of them are not', async () => {
  have(400);
  remove(0, 20);
  expect(may(0, true)).not.toBe(false);
  remove(0, 21);
  expect(may(0, true)).toBe(false);
  expect(may(0, false)).not.toBe(false);
  have(420);
  remove(0, 21);
  expect(may(0, true)).not.toBe(false);
});
