// Whether a node is ready while its name server starts again, or is at long work.
import { expect, test } from 'vitest';
import { SlowEngine } from '#nameserver/node/faults.ts';
import { address } from '../../../support/faulty-node/fake-feed.ts';
import { startWorld } from '../../../support/faulty-node/node-world.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

async function readyWorld() {
  const world = await startWorld({ zones: ['a.test', 'large.test'] });
  const run = { name: 'first' as string | null };
  const clock = new QuickClock(20);
  const { node, lines } = world.start({ clock, engineRun: () => run.name });
  await world.converged();
  await expect.poll(() => node.ready().ok).toBe(true);
  return { ...world, clock, node, lines, run };
}

test('a node whose name server was killed and started again at once is not ready until the zones are loaded', async () => {
  const { engine, node, lines, run } = await readyWorld();
  engine.loading.add('large.test');
  run.name = 'second';
  await expect.poll(() => node.ready().checks?.loading).toBe('1 zones');
  expect(node.ready()).toMatchObject({ ok: false, checks: { engine: 'answers' } });
  expect(lines.join()).toContain('the name server was started again');
  engine.loading.clear();
  await expect.poll(() => node.ready().ok).toBe(true);
});

test('a node is not ready before the last of its zones is loaded, however long that takes while zones load', async () => {
  const { clock, engine, node, run } = await readyWorld();
  engine.loading.add('a.test').add('large.test');
  run.name = 'second';
  await expect.poll(() => node.ready().checks?.loading).toBe('2 zones');
  clock.jump(290_000);
  engine.loading.delete('a.test');
  await expect.poll(() => node.ready().checks?.loading).toBe('1 zones');
  clock.jump(290_000);
  expect(node.ready().ok).toBe(false);
  engine.loading.clear();
  await expect.poll(() => node.ready().ok).toBe(true);
});

test('a node is ready after five minutes without another loaded zone, and reports the zones that it does not serve', async () => {
  const { clock, engine, node, run } = await readyWorld();
  engine.loading.add('large.test');
  run.name = 'second';
  await expect.poll(() => node.ready().checks?.loading).toBe('1 zones');
  expect(node.report().failing).toEqual([]);
  clock.jump(300_000);
  expect(node.ready().ok).toBe(true);
  expect(node.report()).toMatchObject({
    failingCount: 1,
    failing: [{ error: 'large.test: the name server has not loaded the zone since its start' }],
  });
});

test('a zone that the name server cannot load does not keep the node unready, and is reported until it is served', async () => {
  const { engine, node, run } = await readyWorld();
  engine.refused.add('large.test');
  engine.unreadable.add('large.test');
  run.name = 'second';
  await expect.poll(() => node.report().failing.map(({ error }) => error.split(':')[0])).toEqual(['large.test']);
  await expect.poll(() => node.ready()).toMatchObject({ ok: true, checks: { failing: '1 zones' } });
  expect(node.ready().checks).not.toHaveProperty('loading');
  engine.refused.clear();
  engine.unreadable.clear();
  await expect.poll(() => node.report().failingCount).toBe(0);
});

test('a node whose name server was killed and started again at once is not ready while it does not run', async () => {
  const { node, run } = await readyWorld();
  run.name = null;
  await expect.poll(() => node.ready().ok).toBe(false);
});

test('a name server that answers no command for minutes, because it signs a large zone, stays ready', async () => {
  const { engine, node, lines, run } = await readyWorld();
  const zones = engine.zones.bind(engine);
  engine.zones = async () => {
    throw new SlowEngine(120);
  };
  await expect.poll(() => lines.join()).toContain('answers queries meanwhile');
  expect(node.ready().ok).toBe(true);
  engine.zones = zones;
  run.name = 'second';
  await expect.poll(() => lines.join()).toContain('the name server was started again');
  await expect.poll(() => node.ready().ok).toBe(true);
});

test('a node whose name server has been down for half a minute sends no report, as if it were lost too', async () => {
  const { clock, engine, feed, lines } = await readyWorld();
  const more = async () => {
    const before = feed.reports.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return feed.reports.length - before;
  };
  engine.isDown = true;
  feed.set('a.test', { away: [address('away')] });
  await expect.poll(() => lines.join()).toContain('the name server does not answer');
  expect(await more()).toBeGreaterThan(0);
  clock.jump(30_000);
  await expect.poll(more).toBe(0);
  engine.isDown = false;
  await expect.poll(more).toBeGreaterThan(0);
});

test('a node whose name server was down for half a minute is ready again after the changes that failed meanwhile', async () => {
  const { clock, converged, engine, feed, lines, node } = await readyWorld();
  engine.isDown = true;
  feed.set('a.test', { away: [address('away')] });
  await expect.poll(() => node.report().failingCount).toBe(1);
  clock.jump(30_000);
  await expect.poll(() => lines.join()).toContain('sends no report');
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  engine.beforeCommit = () => held;
  engine.isDown = false;
  await expect.poll(() => node.ready().checks?.engine).toBe('answers');
  expect(node.ready()).toMatchObject({ ok: false, checks: { behind: expect.stringContaining('waiting until') } });
  release();
  await converged();
  await expect.poll(() => node.ready().ok).toBe(true);
});

test('a node whose name server was down for half a minute waits for changes that keep failing for at most five minutes', async () => {
  const { clock, engine, feed, lines, node } = await readyWorld();
  engine.isDown = true;
  feed.set('a.test', { away: [address('away')] });
  await expect.poll(() => node.report().failingCount).toBe(1);
  clock.jump(30_000);
  await expect.poll(() => lines.join()).toContain('sends no report');
  engine.refused.add('a.test');
  engine.isDown = false;
  await expect.poll(() => node.ready().checks?.engine).toBe('answers');
  expect(node.ready().ok).toBe(false);
  clock.jump(300_000);
  expect(node.ready().ok).toBe(true);
});

test('a node whose name server was down for a moment is ready as soon as it answers', async () => {
  const { engine, feed, node } = await readyWorld();
  engine.isDown = true;
  feed.set('a.test', { away: [address('away')] });
  await expect.poll(() => node.report().failingCount).toBe(1);
  engine.refused.add('a.test');
  engine.isDown = false;
  await expect.poll(() => node.ready().checks?.engine).toBe('answers');
  expect(node.ready().ok).toBe(true);
});
