// The zones for which a node waits after a start of its name server.
import { expect, test } from 'vitest';
import { LoadingZones } from '#nameserver/node/loading.ts';

const names = (...all: string[]) => new Set(all);

test('the wait counts from the start of the name server, and its progress from the latest zone that was loaded', () => {
  const loading = new LoadingZones(0);
  loading.note(names('a', 'b'), 'first', 1_000);
  loading.note(names('a', 'b'), 'first', 2_000);
  expect([loading.loadingMs(3_000), loading.stalledMs(3_000)]).toEqual([2_000, 2_000]);
  loading.note(names('b'), 'first', 4_000);
  expect([loading.loadingMs(5_000), loading.stalledMs(5_000)]).toEqual([4_000, 1_000]);
  expect([...loading.waited]).toEqual(['b']);
});

test('another run of the name server begins the wait again', () => {
  const loading = new LoadingZones(0);
  loading.note(names('a'), 'first', 0);
  loading.note(names('a', 'b'), 'second', 9_000);
  expect([loading.loadingMs(9_000), loading.stalledMs(9_000)]).toEqual([0, 0]);
  loading.note(names(), 'second', 10_000);
  loading.note(names('c'), 'second', 60_000);
  expect(loading.loadingMs(60_000)).toBe(0);
});

test('a zone that the name server does not load is waited for until the next list lacks its serial too', () => {
  const loading = new LoadingZones(0);
  loading.note(names('a', 'b'), 'first', 0);
  loading.noteIdle('a');
  expect([...loading.waited]).toEqual(['a', 'b']);
  loading.note(names('a', 'b'), 'first', 500);
  expect([[...loading.waited], [...loading.failed]]).toEqual([['b'], ['a']]);
  expect([loading.has('a'), loading.has('b'), loading.has('c')]).toEqual([true, true, false]);
});

test('a failed zone is forgotten when it has a serial, and waited for after another start', () => {
  const loading = new LoadingZones(0);
  loading.note(names('a'), 'first', 0);
  loading.noteIdle('a');
  loading.note(names('a'), 'first', 500);
  loading.note(names('a'), 'second', 1_000);
  expect([[...loading.waited], [...loading.failed]]).toEqual([['a'], []]);
  loading.noteIdle('a');
  loading.note(names('b'), 'second', 1_500);
  loading.note(names('a', 'b'), 'second', 2_000);
  expect([[...loading.waited], [...loading.failed]]).toEqual([['a', 'b'], []]);
});
