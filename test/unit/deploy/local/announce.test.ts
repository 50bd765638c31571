// The printer of progress: the commands to try stay on the screen while a build is in progress.
import { expect, test } from 'vitest';
import { progressPrinter } from '../../../../deploy/local/announce.ts';

test('the printer prints each line before the announcement, and a detail at most every 15 s after it', () => {
  const printed: string[] = [];
  let now = 0;
  const { progress, quiet } = progressPrinter(
    (line) => printed.push(line),
    () => now,
  );
  const build = () => {
    progress(`  compiling, ${now / 1_000} s`);
    now += 3_000;
  };
  build();
  build();
  quiet();
  for (let n = 0; n < 6; n += 1) build();
  progress('building another program');
  expect(printed).toEqual(['  compiling, 0 s', '  compiling, 3 s', '  compiling, 18 s', 'building another program']);
});
