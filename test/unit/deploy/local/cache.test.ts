// The cache of expensive files: keys, atomic filling, the lock.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cached, cacheKey, cacheRoot, withLock } from '../../../../deploy/local/parts/cache.ts';
import { processIdentity } from '../../../../deploy/local/parts/liveness.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const root = await temporaryFolder('cache');
const quiet = { progress: () => {}, signal: AbortSignal.timeout(280_000) };

test('the place of the cache is below XDG_CACHE_HOME when that is an absolute path, else below ~/.cache', () => {
  expect(cacheRoot({ XDG_CACHE_HOME: '/var/tmp/c' })).toBe('/var/tmp/c/zonestead');
  expect(cacheRoot({ XDG_CACHE_HOME: 'relative' })).toMatch(/\/\.cache\/zonestead$/);
  expect(cacheRoot({})).toMatch(/\/\.cache\/zonestead$/);
});

test('a key depends on names and contents, not on their order', () => {
  expect(cacheKey({ a: '1', b: '2' })).toBe(cacheKey({ b: '2', a: '1' }));
  expect(cacheKey({ a: '1', b: '2' })).not.toBe(cacheKey({ a: '2', b: '1' }));
});

test('a key is the same for text and for the bytes of that text', () => {
  expect(cacheKey({ a: 'ü' })).toBe(cacheKey({ a: Buffer.from('ü') }));
});

test('a key differs when bytes move from one input to the next', () => {
  expect(cacheKey({ a: 'xb1:', c: '' })).not.toBe(cacheKey({ a: 'x', b: '', c: '' }));
  expect(cacheKey({ a: '12', b: '3' })).not.toBe(cacheKey({ a: '1', b: '23' }));
});

test('an entry is filled once, also when two ask at the same time', async () => {
  let fills = 0;
  const ask = () =>
    cached({
      root,
      name: 'once',
      key: 'k',
      ...quiet,
      fill: async (folder) => {
        fills++;
        await sleep(50);
        await writeFile(join(folder, 'content'), 'x');
      },
    });
  const [first, second] = await Promise.all([ask(), ask()]);
  expect(first).toBe(second);
  expect(fills).toBe(1);
  expect(await readFile(join(first, 'content'), 'utf8')).toBe('x');
});

test('an entry leaves nothing behind when filling it fails, and can be filled later', async () => {
  const entry = { root, name: 'fails', key: 'k', ...quiet };
  await expect(cached({ ...entry, fill: () => Promise.reject(new Error('disk full')) })).rejects.toThrow('disk full');
  expect(readdirSync(root).filter((file) => file.startsWith('fails'))).toEqual([]);
  const folder = await cached({ ...entry, fill: (target) => writeFile(join(target, 'content'), 'x') });
  expect(existsSync(join(folder, 'content'))).toBe(true);
});

test('an entry half filled by a process that is dead is thrown away', async () => {
  const leftover = join(root, `left-k.tmp-${deadProcess()}-abc`);
  await mkdir(leftover);
  await cached({ root, name: 'left', key: 'k', ...quiet, fill: async () => {} });
  expect(existsSync(leftover)).toBe(false);
});

test('the lock keeps a second one waiting until the first is done', async () => {
  const file = join(root, 'queue.lock');
  const order: string[] = [];
  const enter = (name: string) =>
    withLock(file, { what: name, ...quiet }, async () => {
      order.push(`${name} in`);
      await sleep(30);
      order.push(`${name} out`);
    });
  await Promise.all([enter('a'), enter('b')]);
  expect(order).toHaveLength(4);
  expect(order[1]).toBe(order[0]?.replace('in', 'out'));
  expect(existsSync(file)).toBe(false);
});

test('the lock that a dead process held is taken over', async () => {
  const file = join(root, 'dead.lock');
  await writeFile(file, deadProcess());
  expect(await withLock(file, { what: 'takeover', limitMs: 60_000, ...quiet }, async () => 'mine')).toBe('mine');
});

test('the lock that a dead process held is taken over even if its pid belongs to another one', async () => {
  const file = join(root, 'reused.lock');
  await writeFile(file, `${process.pid}:1`);
  expect(await withLock(file, { what: 'takeover', limitMs: 60_000, ...quiet }, async () => 'mine')).toBe('mine');
});

test('the lock that a living process holds too long is reported with its pid', async () => {
  const file = join(root, 'held.lock');
  await writeFile(file, processIdentity(process.pid));
  await expect(withLock(file, { what: 'build', limitMs: 300, ...quiet }, async () => {})).rejects.toThrow(
    `build: process ${process.pid} has held`,
  );
});

test('the lock stops waiting when it is told to', async () => {
  const file = join(root, 'abort.lock');
  await writeFile(file, processIdentity(process.pid));
  const stop = new AbortController();
  const waiting = withLock(file, { what: 'build', progress: () => {}, signal: stop.signal }, async () => {});
  stop.abort(new Error('Ctrl-C'));
  await expect(waiting).rejects.toThrow('Ctrl-C');
});

/** The identity of a process that has just ended. */
function deadProcess(): string {
  return `${spawnSync(process.execPath, ['-e', '']).pid}:1`;
}
