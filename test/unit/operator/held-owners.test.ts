// The times of the brake on mass deletion of records: its pauses, the first minute of a process, and the deletions that
// count.
import { beforeEach, expect, test } from 'vitest';
import { HeldOwners } from '#operator/record/held.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const PLACE = { zoneId: 'zone_1', zoneKey: 'default/example' };
const ZONES = () => ['zone_1', 'zone_2'];

let clock: FakeClock;
let held: HeldOwners;

beforeEach(() => {
  clock = new FakeClock();
  held = new HeldOwners(clock);
});

const put = (count: number) => {
  for (let n = 0; n < count; n += 1) held.put(`default/r${n}`, PLACE);
};
const remove = (from: number, to: number) => {
  for (let n = from; n < to; n += 1) held.gone(`default/r${n}`);
};
const release = (from: number, to: number, counts: boolean) => {
  for (let n = from; n < to; n += 1) {
    held.drop(`default/r${n}`, 'zone_1');
    held.released(`default/r${n}`, counts);
  }
};
const may = (n: number) => held.mayRelease(`default/r${n}`, ZONES);
/** A process that has worked for more than the first minutes. */
const start = async (count: number) => {
  put(count);
  for (const id of ZONES()) held.compared(id);
  await clock.advance(10 * 60_000);
};

test('after a start, no record is released before the owners of all zones were compared', () => {
  put(3);
  remove(0, 1);
  expect(may(0)).toBeTypeOf('number');
  held.compared('zone_1');
  expect(may(0)).toBeTypeOf('number');
  held.compared('zone_2');
  expect(may(0)).toBe(true);
});

test('after a start, a zone whose owners cannot be read delays releases for one minute', async () => {
  put(3);
  remove(0, 1);
  expect(may(0)).toBeTypeOf('number');
  await clock.advance(60_000);
  expect(may(0)).toBe(true);
});

test('after a start, records that an earlier process held do not count as deleted now', async () => {
  await start(100);
  for (let n = 0; n < 40; n += 1) held.stillHeld(`default/r${n}`);
  remove(40, 55);
  expect(may(0)).toBe(false);
  expect(may(40)).not.toBe(false);
});

test('deletions that arrive one after the other are decided together, after a pause', async () => {
  await start(40);
  remove(0, 21);
  remove(21, 22);
  expect(may(0)).toBe(false);
  held = new HeldOwners(clock);
  await start(100);
  remove(0, 21);
  expect(may(0)).toBeTypeOf('number');
  await clock.advance(200);
  remove(21, 25);
  await clock.advance(200);
  expect(may(0)).toBeTypeOf('number');
  remove(25, 60);
  expect(may(0)).toBe(false);
});

test('deletions that arrive one after the other are decided after two seconds, also if they do not end', async () => {
  await start(200);
  remove(0, 30);
  for (let n = 30; n < 49; n += 1) {
    await clock.advance(100);
    remove(n, n + 1);
    expect(may(0)).toBeTypeOf('number');
  }
  await clock.advance(100);
  remove(49, 50);
  expect(may(0)).toBe(true);
});

test('releases of the last minute count to a mass deletion', async () => {
  await start(100);
  release(0, 49, true);
  remove(49, 53);
  await clock.advance(3_000);
  expect(may(49)).toBe(false);
});

test.each([
  ['that an annotation permits', false, 3_000],
  ['that are older', true, 61_000],
])('releases of the last minute do not count: %s', async (_which, counts, waitMs) => {
  await start(100);
  release(0, 49, counts);
  await clock.advance(waitMs);
  remove(49, 53);
  await clock.advance(3_000);
  expect(may(49)).toBe(true);
});

test('in the ten minutes after a start, more than 5 % are held, and 20 are not', async () => {
  const begin = async (all: number, afterMs: number) => {
    held = new HeldOwners(clock);
    put(all);
    for (const id of ZONES()) held.compared(id);
    await clock.advance(afterMs);
  };
  await begin(400, 599_000);
  remove(0, 20);
  expect(may(0)).not.toBe(false);
  remove(20, 21);
  expect(may(0)).toBe(false);
  await begin(420, 599_000);
  remove(0, 21);
  expect(may(0)).not.toBe(false);
  await begin(400, 600_000);
  remove(0, 21);
  expect(may(0)).not.toBe(false);
});

test('a release that is held because etcd was restored stays held, and counts to no mass deletion', async () => {
  await start(30);
  for (let n = 0; n < 15; n += 1) held.holdRestored(`default/r${n}`);
  expect([held.isHeld('default/r0'), held.isHeldRestored('default/r0'), held.held]).toEqual([true, true, 15]);
  remove(20, 27);
  expect(may(20)).not.toBe(false);
  held.back('default/r0');
  expect([held.isHeld('default/r0'), held.isHeldRestored('default/r0'), held.held]).toEqual([false, false, 14]);
});
