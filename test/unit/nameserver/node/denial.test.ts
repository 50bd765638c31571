// A zone whose denial of names changes: the node gives it to the name server, also after it was killed in between.
import { expect, test } from 'vitest';
import type { Denial } from '#dns/dnssec/denial.ts';
import { address } from '../../../support/faulty-node/fake-feed.ts';
import { startWorld } from '../../../support/faulty-node/node-world.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

/** A node that serves a zone, and the change of its denial at the api. */
async function startServing(denial: Denial) {
  const world = await startWorld({ zones: ['a.test'] });
  const { feed, engine } = world;
  const clock = new QuickClock(20);
  feed.denials.set('a.test', denial);
  const node = world.start({ clock });
  await world.converged();
  const change = (next: Denial) => {
    feed.denials.set('a.test', next);
    feed.rewind('a.test', [address('www', '192.0.2.2')]);
    feed.restored();
  };
  const readDenial = () => engine.held.get('a.test')?.denial;
  return { ...world, clock, node, change, readDenial };
}

test('A new zone gets its denial before its first records', async () => {
  const { engine, readDenial } = await startServing('NSEC3');
  expect(readDenial()).toBe('NSEC3');
  expect(engine.commits).toHaveLength(1);
});

test('A zone that the name server has gets another denial in both directions', async () => {
  const { converged, change, readDenial } = await startServing('NSEC');
  for (const denial of ['NSEC3', 'NSEC'] as const) {
    change(denial);
    await converged();
    expect(readDenial()).toBe(denial);
  }
});

test('A node asks the name server for the denial only if it changed', async () => {
  const { engine, feed, converged, change } = await startServing('NSEC');
  let calls = 0;
  engine.beforeDenial = async () => {
    calls += 1;
  };
  feed.keys.set('a.test', 'another key');
  change('NSEC');
  await converged();
  feed.set('a.test', { www: [address('www', '192.0.2.9')] });
  await converged();
  expect(calls).toBe(0);
});

test('A node that fails to change the denial reports the zone, and tries again', async () => {
  const { engine, feed, converged, change, readDenial } = await startServing('NSEC');
  let failures = 2;
  engine.beforeDenial = async () => {
    if (failures-- > 0) throw new Error('knotd did not sign the zone');
  };
  change('NSEC3');
  await expect.poll(() => feed.reports.some(({ failing }) => failing[0]?.error.includes('did not sign'))).toBe(true);
  await converged();
  expect(readDenial()).toBe('NSEC3');
});

test('A node gives the key again with the second attempt, because knotd may have lost it', async () => {
  const { engine, converged, change } = await startServing('NSEC');
  let failures = 1;
  engine.beforeDenial = async () => {
    if (failures-- > 0) throw new Error('knotd did not sign the zone');
  };
  change('NSEC3');
  await converged();
  expect(engine.additions.map(({ isKeyLost }) => isKeyLost)).toEqual([false, true]);
});

test('A node that was killed while the denial changed goes back to the old one if the api did', async () => {
  const { engine, clock, node, start, converged, change, readDenial } = await startServing('NSEC');
  let isKilled = false;
  engine.beforeDenial = async () => {
    if (isKilled) return;
    isKilled = true;
    // The name server has the new denial, and the node does not hear of it.
    engine.held.get('a.test')!.denial = 'NSEC3';
    await node.crash();
    throw new Error('killed');
  };
  change('NSEC3');
  await expect.poll(() => isKilled).toBe(true);
  change('NSEC');
  start({ clock });
  await converged();
  expect(readDenial()).toBe('NSEC');
});
