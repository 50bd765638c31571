// The result of .ci/run for outcomes of `npm test` and of the foreign record contents, both replaced by stubs.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const SCRIPT = new URL('../../../.ci/run', import.meta.url).pathname;
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface Stubs {
  /** The output of `npm test`. */
  readonly npm: string;
  /** The output of `npm test -- --rest`. */
  readonly rest?: string;
  /** The output of the tests of name servers with the other version of Knot DNS. */
  readonly other?: string;
  /** (Default: 0.) */
  readonly npmCode?: number;
  /** The output of .ci/vectors; null when there is no file of record contents. */
  readonly vectors: string | null;
}

const AGREE = '837 agree, 0 disagree';

/** The last line and the exit code of .ci/run. */
async function runCi({
  npm,
  npmCode = 0,
  rest = '0 passed, 0 failed',
  other = '0 passed, 0 failed',
  vectors,
}: Stubs): Promise<{ last: string; all: string; code: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-ci-'));
  folders.push(folder);
  const checkout = join(folder, 'checkout');
  const script = async (path: string, text: string, code: number) => {
    const lines = [
      '#!/bin/sh',
      "cat <<'END'",
      text,
      'END',
      'echo "CI is $CI, effort $TEST_EFFORT" >&2',
      `exit ${code}`,
      '',
    ];
    await writeFile(path, lines.join('\n'));
    await chmod(path, 0o755);
  };
  for (const each of ['checkout/.ci', 'bin', 'shared/vectors']) await mkdir(join(folder, each), { recursive: true });
  await copyFile(SCRIPT, join(checkout, '.ci/run'));
  await script(join(folder, 'bin/first'), npm, npmCode);
  await script(join(folder, 'bin/rest'), rest, 0);
  await script(join(folder, 'bin/other'), other, 0);
  const names = '"test -- --project integration test/integration/nameserver"';
  const which = `#!/bin/sh
case "$KNOT_VERSION $*" in " test") exec first ;; " test -- --rest") exec rest ;; "3.4 "${names}) exec other ;; *) exit 9 ;; esac
`;
  await writeFile(join(folder, 'bin/npm'), which);
  await chmod(join(folder, 'bin/npm'), 0o755);
  await script(join(checkout, '.ci/vectors'), vectors ?? '', 0);
  if (vectors !== null) await writeFile(join(folder, 'shared/vectors/foreign.json'), '[]');
  const { CI: _ours, KNOT_VERSION: _version, ...env } = process.env;
  return new Promise((resolve) => {
    const options = {
      env: { ...env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` },
      timeout: 60_000,
    };
    execFile(join(checkout, '.ci/run'), options, (error, all) => {
      resolve({ last: all.trimEnd().split('\n').at(-1) ?? '', all, code: error === null ? 0 : Number(error.code) });
    });
  });
}

test('.ci/run passes when all tests passed and all record contents agree, and adds both up', async () => {
  const { last, code } = await runCi({ npm: 'noise\n10 passed, 0 failed', vectors: AGREE });
  expect([last, code]).toEqual(['847 passed, 0 failed', 0]);
});

test('.ci/run has the tests on real pods run, and random tests try all cases: CI and TEST_EFFORT are set for the tests', async () => {
  expect((await runCi({ npm: '10 passed, 0 failed', vectors: AGREE })).all).toContain('CI is true, effort full');
});

test('.ci/run runs the lanes that npm test omits, and adds them up', async () => {
  const stubs = { npm: '10 passed, 0 failed', rest: 'noise\n5 passed, 0 failed', vectors: AGREE };
  const { last, code } = await runCi(stubs);
  expect([last, code]).toEqual(['852 passed, 0 failed', 0]);
});

test('.ci/run repeats the tests of name servers with the other version of Knot DNS, and adds them up', async () => {
  const stubs = { npm: '10 passed, 0 failed', other: 'noise\n7 passed, 0 failed', vectors: AGREE };
  const { last, code } = await runCi(stubs);
  expect([last, code]).toEqual(['854 passed, 0 failed', 0]);
});

test('.ci/run names every test that failed or was skipped right before its last line', async () => {
  const stubs = {
    npm: 'failed: a.test.ts > adds: expected 1 to be 2\nnoise\n9 passed, 1 failed',
    other: 'skipped: b.test.ts > answers\n6 passed, 0 failed, 1 skipped',
    vectors: AGREE,
  };
  const { all } = await runCi(stubs);
  expect(all.trimEnd().split('\n').slice(-3)).toEqual([
    'failed: a.test.ts > adds: expected 1 to be 2',
    'skipped: b.test.ts > answers',
    '852 passed, 2 failed',
  ]);
});

test.each<[string, Stubs, string]>([
  [
    'a test fails with the other version of Knot DNS',
    { npm: '10 passed, 0 failed', other: '6 passed, 1 failed', vectors: AGREE },
    '853 passed, 1 failed',
  ],
  ['a test failed', { npm: '9 passed, 1 failed', npmCode: 1, vectors: AGREE }, '846 passed, 1 failed'],
  ['tests were skipped', { npm: '8 passed, 0 failed, 2 skipped', vectors: AGREE }, '845 passed, 2 failed'],
  [
    'a test failed and one was skipped',
    { npm: '8 passed, 1 failed, 1 skipped', npmCode: 1, vectors: AGREE },
    '845 passed, 2 failed',
  ],
  [
    'a test of another lane failed',
    { npm: '10 passed, 0 failed', rest: '4 passed, 1 failed', vectors: AGREE },
    '851 passed, 1 failed',
  ],
  [
    'the other lanes print no closing line',
    { npm: '10 passed, 0 failed', rest: 'killed', vectors: AGREE },
    '847 passed, 1 failed',
  ],
  ['npm test prints no closing line', { npm: 'out of memory', npmCode: 137, vectors: AGREE }, '837 passed, 1 failed'],
  [
    'npm test ends with a code of its own',
    { npm: '10 passed, 0 failed', npmCode: 2, vectors: AGREE },
    '847 passed, 1 failed',
  ],
  [
    'a record content disagrees',
    { npm: '10 passed, 0 failed', vectors: '836 agree, 1 disagree' },
    '846 passed, 1 failed',
  ],
  [
    'the record contents end early',
    { npm: '10 passed, 0 failed', vectors: 'did not become ready' },
    '10 passed, 1 failed',
  ],
  ['the record contents are missing', { npm: '10 passed, 0 failed', vectors: null }, '10 passed, 1 failed'],
])('.ci/run fails when %s', async (_title, stubs, closing) => {
  const { last, code } = await runCi(stubs);
  expect([last, code]).toEqual([closing, 1]);
});
