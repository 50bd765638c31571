// Whether a node is ready while its name server starts again, or is at long work.
import { expect, test } from 'vitest';
import { SlowEngine } from '#nameserver/node/faults.ts';
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

test('a node whose name server was killed and started again at once is ready after a minute, if a zone does not load at all', async () => {
  const { clock, engine, node, run } = await readyWorld();
  engine.loading.add('large.test');
  run.name = 'second';
  await expect.poll(() => node.ready().checks?.loading).toBe('1 zones');
  clock.jump(60_000);
  expect(node.ready().ok).toBe(true);
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
