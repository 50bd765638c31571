// The time that the DNSSEC signatures of a node have left, as its metric says it.
import { expect, test } from 'vitest';
import { startWorld } from '../../../support/faulty-node/node-world.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const end = (days: number) => NOW.getTime() / 1_000 + days * 86_400;

async function startSigned() {
  const world = await startWorld({ zones: ['a.test', 'b.test'] });
  world.engine.signatureEnds.set('a.test', [end(15), end(20)]).set('b.test', [end(18)]);
  const { metrics } = world.start({ compareMs: 20, date: () => NOW });
  const days = async () => {
    const [found] =
      (await metrics.registry.getSingleMetric('zonestead_node_signature_remaining_seconds')?.get())?.values ?? [];
    return (found?.value ?? 0) / 86_400;
  };
  await world.converged();
  return { ...world, days };
}

test('the signatures of a node have as long as the one that ends first in any zone', async () => {
  const { engine, feed, days } = await startSigned();
  await expect.poll(days, { timeout: 60_000 }).toBe(15);
  engine.signatureEnds.set('a.test', [end(21)]);
  await expect.poll(days, { timeout: 60_000 }).toBe(18);
  feed.delete('b.test');
  await expect.poll(days, { timeout: 60_000 }).toBe(21);
});

test('the signatures of a node are read while the api is down, so that renewed ones do not seem old', async () => {
  const { engine, feed, days } = await startSigned();
  await expect.poll(days, { timeout: 60_000 }).toBe(15);
  await feed.stop();
  engine.signatureEnds.set('a.test', [end(21)]).set('b.test', [end(20)]);
  await expect.poll(days, { timeout: 60_000 }).toBe(20);
});
