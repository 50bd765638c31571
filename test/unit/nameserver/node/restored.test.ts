// A node whose api has a database that was restored to an earlier time, and that lacks the newest zones.
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { address } from '../../../support/faulty-node/fake-feed.ts';
import { metric } from '../../../support/faulty-node/node.ts';
import { numbered, startWorld } from '../../../support/faulty-node/node-world.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

/** A node that serves two zones, of which the restored database knows the first. */
async function startRestored() {
  const world = await startWorld({ zones: ['old.test', 'new.test'] });
  const clock = new QuickClock(20);
  const node = world.start({ clock });
  await world.converged();
  const key = world.engine.held.get('new.test')?.privateKey;
  const { feed, engine } = world;
  const restore = () => {
    feed.lose('new.test');
    feed.restored();
  };
  const heldZones = () => feed.reports.at(-1)?.held?.zones.map(({ name }) => name);
  const isHeld = async () => {
    await expect.poll(heldZones).toEqual(['new.test']);
    expect(engine.held.get('new.test')).toMatchObject({ privateKey: key, serial: expect.any(Number) });
    expect(engine.contents()['new.test']).toHaveLength(2);
  };
  return { ...world, clock, node, restore, isHeld };
}

test('A node keeps a zone that a restored database lacks, with its key, and says so', async () => {
  const { feed, node, restore, isHeld } = await startRestored();
  restore();
  await isHeld();
  expect(feed.reports.at(-1)).toMatchObject({ failingCount: 0, cursor: feed.cursor(), held: { count: 1 } });
  expect(await metric(node.metrics, 'node_zones_unlisted')).toBe(1);
  expect(node.lines.join()).toMatch(/its list lacks zones of this node/);
  feed.set('old.test', { www: [address('www', '192.0.2.7')] });
  await expect.poll(() => feed.reports.at(-1)?.cursor).toBe(feed.cursor());
  await isHeld();
});

test('A node names each of many zones that it keeps', async () => {
  const names = numbered(305);
  const { feed, start, converged } = await startWorld({ zones: names });
  start({ clock: new QuickClock(20) });
  await converged();
  for (const name of names) feed.lose(name);
  feed.restored();
  await expect.poll(() => feed.reports.at(-1)?.held?.count, { timeout: 30_000 }).toBe(305);
  const { zones = [], more = [] } = feed.reports.at(-1)?.held ?? {};
  expect([zones.length, more.length]).toEqual([300, 5]);
  expect([...zones.map(({ name }) => name), ...more].sort()).toEqual([...names].sort());
});

test('A node keeps it over a list that ends early, and over restarts of itself', async () => {
  const { feed, clock, node, restore, isHeld, start } = await startRestored();
  feed.faults.push({ path: /feed$/, cutAfter: 150 }, { path: /feed$/, cutAfter: 150 });
  restore();
  await isHeld();
  await node.crash();
  feed.reports.length = 0;
  const second = start({ clock });
  await isHeld();
  await second.crash();
  feed.reports.length = 0;
  feed.restored();
  start({ clock });
  await isHeld();
});

test('A node that has lost its state keeps the zones that the list lacks', async () => {
  const { feed, clock, folder, node, restore, isHeld, start } = await startRestored();
  await node.crash();
  await rm(folder, { recursive: true });
  feed.reports.length = 0;
  restore();
  start({ clock });
  await isHeld();
});

test('A node removes it when an administrator accepts the removals by this database', async () => {
  const { feed, engine, restore, isHeld, converged } = await startRestored();
  const reported = async () => {
    const reports = feed.reports.length;
    await expect.poll(() => feed.reports.length).toBeGreaterThan(reports + 2);
  };
  feed.removals = feed.epoch;
  await reported();
  // The acceptance of an earlier database does not count.
  restore();
  await isHeld();
  await reported();
  await isHeld();
  feed.removals = feed.epoch;
  await converged();
  expect([...engine.held.keys()]).toEqual(['old.test']);
});

test('A node removes it after 24 hours', async () => {
  const { clock, engine, restore, isHeld, converged } = await startRestored();
  restore();
  await isHeld();
  clock.jump(23 * 3_600_000);
  await isHeld();
  clock.jump(3_600_000);
  await converged();
  expect([...engine.held.keys()]).toEqual(['old.test']);
});

test('A node serves it as before when a later list has it again', async () => {
  const { feed, engine, restore, isHeld, converged } = await startRestored();
  const zone = feed.zone('new.test');
  restore();
  await isHeld();
  feed.zones.set('new.test', zone);
  feed.forget();
  await converged();
  expect(engine.held.size).toBe(2);
});

test('A zone that is deleted after the restore leaves the node at once', async () => {
  const { feed, engine, restore, isHeld } = await startRestored();
  restore();
  await isHeld();
  feed.delete('old.test');
  await expect.poll(() => [...engine.held.keys()]).toEqual(['new.test']);
  // Also while the node is down, if the database stays the same.
  feed.create('other.test');
  await expect.poll(() => engine.held.has('other.test')).toBe(true);
  feed.lose('other.test');
  feed.forget();
  await expect.poll(() => engine.held.has('other.test')).toBe(false);
  await isHeld();
});

test('A zone that was deleted just before a restart of the database is held, and goes when that is accepted', async () => {
  const { feed, engine, converged } = await startRestored();
  feed.cut();
  feed.delete('new.test');
  feed.restored();
  await expect.poll(() => feed.reports.at(-1)?.held?.count).toBe(1);
  feed.removals = feed.epoch;
  await converged();
  expect([...engine.held.keys()]).toEqual(['old.test']);
});

test('The zone above keeps the delegation of a held zone, in a list and in changes, until the held zone is gone', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['up.test', 'new.up.test'] });
  start({ clock: new QuickClock(20) });
  const delegation = { name: 'new', type: 'NS', ttl: 3_600, rdata: ['ns1.zonestead.test.'] };
  feed.set('up.test', { new: [delegation] });
  await converged();
  const delegations = () => [...(engine.held.get('up.test')?.sets.values() ?? [])].filter(({ name }) => name === 'new');
  feed.lose('new.up.test');
  feed.change('up.test', { new: [], www: [address('www', '192.0.2.7')] });
  feed.restored();
  await expect.poll(() => feed.reports.at(-1)?.held?.count).toBe(1);
  await expect.poll(() => engine.contents()['up.test']?.join()).toContain('192.0.2.7');
  expect(delegations()).toEqual([delegation]);
  feed.set('up.test', { new: [], www: [address('www', '192.0.2.8')] });
  await expect.poll(() => engine.contents()['up.test']?.join()).toContain('192.0.2.8');
  expect(delegations()).toEqual([delegation]);
  feed.removals = feed.epoch;
  await expect.poll(delegations).toEqual([]);
  await converged();
  expect([...engine.held.keys()]).toEqual(['up.test']);
});
