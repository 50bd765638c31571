// A node with a feed and a name server that cause faults, and the wait until all agree.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { address, FakeFeed } from './fake-feed.ts';
import { MemoryEngine } from './memory-engine.ts';
import { startTestNode } from './node.ts';

const WAIT = { timeout: 60_000, interval: 10 };

export async function startWorld(options: { zones?: readonly string[] } = {}) {
  const feed = new FakeFeed();
  await feed.start();
  onTestFinished(() => feed.stop());
  const engine = new MemoryEngine();
  for (const name of options.zones ?? []) feed.create(name, [address('www')]);
  const root = await mkdtemp(join(tmpdir(), 'zonestead-node-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, randomUUID());
  return {
    feed,
    engine,
    folder,
    start: (more: Partial<Parameters<typeof startTestNode>[0]> = {}) =>
      startTestNode({ url: feed.url, engine, folder, random: () => 0, ...more }),
    /** The name server has the contents of the api, and the api knows. */
    converged: () =>
      vi.waitFor(() => {
        const { cursor, failingCount, held: kept } = feed.reports.at(-1) ?? {};
        const held = engine.contents();
        expect({ held, cursor, failingCount, kept }).toEqual({
          held: feed.contents(),
          cursor: feed.cursor(),
          failingCount: 0,
        });
      }, WAIT),
  };
}

export const numbered = (count: number) => Array.from({ length: count }, (_, at) => `z${at}.test`);
