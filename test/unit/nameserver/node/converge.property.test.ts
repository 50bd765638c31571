// Random operations at the api and faults everywhere, with crashes of the node in between: in the end, the name server
// holds exactly what the api has, and the node says so. Zones that only a restored database lacks stay until the
// removals are accepted.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { address, apex, FakeFeed, type Fault } from '../../../support/faulty-node/fake-feed.ts';
import { MemoryEngine } from '../../../support/faulty-node/memory-engine.ts';
import { startTestNode, type TestNode } from '../../../support/faulty-node/node.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

let root: string;
beforeAll(async () => {
  root = await temporaryFolder('node-property');
});

const NAMES = ['a.test', 'b.test', 'c.test', 'd.test'];
const OWNERS = ['www', 'mail', '*', 'a.b', '_acme-challenge'];

const zone = fc.constantFrom(...NAMES);
const owner = fc.constantFrom(...OWNERS);
const value = fc.integer({ min: 1, max: 250 });
const faults = fc.constantFrom<Omit<Fault, 'times'>>(
  { path: /\/feed$/, cutAfter: 150 },
  { path: /\/feed$/, cutAfter: 400 },
  { path: /\/feed$/, status: 503 },
  { path: /\/feed$/, rewrite: (line) => line.replace('"kind"', '"kin') },
  { path: /\/feed$/, rewrite: (line) => (line.includes('listed') ? null : line) },
  { path: /\/zones\//, cutAfter: 300 },
  { path: /\/zones\//, cutAfter: 20 },
  { path: /\/zones\//, status: 500 },
  { path: /\/zones\//, rewrite: (line) => line.replace(/"digest":"./, '"digest":"x') },
  { path: /\/zones\//, rewrite: (line) => (line.includes('"end"') ? null : line) },
  { path: /\/zones\//, rewrite: (line) => line.replace('192.0.2', '192.0.3') },
  { path: /\/report/, status: 500 },
);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), zone, owner, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unset' as const), zone, owner }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), zone, owner, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), zone }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fault' as const), fault: faults }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cut' as const, 'forget' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const), zone, owner, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('roll-back' as const), zone }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('refuse' as const, 'lose' as const, 'crash-in-commit' as const), zone }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), zone, owner, value }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('down' as const, 'up' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('crash' as const), isLost: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function run(steps: readonly Step[]): Promise<void> {
  const feed = new FakeFeed();
  await feed.start();
  const engine = new MemoryEngine();
  const folder = join(root, randomUUID());
  const clock = new QuickClock(20);
  const start = () => startTestNode({ url: feed.url, engine, folder, clock });
  let node: TestNode = start();
  const restart = async (isLost: boolean) => {
    await node.crash();
    if (isLost) await rm(folder, { recursive: true });
    engine.beforeCommit = async () => undefined;
    engine.afterCommit = async () => undefined;
    node = start();
  };
  let crashing: Promise<void> = Promise.resolve();
  /** The keys of zones that a restored database does not know. */
  const saved = new Map<string, string>();
  const state = () => ({
    held: engine.contents(),
    cursor: feed.reports.at(-1)?.cursor,
    failing: feed.reports.at(-1)?.failingCount,
  });
  try {
    for (const each of steps) {
      await act(each);
      await crashing;
    }
    feed.faults.length = 0;
    engine.refused.clear();
    engine.isDown = false;
    // Only a comparison finds foreign edits; everything else is found without one.
    if (steps.some((each) => each.do === 'edit')) feed.compare = randomUUID();
    await expect
      .poll(state, { timeout: 60_000 })
      .toMatchObject({ held: feed.contents(), cursor: feed.cursor(), failing: 0 });
    for (const [name, key] of saved) expect([name, engine.held.get(name)?.privateKey]).toEqual([name, key]);
    feed.removals = feed.epoch;
    await expect.poll(state, { timeout: 60_000 }).toEqual({ held: feed.contents(), cursor: feed.cursor(), failing: 0 });
  } finally {
    await crashing;
    await node.crash();
    await feed.stop();
  }

  async function act(each: Step): Promise<void> {
    switch (each.do) {
      case 'set':
        return feed.zones.has(each.zone)
          ? feed.set(each.zone, { [each.owner]: [address(each.owner, `192.0.2.${each.value}`)] })
          : undefined;
      case 'unset':
        return feed.zones.has(each.zone) ? feed.set(each.zone, { [each.owner]: [] }) : undefined;
      case 'create':
        saved.delete(each.zone);
        if (!feed.zones.has(each.zone)) feed.create(each.zone, [address(each.owner, `192.0.2.${each.value}`)]);
        return;
      case 'delete':
        return feed.zones.has(each.zone) ? feed.delete(each.zone) : undefined;
      case 'fault':
        feed.faults.push({ ...each.fault });
        return;
      case 'cut':
      case 'forget':
        return feed[each.do]();
      case 'restore':
        if (feed.zones.has(each.zone)) feed.rewind(each.zone, [address(each.owner, `192.0.2.${each.value}`)]);
        return feed.restored();
      case 'roll-back': {
        // The key of this zone proves that the node has begun to serve it, and not a zone of its name before.
        const key = `key of ${feed.zones.get(each.zone)?.id}`;
        if (engine.held.get(each.zone)?.privateKey === key) saved.set(each.zone, key);
        feed.lose(each.zone);
        return feed.restored();
      }
      case 'refuse':
        engine.refused.add(each.zone);
        return;
      case 'lose':
        // The zone is lost while the name server restarts, and the node with it.
        engine.held.delete(each.zone);
        saved.delete(each.zone);
        return restart(false);
      case 'crash-in-commit':
        // The commit took effect, and the node dies before it can write that down.
        engine.afterCommit = (name) => {
          if (name !== each.zone) return Promise.resolve();
          crashing = restart(false);
          return new Promise(() => undefined);
        };
        return;
      case 'edit':
        if (engine.held.get(each.zone)?.serial != null)
          engine.edit(each.zone, address(each.owner, `198.51.100.${each.value}`));
        return;
      case 'down':
      case 'up':
        engine.isDown = each.do === 'down';
        return;
      case 'crash':
        return restart(each.isLost === 0);
      default:
        await new Promise((resolve) => setTimeout(resolve, each.ms));
    }
  }
}

test('a node always converges to the contents of the api', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), run), {
    numRuns: Number(process.env.RUNS ?? 12),
    endOnFailure: true,
  });
}, 300_000);

test('a node keeps the zones that a database lacks after a restore, until that is accepted', async () => {
  await run([
    { do: 'create', zone: 'a.test', owner: 'www', value: 1 },
    { do: 'create', zone: 'b.test', owner: 'www', value: 2 },
    { do: 'wait', ms: 300 },
    { do: 'fault', fault: { path: /\/feed$/, cutAfter: 150 } },
    { do: 'roll-back', zone: 'a.test' },
    { do: 'crash', isLost: 1 },
    { do: 'wait', ms: 40 },
    { do: 'roll-back', zone: 'b.test' },
    { do: 'crash', isLost: 0 },
  ]);
});

test('a node keeps the apex of a zone that changes while it is read', async () => {
  await run([
    { do: 'create', zone: 'a.test', owner: 'www', value: 1 },
    { do: 'set', zone: 'a.test', owner: 'www', value: 2 },
    { do: 'wait', ms: 30 },
    { do: 'delete', zone: 'a.test' },
    { do: 'create', zone: 'a.test', owner: 'mail', value: 3 },
    { do: 'crash', isLost: 1 },
  ]);
  expect(apex().type).toBe('NS');
});
