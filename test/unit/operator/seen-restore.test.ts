// The restore of etcd that a process saw: which sightings are one restore.
import { beforeEach, expect, test } from 'vitest';
import { SeenRestore } from '#operator/cluster/seen-restore.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

let clock: FakeClock;
let seen: SeenRestore;

beforeEach(() => {
  clock = new FakeClock();
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `restore-${ids}`;
  };
  seen = new SeenRestore(clock, newId);
});

test('several caches that see a restore within minutes see the same one, and the same cache sees another one', async () => {
  expect(seen.id()).toBeUndefined();
  seen.note('zones');
  await clock.advance(200_000);
  seen.note('records');
  expect(seen.id()).toBe('restore-1');
  seen.note('records');
  expect(seen.id()).toBe('restore-2');
  await clock.advance(300_000);
  seen.note('zones');
  expect(seen.id()).toBe('restore-3');
});

test('a replica that becomes the leader tells a restore of the last minutes, and no earlier one', async () => {
  seen.note('zones');
  await clock.advance(200_000);
  seen.begin();
  expect(seen.id()).toBe('restore-1');
  await clock.advance(100_000);
  seen.begin();
  expect(seen.id()).toBeUndefined();
});
