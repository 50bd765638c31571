// Finding and running programs, installing what is missing, and what the compiler's output is turned into.
import { existsSync } from 'node:fs';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAccount } from '../../../../deploy/local/parts/account.ts';
import { missingPackages, withoutServices } from '../../../../deploy/local/parts/apt.ts';
import { findCommand, runCommand } from '../../../../deploy/local/parts/commands.ts';
import { compileCounter, countRequired, downloadCounter } from '../../../../deploy/local/parts/go-build.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('commands');
const signal = AbortSignal.timeout(280_000);
const node = (program: string, more = {}) =>
  runCommand({ command: process.execPath, args: ['-e', program], timeoutMs: 100_000, signal, ...more });

test('finding a command looks through PATH in order and takes executable files only', async () => {
  await writeFile(join(folder, 'plain'), '');
  await writeFile(join(folder, 'tool'), '', { mode: 0o755 });
  expect(findCommand('tool', `/nonexistent:${folder}`)).toBe(join(folder, 'tool'));
  expect(findCommand('plain', folder)).toBeUndefined();
  expect(findCommand(join(folder, 'tool'), '')).toBe(join(folder, 'tool'));
});

test('finding a command never takes one from the current folder', () => {
  expect(findCommand('package.json', '.:')).toBeUndefined();
});

test('running a command gives its lines, its output and its code', async () => {
  const lines: string[] = [];
  const result = await node(`console.log('a'); console.error('b'); process.exitCode = 3`, {
    onLine: (line: string, stream: string) => lines.push(`${stream} ${line}`),
  });
  expect(lines.sort()).toEqual(['err b', 'out a']);
  expect(result).toMatchObject({ code: 3, out: 'a' });
});

test('running a command gives it an open file as its input', async () => {
  const file = await open(join(folder, 'input'), 'wx+');
  await file.writeFile('from a file');
  const stdin = file.createReadStream({ autoClose: false });
  const args = ['/dev/stdin'];
  expect(await runCommand({ command: 'cat', args, stdin, timeoutMs: 100_000, signal })).toMatchObject({
    code: 0,
    out: 'from a file',
  });
  await file.close();
});

test('running a command ends it when time is up, and says so with its last lines', async () => {
  const args = ['-c', 'echo half way; exec sleep 1000'];
  const running = runCommand({ command: 'sh', args, timeoutMs: 2_000, signal });
  await expect(running).rejects.toThrow(/took longer than 2 s:\nhalf way/);
});

test('running a command ends it when the signal is aborted', async () => {
  const stop = new AbortController();
  const running = node('setInterval(() => {}, 1000)', { signal: stop.signal });
  stop.abort(new Error('Ctrl-C'));
  await expect(running).rejects.toThrow('Ctrl-C');
});

test('packages of the machine are missing when their command or file is, each named once', async () => {
  const tools = [
    { command: 'sh', package: 'dash' },
    { command: 'no-such-command', package: 'one' },
    { file: '/etc/*/no-such-file', package: 'one' },
    { file: '/*/passwd', package: 'base-files' },
    { file: '/no/such/*', package: 'two' },
  ];
  expect(await missingPackages(tools)).toEqual(['one', 'two']);
});

test('packages of the machine are installed while a policy forbids services, and the policy is gone afterwards, after a failure too', async () => {
  const policy = join(folder, 'policy-rc.d');
  const code = () => runCommand({ command: policy, args: [], timeoutMs: 60_000, signal });
  expect(await withoutServices(code, policy)).toMatchObject({ code: 101 });
  expect(existsSync(policy)).toBe(false);
  await expect(withoutServices(() => Promise.reject(new Error('E:')), policy)).rejects.toThrow('E:');
  expect(existsSync(policy)).toBe(false);
});

test("packages of the machine leave the machine's own policy alone, and remove one that a killed run left", async () => {
  const policy = join(folder, 'own-policy');
  await writeFile(policy, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  await withoutServices(async () => {}, policy);
  expect(await readFile(policy, 'utf8')).toBe('#!/bin/sh\nexit 0\n');

  const left = join(folder, 'left-policy');
  await withoutServices(async () => writeFile(`${left}.copy`, await readFile(left), { mode: 0o755 }), left);
  await withoutServices(async () => expect((await stat(`${left}.copy`)).isFile()).toBe(true), `${left}.copy`);
  expect(existsSync(`${left}.copy`)).toBe(false);
});

test('an account is found by its exact name, and root is never taken for one', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:7::/:/bin/sh\nnobody:x:65534:65533:n:/:/usr/sbin/nologin\n';
  expect(findAccount(passwd, 'nobody')).toEqual({ name: 'nobody', uid: 65534, gid: 65533 });
  expect(findAccount(passwd, 'root')).toBeUndefined();
  expect(findAccount(passwd, 'postgres')).toBeUndefined();
});

test('the progress of a build knows how many modules are required', () => {
  const text =
    'module x\n\nrequire a/b v1\n\nrequire (\n\tc/d v1\n\te/f v2 // indirect\n)\n\nreplace (\n\tg => g v1\n)\n';
  expect(countRequired(text)).toBe(3);
});

test('the progress of a build counts archives, not the other files that a download fetches', () => {
  const count = downloadCounter(9);
  expect(count('# get https://modules.example/k8s.io/api/@v/v0.36.3.mod: 200 OK (0.1s)')).toBeUndefined();
  expect(count('# get https://modules.example/k8s.io/api/@v/v0.36.3.zip')).toBeUndefined();
  expect(count('# get https://modules.example/k8s.io/api/@v/v0.36.3.zip: 200 OK (0.1s)')?.(0)).toBe(
    '1 of at most 9 (k8s.io/api v0.36.3)',
  );
});

test('the progress of a build counts packages, not messages of the compiler', () => {
  const packages = ['k8s.io/api/core/v1', 'net/http', 'main'].map((name) => ({
    name,
    bytes: 1_000,
    dependencies: 0,
    imports: [],
  }));
  const count = compileCounter(packages);
  expect(count('k8s.io/api/core/v1')?.(3)).toBe('1 of at most 3 packages (k8s.io/api/core/v1)');
  expect(count('./main.go:48:7: assignment mismatch')).toBeUndefined();
  expect(count('# some/package')).toBeUndefined();
  expect(count('net/http')?.(120)).toBe('2 of at most 3 packages (net/http), about 60 s left');
});
