// A node between a feed and a name server that cause faults: it follows, survives each fault, and converges.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { address, apex, FakeFeed } from '../../../support/nameserver/fake-feed.ts';
import { MemoryEngine } from '../../../support/nameserver/memory-engine.ts';
import { metric, startTestNode } from '../../../support/nameserver/node.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

let root: string;
beforeAll(async () => {
  root = await temporaryFolder('node');
});

async function startWorld(options: { zones?: readonly string[] } = {}) {
  const feed = new FakeFeed();
  await feed.start();
  onTestFinished(() => feed.stop());
  const engine = new MemoryEngine();
  for (const name of options.zones ?? []) feed.create(name, [address('www')]);
  const folder = join(root, randomUUID());
  return {
    feed,
    engine,
    folder,
    start: (more: Partial<Parameters<typeof startTestNode>[0]> = {}) =>
      startTestNode({ url: feed.url, engine, folder, random: () => 0, ...more }),
    /** The name server holds what the api has, and the api knows. */
    converged: () =>
      expect
        .poll(() => ({ held: engine.contents(), cursor: feed.reports.at(-1)?.cursor, failing: feed.reports.at(-1)?.failingCount }))
        .toEqual({ held: feed.contents(), cursor: feed.cursor(), failing: 0 }),
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `z${at}.test`);

describe('a node', () => {
  it('applies the list, changes, new zones and deletions, and reports its cursor', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
    const { node } = start();
    await converged();
    feed.set('a.test', { www: [address('www', '192.0.2.7')], new: [address('new')] });
    feed.create('c.test');
    feed.delete('b.test');
    await converged();
    expect(engine.commits.filter(({ zone }) => zone === 'a.test').at(-1)?.names).toEqual(['www', 'new']);
    expect(feed.reports.at(-1)).toMatchObject({ node: 'ns1', engine: 'Memory 1.0', zones: 2 });
    expect(node.ready()).toMatchObject({ ok: true });
  });

  it('is not ready, and reports no cursor, before the first list is applied', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    engine.beforeCommit = (zone) => (zone === 'b.test' ? held : Promise.resolve());
    const { node } = start();
    await expect.poll(() => engine.commits.length).toBe(1);
    await expect.poll(() => feed.reports.length).toBeGreaterThan(0);
    expect(node.ready()).toMatchObject({ ok: false, checks: { zones: 'the list of zones is not applied yet' } });
    expect(feed.reports.at(-1)?.cursor).toBeNull();
    release();
    await converged();
    expect(node.ready().ok).toBe(true);
  });
});
