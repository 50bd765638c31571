// The order of test files: a renamed file must not lose its place.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONG, rankFile } from '../../../support/runner/sequencer.ts';

const TEST = new URL('../../../', import.meta.url).pathname;

test('the order of files names files that exist', () => {
  expect(LONG.filter((name) => !existsSync(`${TEST}${name}.test.ts`))).toEqual([]);
});

test('the order of files begins with the longest file, and ends with those that are not named', () => {
  const paths = ['unit/dns/name', 'integration/chart/server', 'e2e/docs/local', 'e2e/node/chart'].map(
    (name) => `${TEST}${name}.test.ts`,
  );
  expect(paths.toSorted((a, b) => rankFile(a) - rankFile(b))).toEqual(paths.toReversed());
});
