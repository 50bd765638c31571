// The permits for work at the name server: four at once, bulk never takes the last one, and work that was aborted keeps
// none.
import { expect, test } from 'vitest';
import { createPermits } from '#nameserver/node/permits.ts';

const { signal } = new AbortController();

function world() {
  const permits = createPermits();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (lane: 'small' | 'bulk', name: string, limit: AbortSignal = signal) =>
    permits.run(
      lane,
      () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      limit,
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { permits, begun, run, end };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('bulk gets three of the four, and small work the last one at once', async () => {
  const { permits, begun, run, end } = world();
  for (const name of ['b1', 'b2', 'b3', 'b4']) void run('bulk', name);
  await settle();
  expect(begun).toEqual(['b1', 'b2', 'b3']);
  expect(permits.isFree('small')).toBe(true);
  void run('small', 's1');
  await settle();
  expect(begun).toEqual(['b1', 'b2', 'b3', 's1']);
  expect(permits.isFree('small')).toBe(false);
  void run('small', 's2');
  await end('b1');
  // Small work that waits goes before bulk that waited longer.
  expect(begun.slice(4)).toEqual(['s2']);
  await end('s1');
  expect(begun.slice(5)).toEqual(['b4']);
});

test('work that fails, and work that is aborted while it waits, frees its permit', async () => {
  const { permits, begun, run } = world();
  await expect(permits.run('bulk', () => Promise.reject(new Error('refused')), signal)).rejects.toThrow('refused');
  for (const name of ['b1', 'b2', 'b3']) void run('bulk', name);
  const left = new AbortController();
  const waiting = run('bulk', 'b4', left.signal);
  left.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(run('small', 'late', left.signal)).rejects.toThrow('stopped');
  void run('small', 's1');
  await settle();
  expect(begun).toEqual(['b1', 'b2', 'b3', 's1']);
});
