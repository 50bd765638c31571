// The process that starts programs for a node.
import { afterEach, expect, test, vi } from 'vitest';
import { runMany } from '#nameserver/knot/launcher.ts';

const options = { atOnce: 2, timeoutMs: 30_000 };

afterEach(() => void vi.unstubAllEnvs());

test('many runs, several at once, end with the words of each program that fails', async () => {
  const runs = ['exit 0', 'echo no such key >&2; exit 1', 'sleep 0.1', 'exit 3'].map((script) => ['-c', script]);
  const [first, second, third, fourth] = await runMany({ ...options, file: '/bin/sh', runs });
  expect([first, second, third]).toEqual([null, 'no such key', null]);
  expect(fourth).toMatch('Command failed');
});

test('a program that does not exist is an error of each run', async () => {
  const [error] = await runMany({ ...options, file: '/no/such/program', runs: [[]] });
  expect(error).toMatch('ENOENT');
});

test('the process starts without the part of Node that removes types', async () => {
  vi.stubEnv('NODE_OPTIONS', '--no-strip-types');
  expect(await runMany({ ...options, file: '/bin/true', runs: [[]] })).toEqual([null]);
});

test('a process that cannot start is an error', async () => {
  vi.stubEnv('NODE_OPTIONS', '--no-such-option');
  await expect(runMany({ ...options, file: '/bin/true', runs: [[]] })).rejects.toThrow('has ended');
});
