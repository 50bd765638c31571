// The times of test files: the list of the dearest ones, and the rows of the table in test/README.md.
import { expect, test } from 'vitest';
import { summarizeTimes, sumSuites } from '../../../support/runner/file-times.ts';

const time = (cpu: number) => ({ tests: 2, cpu, wall: 2 * cpu });

test('a long run names its twenty dearest files, a short one none', () => {
  const times = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`unit/dns/f${i}.test.ts`, time(i)]));
  const lines = summarizeTimes(times).trimEnd().split('\n');
  expect(lines[0]).toBe('21 files, 210 s of processor time; the dearest:');
  expect(lines.slice(1, 3)).toEqual([
    '  20 s, 40 s wall: unit/dns/f20.test.ts',
    '  19 s, 38 s wall: unit/dns/f19.test.ts',
  ]);
  expect(lines).toHaveLength(21);
  expect(lines.join('\n')).not.toContain('f0.test.ts');
  const { 'unit/dns/f0.test.ts': _cheapest, ...few } = times;
  expect(summarizeTimes(few)).toBe('');
});

test('files are added up by the level and the folder below it', () => {
  const times = { 'e2e/up.test.ts': time(5), 'unit/dns/a.test.ts': time(1), 'unit/dns/message/b.test.ts': time(2) };
  expect(sumSuites(times)).toEqual([
    { suite: 'e2e', files: 1, tests: 2, cpu: 5, wall: 10 },
    { suite: 'unit/dns', files: 2, tests: 4, cpu: 3, wall: 6 },
    { suite: 'all', files: 3, tests: 6, cpu: 8, wall: 16 },
  ]);
});
