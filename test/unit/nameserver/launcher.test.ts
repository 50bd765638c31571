// The process that starts programs for a node.
import { describe, expect, it, vi } from 'vitest';
import { createLauncher } from '#nameserver/knot/launcher.ts';

const timeoutMs = 30_000;

describe('the launcher', () => {
  it('runs programs, several at once, and fails with the words of a program that fails', async () => {
    const launcher = createLauncher();
    const shell = (script: string) => launcher.run({ file: '/bin/sh', args: ['-c', script], timeoutMs });
    const both = await Promise.allSettled([shell('exit 0'), shell('echo no such key >&2; exit 1')]);
    expect(both).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: new Error('no such key') },
    ]);
    await expect(launcher.run({ file: '/no/such/program', args: [], timeoutMs })).rejects.toThrow('ENOENT');
  });

  it('starts its process without the part of Node that removes types', async () => {
    vi.stubEnv('NODE_OPTIONS', '--no-strip-types');
    await createLauncher().run({ file: '/bin/true', args: [], timeoutMs });
  });
});
