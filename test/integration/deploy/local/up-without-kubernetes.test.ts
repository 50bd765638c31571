// `npm run up -- --without-kubernetes`: the REST API and DNS answer, nothing of Kubernetes is found, built or started,
// and Ctrl-C ends it.
import { spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { removePostgresState } from '../../../../deploy/local/parts/postgres.ts';
import { scenario } from '../../../support/docs/scenario.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;
const LIMIT = { timeout: 120_000, interval: 100 };
const state = await temporaryFolder('up-alone');
await chmod(state, 0o711);
afterAll(() => removePostgresState(state));

test('up without Kubernetes says what is missing, serves zones, and ends with Ctrl-C', {
  timeout: 300_000,
}, async () => {
  const [documented] = await scenario('without Kubernetes');
  const [, options = ''] = documented?.text.split(' -- ') ?? [];
  const args = ['deploy/local/main.ts', '--state', state, ...options.split(' ')];
  // With a folder of programs that has none, Kubernetes would fail.
  const env = { ...process.env, KUBECONFIG: '', KUBEBUILDER_ASSETS: state };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await expect.poll(() => output, LIMIT).toMatch(/^ {2}echo /m);
    expect(output).toContain('Kubernetes does not start: there are no kubectl, operator and solver.');
    const command = join(state, 'bin/zonestead');
    const call = { command, args: ['zones', 'create', 'try.example'], timeoutMs: 120_000 };
    const { code, tail } = await runCommand({ ...call, signal: new AbortController().signal });
    expect(code, tail).toBe(0);
  } finally {
    child.kill('SIGINT');
  }
  expect(await ended).toBe(0);
  expect(output).not.toMatch(/^(ready|failed)/m);
});
