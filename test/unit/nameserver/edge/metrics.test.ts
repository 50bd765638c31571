// The metrics of the zones of an edge. Those of its knotd are tested with a real one
// (test/integration/nameserver/edge/edge.test.ts).
import { expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { type Held, leastExpiry } from '#nameserver/edge/held.ts';
import { watchZones } from '#nameserver/edge/metrics.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';

const log = createLogger({ name: 'test', level: 'silent' });

/** The series of an edge after one reading. */
async function readOnce(read: () => Promise<Held>): Promise<string[]> {
  const metrics = createMetrics({ processMetrics: false });
  const stop = new AbortController();
  const { run } = watchZones(metrics, read, { clock: realClock, log });
  const ended = run(stop.signal);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await ended;
  return (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('zonestead_'));
}

test('the first expiry of all zones is the least one, and zones without contents have none', () => {
  const item = (type: string, data: string) => ({ zone: 'a.test.', type, data });
  expect(leastExpiry([])).toBeNull();
  expect(leastExpiry([item('serial', '-'), item('refresh', '+23s'), item('expiration', 'not-running')])).toBeNull();
  expect(leastExpiry([item('expiration', '+6D23h59m57s'), item('expiration', '+5D1s'), item('refresh', '+1s')])).toBe(
    5 * 86_400 + 1,
  );
});

test('the zones that an edge lacks are counted, and a missing catalog counts as one', async () => {
  const expiresSeconds = 100;
  expect(await readOnce(async () => ({ state: 'all', zones: 7, expiresSeconds }))).toEqual([
    ...['zonestead_edge_zones_missing 0', 'zonestead_edge_zone_expires_seconds 100'],
  ]);
  const some = { state: 'some', zones: 7, missing: 'a.test.', lacking: 3, expiresSeconds } as const;
  expect(await readOnce(async () => some)).toContain('zonestead_edge_zones_missing 3');
  expect(await readOnce(async () => ({ state: 'none', expiresSeconds: null }))).toEqual([
    'zonestead_edge_zones_missing 1',
  ]);
});

test('a knotd that is down leaves the series of the zones as they are', async () => {
  expect(await readOnce(() => Promise.reject(new Error('down')))).toEqual(['zonestead_edge_zones_missing 0']);
});
