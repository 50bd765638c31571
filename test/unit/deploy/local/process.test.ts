// Supervised processes, tested with real ones: how they end, the files and processes that they leave, and their log.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pidExists } from '../../../../deploy/local/parts/liveness.ts';
import type { Part } from '../../../../deploy/local/parts/part.ts';
import { type PartOptions, startProcess } from '../../../../deploy/local/parts/process.ts';
import { PartEnded, waitFor } from '../../../../deploy/local/parts/wait.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('process');
const signal = AbortSignal.timeout(280_000);
const parts: Part[] = [];
let round = 0;

afterEach(async () => {
  await Promise.all(parts.splice(0).map((part) => part.stop({ signal: 'SIGKILL' })));
});

/** A Node program given as text. */
function start(program: string, more: Partial<PartOptions> = {}): Part {
  const logFile = join(folder, `${round++}.log`);
  const part = startProcess({ name: 'tiny', command: process.execPath, args: ['-e', program], logFile, ...more });
  parts.push(part);
  return part;
}

const says = (part: Part, text: string) =>
  waitFor(async () => (await part.tail(50)).includes(text), {
    what: `"${text}" in the log`,
    timeoutMs: 60_000,
    intervalMs: 10,
    part,
    signal,
  });

const FOR_EVER = 'setInterval(() => {}, 1000);';

test('stopping a process is polite first, and resolves when the process is gone', async () => {
  const part = start(`process.on('SIGTERM', () => process.exit(7)); ${FOR_EVER} console.log('up')`);
  await says(part, 'up');
  await part.stop();
  expect(pidExists(part.pid)).toBe(false);
  expect(await part.exited).toEqual({ code: 7, signal: null });
});

test('stopping a process sends the signal it is given', async () => {
  const part = start(`process.on('SIGINT', () => process.exit(3)); ${FOR_EVER} console.log('up')`);
  await says(part, 'up');
  await part.stop({ signal: 'SIGINT' });
  expect((await part.exited).code).toBe(3);
});

test('stopping a process ends a process that does not listen by SIGKILL after the grace', async () => {
  const part = start(`process.on('SIGTERM', () => console.log('no')); ${FOR_EVER} console.log('up')`);
  await says(part, 'up');
  await part.stop({ graceMs: 3_000 });
  expect((await part.exited).signal).toBe('SIGKILL');
  expect(await part.tail(1)).toBe('no');
});

test('stopping a process can be repeated, and a repeat with SIGKILL ends the grace', async () => {
  const part = start(`process.on('SIGTERM', () => {}); ${FOR_EVER} console.log('up')`);
  await says(part, 'up');
  const first = part.stop({ graceMs: 60_000 });
  await part.stop({ signal: 'SIGKILL' });
  await first;
  await part.stop();
  expect((await part.exited).signal).toBe('SIGKILL');
});

test('stopping a process takes the processes along that the part started itself', async () => {
  const child = `require('node:child_process').spawn(process.execPath, ['-e', '${FOR_EVER}'], { stdio: 'ignore' })`;
  const part = start(`console.log('child', ${child}.pid);`);
  await says(part, 'child');
  const pid = Number((await part.tail(1)).split(' ')[1]);
  await part.stop();
  await waitFor(async () => !pidExists(pid) || (await isZombie(pid)), {
    what: 'the grandchild to end',
    timeoutMs: 60_000,
    intervalMs: 10,
    signal,
  });
});

test('stopping a process happens by itself when the signal of the start is aborted', async () => {
  const stop = new AbortController();
  const part = start(FOR_EVER, { signal: stop.signal });
  stop.abort();
  expect((await part.exited).signal).toBe('SIGTERM');
});

test.runIf(process.platform === 'linux')('a part dies with a supervisor that is killed', async () => {
  const program = `
    const { startProcess } = await import(${JSON.stringify(new URL('../../../../deploy/local/parts/process.ts', import.meta.url).href)});
    const part = startProcess({ name: 'orphan', command: process.execPath, args: ['-e', ${JSON.stringify(FOR_EVER)}],
      logFile: ${JSON.stringify(join(folder, 'orphan.log'))} });
    console.log('orphan', part.pid);
    ${FOR_EVER}`;
  const supervisor = start('', { args: ['--input-type=module', '-e', program] });
  await says(supervisor, 'orphan');
  const pid = Number((await supervisor.tail(1)).split(' ')[1]);
  process.kill(supervisor.pid, 'SIGKILL');
  await supervisor.exited;
  await waitFor(async () => !pidExists(pid) || (await isZombie(pid)), {
    what: 'the orphan to end',
    timeoutMs: 60_000,
    intervalMs: 10,
    signal,
  });
});

test('the log continues over sessions with a marker, while the tail shows only the current session', async () => {
  const logFile = join(folder, 'sessions.log');
  const now = () => new Date('2026-01-02T03:04:05Z');
  await start(`console.log('one')`, { logFile, now }).exited;
  const second = start(`console.log('two'); console.error('three')`, { logFile, now });
  await second.exited;
  const text = await readFile(logFile, 'utf8');
  expect(text.match(/^--- 2026-01-02T03:04:05\.000Z tiny started: /gm)).toHaveLength(2);
  expect(text).toContain('one\n');
  expect((await second.tail(10)).split('\n').sort()).toEqual(['three', 'two']);
  expect(await second.tail(1)).toMatch(/^(two|three)$/);
});

const options = { what: 'the moon', timeoutMs: 10_000, intervalMs: 5, signal };

test('waiting for a process fails at once with the end of the log when the part exits', async () => {
  const part = start(`console.log('no port left'); process.exit(4)`);
  const waiting = waitFor(async () => false, { ...options, part });
  await expect(waiting).rejects.toThrow(PartEnded);
  await expect(waiting).rejects.toThrow(/^tiny ended \(code 4\) while waiting for the moon; .*\nno port left$/s);
});

test('waiting for a process says what it waited for, how long, and the last error it saw', async () => {
  const waiting = waitFor(() => Promise.reject(new Error('ECONNREFUSED')), { ...options, timeoutMs: 100 });
  await expect(waiting).rejects.toThrow('waited 0.1 s for the moon in vain (last seen: ECONNREFUSED)');
});

test('waiting for a process keeps its limit though a check never ends', async () => {
  const waiting = waitFor(() => new Promise(() => {}), { ...options, timeoutMs: 50 });
  await expect(waiting).rejects.toThrow('waited 0.1 s for the moon in vain');
});

test('waiting for a process ends with the reason of its signal', async () => {
  const stop = new AbortController();
  const waiting = waitFor(async () => false, { ...options, signal: stop.signal });
  stop.abort(new Error('Ctrl-C'));
  await expect(waiting).rejects.toThrow('Ctrl-C');
});

test('waiting for a process takes a failing check for "not yet"', async () => {
  let calls = 0;
  await waitFor(async () => {
    if (++calls < 3) throw new Error('not yet');
    return true;
  }, options);
  expect(calls).toBe(3);
});

test('a command that does not exist is reported by name', () => {
  expect(() => start('', { command: 'no-such-command-here' })).toThrow('tiny: command not found: no-such-command-here');
});

/** An orphan is a zombie until its new parent reaps it; it is dead nevertheless. */
async function isZombie(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
