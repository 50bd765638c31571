// The work of `up` while its parts run, tested with real processes: the first part that exits ends the work,
// and is reported.
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Part } from '../../../../deploy/local/parts/part.ts';
import { startProcess } from '../../../../deploy/local/parts/process.ts';
import { delay } from '../../../../deploy/local/parts/wait.ts';
import { reportEnd, whileAllRun } from '../../../../deploy/local/while-running.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('while-running');
const parts: Part[] = [];
const never = new AbortController().signal;

afterEach(async () => {
  await Promise.all(parts.splice(0).map((part) => part.stop({ signal: 'SIGKILL' })));
});

function start(name: string, script: string): Part {
  const part = startProcess({ name, command: 'sh', args: ['-c', script], logFile: join(folder, `${name}.log`) });
  parts.push(part);
  return part;
}

/** Work like a person at `up`, or a wait for an object: it continues until it is aborted. */
const endless = (signal: AbortSignal) => delay(60_000, signal);

test('a part that dies ends the work at once, and its name, its end and its last lines are told', async () => {
  const sound = start('sound', 'exec sleep 60');
  const dying = start('dying', 'echo one; echo the cause; exit 3');
  let told: AbortSignal | undefined;
  const work = (signal: AbortSignal) => {
    told = signal;
    return endless(signal);
  };
  const ended = await whileAllRun([sound, dying], work, never);
  expect(ended?.name).toBe('dying');
  expect(told?.aborted).toBe(true);
  const lines: string[] = [];
  await reportEnd(dying, (line) => lines.push(line));
  expect(lines[0]).toBe('dying ended by itself (code 3); the end of its log:');
  expect(lines).toContain('  the cause');
  expect(lines.at(-1)).toBe(`all of it: ${dying.logFile}`);
});

test('a part without output is reported as well', async () => {
  const silent = start('silent', 'kill -9 $$');
  expect(await whileAllRun([silent], endless, never)).toBe(silent);
  const lines: string[] = [];
  await reportEnd(silent, (line) => lines.push(line));
  expect(lines).toEqual([
    'silent ended by itself (SIGKILL); the end of its log:',
    '  (it wrote nothing)',
    `all of it: ${silent.logFile}`,
  ]);
});

test('if work fails because a part died, the part is reported and not the failure', async () => {
  const dying = start('dying', 'sleep 0.1; exit 1');
  const failing = async () => {
    throw new Error('kubectl wait: the connection was refused');
  };
  expect(await whileAllRun([dying], failing, never)).toBe(dying);
});

test('work that fails by itself fails', async () => {
  const sound = start('sound', 'exec sleep 60');
  const failing = async () => {
    throw new Error('timed out waiting for the condition');
  };
  await expect(whileAllRun([sound], failing, never)).rejects.toThrow('timed out waiting for the condition');
});

test('Ctrl-C is not an error of a part, although the parts end with it', async () => {
  const stop = new AbortController();
  const part = start('part', 'exec sleep 60');
  const running = whileAllRun([part], endless, stop.signal);
  stop.abort(new Error('SIGINT'));
  void part.stop();
  expect(await running).toBeNull();
});
