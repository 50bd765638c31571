// The first minute of `npm run up`: the service is announced and usable while Kubernetes still starts, and stays when
// Kubernetes does not start at all. The Kubernetes programs are scripts here, as slow as a build.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { removePostgresState } from '../../../../deploy/local/parts/postgres.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;
const LIMIT = { timeout: 120_000, interval: 100 };
const state = await temporaryFolder('up');
const programs = join(state, 'programs');
let child: ChildProcess;
let output = '';
let ended: Promise<number | null>;

beforeAll(async () => {
  await chmod(state, 0o711);
  await mkdir(programs);
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) {
    // It ends, with words, when the test writes the file `over`.
    const script = `#!/bin/sh\nuntil [ -e '${state}/over' ]; do sleep 0.1; done\necho no space left >&2\nexit 3\n`;
    await writeFile(join(programs, name), script);
    await chmod(join(programs, name), 0o755);
  }
  const { KUBECONFIG: _other, ...env } = process.env;
  child = spawn(process.execPath, ['deploy/local/main.ts', '--state', state], {
    cwd: ROOT,
    env: { ...env, KUBEBUILDER_ASSETS: programs },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  ended = new Promise((resolve) => child.once('exit', resolve));
});
afterAll(async () => {
  if (child.exitCode === null) child.kill('SIGINT');
  await ended;
  await removePostgresState(state);
});

async function shell(script: string): Promise<{ code: number | null; out: string; tail: string }> {
  const args = ['-c', `. '${state}/env'; export PATH="${ROOT}node_modules/.bin:$PATH"; ${script}`];
  return runCommand({ command: 'bash', args, cwd: ROOT, timeoutMs: 120_000, signal: new AbortController().signal });
}

test('the service is announced before Kubernetes answers, with commands that work', { timeout: 300_000 }, async () => {
  await expect
    .poll(() => output, LIMIT)
    .toMatch(/^answers after [\d.]+ s: API http.*\n(?: .*\n|Kub.*\n)* {2}echo .*\n/m);
  const [, ...lines] = output.slice(output.indexOf('answers after')).split('\n');
  const commands = lines.filter((line) => line.startsWith('  '));
  expect(commands).toHaveLength(3);
  const [create = '', dig = '', echo = ''] = commands;
  expect((await shell(create)).tail).toContain('try.example');
  await expect.poll(async () => (await shell(dig)).out, LIMIT).toMatch(/try\.example\.\s+\d+\s+IN\s+RRSIG\s+SOA 13 2/);
  const { out: key } = await shell(echo);
  const url = /console (\S+)\./.exec(output)?.[1] ?? '';
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('API key')]);
  expect((await shell(`ZONESTEAD_API_KEY=${key} zonestead zones list`)).out).toContain('try.example');
  expect(output).not.toContain(key);
});

test('the program zonestead has the settings of the stack in another shell too', async () => {
  const zonestead = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const command = join(state, 'bin/zonestead');
    return runCommand({ command, args, env, timeoutMs: 120_000, signal: new AbortController().signal });
  };
  expect((await zonestead({}, 'zones', 'list')).out).toContain('try.example');
  // The key of the stack goes to no other service.
  const elsewhere = await zonestead({ ZONESTEAD_URL: 'http://127.0.0.1:9' }, 'zones', 'list');
  expect(elsewhere.code).not.toBe(0);
  expect(elsewhere.tail).toContain('ZONESTEAD_API_KEY');
  // A variable that is set has priority.
  const refused = await zonestead({ ZONESTEAD_API_KEY: 'yk_ffffffffffff_00' }, 'zones', 'list');
  expect(refused.code).not.toBe(0);
});

test('the environment of the stack never leads kubectl to another cluster', async () => {
  expect(await readFile(join(state, 'env'), 'utf8')).toContain(
    `export KUBECONFIG='${state}/controlplane/admin.kubeconfig'`,
  );
});

test('a failure of Kubernetes is reported, and the service stays until Ctrl-C', { timeout: 300_000 }, async () => {
  expect(output).not.toContain('failed');
  await writeFile(join(state, 'over'), '');
  await expect
    .poll(() => output, LIMIT)
    .toMatch(/^failed to start Kubernetes: .*ended \(code 3\)[\s\S]*no space left[\s\S]*Ctrl-C/m);
  expect(child.exitCode).toBe(null);
  expect((await shell('zonestead zones list')).out).toContain('try.example');
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(output).not.toMatch(/^ready/m);
});
