// The estimate of a build: right within 30 % where packages cost very different amounts of time.
import { expect, test } from 'vitest';
import { createEstimate, type GoPackage } from '../../../../deploy/local/parts/go-estimate.ts';

const plain = (name: string): GoPackage => ({ name, bytes: 10_000, dependencies: 0, imports: [] });

test('the first minute gives no estimate, and neither does a build without a compiled package', () => {
  const estimate = createEstimate([plain('a'), plain('b')]);
  expect(estimate.left(100)).toBe(undefined);
  expect(estimate.compiles('a')).toBe(true);
  expect(estimate.left(59)).toBe(undefined);
  expect(estimate.left(60)).toBe('about 60 s left');
});

test('a line that is not a package of the program counts for nothing', () => {
  const estimate = createEstimate([plain('a')]);
  expect(estimate.compiles('# a')).toBe(false);
  expect(estimate.left(100)).toBe(undefined);
});

test('a large package, and one with many below it, count for more than a small one', () => {
  const large = createEstimate([plain('a'), { ...plain('b'), bytes: 370_000 }]);
  const deep = createEstimate([plain('a'), { ...plain('b'), dependencies: 2_571 }]);
  for (const estimate of [large, deep]) {
    estimate.compiles('a');
    expect(estimate.left(100)).toBe('about 15 min left');
  }
});

test('the order of packages does not matter, because several are compiled at once', () => {
  const estimate = createEstimate(['a', 'b', 'c', 'd'].map(plain));
  estimate.compiles('d');
  expect(estimate.left(60)).toBe('about 3 min left');
});

test('imports that were never compiled are in the cache, and make the estimate an upper limit', () => {
  const c = { ...plain('c'), imports: ['b'] };
  const estimate = createEstimate([plain('a'), { ...plain('b'), imports: ['a'] }, c, plain('d')]);
  estimate.compiles('c');
  expect(estimate.left(60)).toBe('at most 60 s left');
});

test('the end has the linker left', () => {
  const estimate = createEstimate([plain('a')]);
  estimate.compiles('a');
  expect(estimate.left(1_000)).toBe('about 20 s left');
});
