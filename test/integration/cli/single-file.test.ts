// The command line as one file: built, installed as the page says, and completed in real shells.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommandLine } from '../../../deploy/cli/bundle.ts';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { PROJECT } from '../../support/docs/document.ts';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const key = await service.key();
await service.zone('completed.example', key);
const folder = await temporaryFolder('single-file');
const bin = join(folder, '.local/bin');
const env = {
  PATH: [bin, join(folder, 'npm/bin'), dirname(process.execPath), process.env.PATH].join(':'),
  HOME: folder,
  LANG: 'C.UTF-8',
  TERM: 'xterm',
  npm_config_prefix: join(folder, 'npm'),
  ZONESTEAD_URL: service.url,
  ZONESTEAD_API_KEY: key.text,
};

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const ended = promisify(execFile)(join(bin, 'zonestead'), words, { env, cwd: '/', timeout: 100_000 });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

/**
 * The lines after a press of the tabulator key at the end of each, in one real shell at a real terminal: Ctrl-A puts
 * `echo` before a completed line, so that the shell writes it to a file.
 */
async function completed(shell: string, load: string, lines: readonly string[]): Promise<string[]> {
  const file = `${shell.split(' ')[0]}.txt`;
  const keys = lines.map((line) => `${line}\t >> ${file}\u0001echo \n`);
  const running = promisify(execFile)('script', ['-qec', shell, '/dev/null'], { env, cwd: folder, timeout: 150_000 });
  running.child.stdin?.end([`${load}\n`, ...keys, 'exit\n'].join(''));
  const { stdout } = await running;
  const written = await readFile(join(folder, file), 'utf8').catch(() => stdout);
  return written
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}

const shells = { checkout: openShell({ cwd: PROJECT, env }), elsewhere: openShell({ cwd: folder, env }) };
const steps = await scenario('command line installed');
beforeAll(async () => {
  await ensureTools(
    [
      { command: 'zsh', package: 'zsh' },
      { command: 'fish', package: 'fish' },
    ],
    { progress: () => undefined, signal: AbortSignal.timeout(600_000) },
  );
  for (const step of steps.filter(({ section }) => section === 'Install'))
    await follow(step, { shell: shells.checkout });
}, 700_000);
afterAll(() => Promise.all(Object.values(shells).map((shell) => shell.close())));

test('the installed file runs without the checkout, and has the commands for people', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
  expect((await run('zones', 'list')).out).toMatch(/^completed\.example /m);
  expect((await run('admin', 'keys', 'list')).err).toContain('DATABASE_URL is missing');
  expect((await run('crds')).out).toContain('kind: CustomResourceDefinition');
  const api = await run('api');
  expect([api.code, api.err]).toEqual([1, expect.stringContaining('Run it in the image of Zonestead')]);
});

test('the installed file is the same file if it is built again, with the license of each package', async () => {
  const { file } = await buildCommandLine(join(folder, 'again'));
  expect(await readFile(file)).toEqual(await readFile(join(bin, 'zonestead')));
  expect(await readFile(join(folder, 'again/LICENSES-OF-PACKAGES.txt'), 'utf8')).toMatch(
    /^undici [\d.]+\n\nMIT License/m,
  );
});

test('the page changes records, compares a zone file, and shows the history', async () => {
  const others = steps.filter(({ section }) => section !== 'Install');
  expect(others.length).toBeGreaterThan(8);
  for (const step of others) await follow(step, { shell: shells.elsewhere });
});

test.each([
  ['bash', 'bash --norc --noprofile -i', 'source <(zonestead completion bash)'],
  ['zsh', 'zsh -f -i', 'autoload -U compinit; compinit -u -D; source <(zonestead completion zsh)'],
  ['fish', 'fish -i --no-config', 'zonestead completion fish | source'],
])('%s completes commands, options, choices, zones and files', async (_name, command, load) => {
  await writeFile(join(folder, 'my-secondaries.json'), '[]');
  const cases = [
    ['zonestead zones unp', 'zonestead zones unpark'],
    ['zonestead zones list --out', 'zonestead zones list --output'],
    ['zonestead zones list -o js', 'zonestead zones list -o json'],
    ['zonestead zones get comp', 'zonestead zones get completed.example'],
    ['zonestead admin secondaries apply my-', 'zonestead admin secondaries apply my-secondaries.json'],
  ];
  const lines = cases.map(([line = '']) => line);
  expect(await completed(command, load, lines)).toEqual(cases.map(([, whole]) => whole));
});
