// The checks that run in parallel with the tests: a check that fails must fail the run, and every check must be in the
// closing line.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHECKS, type CheckResult, runChecks } from '../../../support/runner/checks.ts';
import ClosingLine from '../../../support/runner/reporter.ts';

const STRUCTURE = [{ moduleId: '/somewhere/test/unit/structure.test.ts' }];
const OTHER = [{ moduleId: '/somewhere/test/unit/dns/name.test.ts' }];
const GOOD: CheckResult = { title: 'the type check', complaint: '' };
const BAD: CheckResult = { title: 'the linter', complaint: 'a circle of imports' };

describe('the closing line of a run', () => {
  let before: typeof process.exitCode;
  beforeEach(() => {
    before = process.exitCode;
  });
  afterEach(() => {
    process.exitCode = before;
  });

  async function closing(files: typeof STRUCTURE, results: CheckResult[]) {
    let printed = '';
    const line = new ClosingLine(
      undefined,
      async () => results,
      (text) => {
        printed += text;
      },
      async () => undefined,
    );
    line.onTestRunStart(files);
    await line.onTestRunEnd([], []);
    const code = process.exitCode;
    process.exitCode = before;
    return { printed, code };
  }

  test('the closing line of a run counts each check that passes', async () => {
    expect(await closing(STRUCTURE, [GOOD, GOOD])).toEqual({ printed: '2 passed, 0 failed\n', code: before });
  });

  test('the closing line of a run counts a check that fails, prints its words, and fails the run', async () => {
    const printed =
      'FAIL the linter\na circle of imports\nfailed: the linter: a circle of imports\n1 passed, 1 failed\n';
    expect(await closing(STRUCTURE, [GOOD, BAD])).toEqual({ printed, code: 1 });
  });

  test('the closing line of a run has no checks when the run is about other files', async () => {
    expect(await closing(OTHER, [BAD])).toEqual({ printed: '0 passed, 0 failed\n', code: before });
  });
});

test('a check is the type check, the linter where a warning is an error, the prose, or the spelling', () => {
  expect(CHECKS.map(({ program, args }) => [program, args[0], args.at(-1)])).toEqual([
    ['tsc', '--noEmit', expect.stringMatching(/\.tsbuildinfo$/)],
    ['biome', 'ci', '.'],
    ['node', 'test/prose/main.ts', 'test/prose/main.ts'],
    ['cspell', 'lint', expect.stringMatching(/\.spelling$/)],
  ]);
  expect(CHECKS[1]?.args).toContain('--error-on-warnings');
});

test('a check gives the words of a program that refuses, and of one that does not start', async () => {
  const version = { title: 'version', program: 'tsc', args: ['--version'] };
  const refused = { title: 'refused', program: 'tsc', args: ['--no-such-option'] };
  const missing = { title: 'missing', program: 'no-such-program', args: [] };
  const results = await runChecks([version, refused, missing]);
  expect(results).toEqual([
    { title: 'version', complaint: '' },
    { title: 'refused', complaint: expect.stringContaining('no-such-option') },
    { title: 'missing', complaint: expect.stringContaining('ENOENT') },
  ]);
});
