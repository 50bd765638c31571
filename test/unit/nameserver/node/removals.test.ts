// Which zones a node removes because a list lacks them, and which stay.
import { expect, test } from 'vitest';
import {
  findRestoredEnd,
  type HeldRemovals,
  type MissingZones,
  planRemovals,
  SECOND_LIST_MS,
  type Unlisted,
} from '#nameserver/node/removals.ts';

const DAY_MS = 24 * 3_600_000;

const zones = (count: number) => Array.from({ length: count }, (_, at) => `z${at}`);
const plan = (change: Partial<MissingZones>, before: HeldRemovals | null = null, now = 0) => {
  const none = { unlisted: new Map<string, Unlisted>(), isNewEpoch: false, isAccepted: false, isAllowed: false };
  const { remove, keep, held } = planRemovals({ names: [], total: 100, ...none, ...change }, before, now);
  return { remove, keep: [...keep.keys()], unlisted: keep, held };
};
const missing = (count: number, total = 40) => ({ names: zones(count), total });
const first = plan(missing(30), null, 1_000);

test.each([
  ['few zones', 20, 20],
  ['less than half of the zones', 30, 100],
])('Removals by a list happen at once: %s', (_, count, total) => {
  expect(plan(missing(count, total))).toMatchObject({ remove: zones(count), keep: [], held: null });
});

test('Removals by a list wait if they concern most zones', () => {
  expect(first).toMatchObject({ remove: [], keep: zones(30), held: { missing: new Set(zones(30)), since: 1_000 } });
  expect(first.unlisted.get('z0')).toEqual({ reason: 'many', since: 1_000 });
});

test('Removals by a list still wait when the list comes again too early', () => {
  const second = plan(missing(30), first.held, 1_000 + SECOND_LIST_MS - 1);
  expect(second.remove).toEqual([]);
  expect(second.held?.since).toBe(1_000);
});

test('Removals by a list happen when the list comes again later, for the zones that both lacked', () => {
  const second = plan(missing(32), first.held, 1_000 + SECOND_LIST_MS);
  expect(second.remove).toEqual(zones(30));
  expect(second.keep).toEqual(['z30', 'z31']);
});

test('Removals by a list do not count a zone that a list in between had', () => {
  const between = plan(missing(25), first.held, 2_000);
  expect(plan(missing(30), between.held, 1_000 + SECOND_LIST_MS).remove).toEqual(zones(25));
});

test('Removals by a list happen at once if the settings allow them, also after a restore', () => {
  expect(plan({ ...missing(30), isAllowed: true }).remove).toEqual(zones(30));
  expect(plan({ ...missing(1), isAllowed: true, isNewEpoch: true }).remove).toEqual(zones(1));
});

test.each([1, 20, 30])('A list of another database removes none of %d missing zones', (count) => {
  const { remove, keep, unlisted, held } = plan({ ...missing(count), isNewEpoch: true }, null, 5_000);
  expect({ remove, keep, held }).toEqual({ remove: [], keep: zones(count), held: null });
  expect(unlisted.get('z0')).toEqual({ reason: 'restored', since: 5_000 });
});

const restored = (since: number) => new Map<string, Unlisted>([['z0', { reason: 'restored', since }]]);

test('A zone that another database lacks stays for 24 hours, over later lists of the same database', () => {
  const early = plan({ names: ['z0'], unlisted: restored(5_000) }, null, 5_000 + DAY_MS - 1);
  expect(early).toMatchObject({ remove: [], keep: ['z0'], unlisted: restored(5_000) });
  expect(plan({ names: ['z0'], unlisted: restored(5_000) }, null, 5_000 + DAY_MS).remove).toEqual(['z0']);
});

test('A zone that another database lacks keeps its time if the database is another one again', () => {
  const again = plan({ names: ['z0', 'z1'], unlisted: restored(5_000), isNewEpoch: true }, null, 9_000);
  expect(again.unlisted.get('z0')?.since).toBe(5_000);
  expect(again.unlisted.get('z1')?.since).toBe(9_000);
});

test('A zone that another database lacks goes when an administrator accepts that', () => {
  expect(plan({ names: ['z0'], unlisted: restored(0), isAccepted: true }).remove).toEqual(['z0']);
  expect(plan({ ...missing(30), isNewEpoch: true, isAccepted: true }).remove).toEqual(zones(30));
});

test('A zone that is missing in a later list of the same database goes at once, and the others stay', () => {
  expect(plan({ names: ['z0', 'z1'], unlisted: restored(0) })).toMatchObject({ remove: ['z1'], keep: ['z0'] });
});

test('An accepted database still cannot remove most zones by one list', () => {
  expect(plan({ ...missing(30), isAccepted: true })).toMatchObject({ remove: [], keep: zones(30) });
});

test('The time of held zones ends with that of the earliest one that another database lacks', () => {
  const unlisted: (Unlisted | null)[] = [null, { reason: 'many', since: 1 }];
  expect(findRestoredEnd(unlisted)).toBeNull();
  const since = [7, 3, 5].map((each): Unlisted => ({ reason: 'restored', since: each }));
  expect(findRestoredEnd([...unlisted, ...since])).toBe(3 + DAY_MS);
});
