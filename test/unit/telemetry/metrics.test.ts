// The metrics of a process itself.
import { expect, test } from 'vitest';
import { createMetrics } from '#telemetry/metrics.ts';

test('the process measures the lag of the event loop ten times a second, because each measurement wakes the process', async () => {
  const { registry } = createMetrics();
  // The interval is a part of each value, and the least value since the last scrape is little else.
  const least = async () => Number(/_lag_min_seconds (\d\S+)$/m.exec(await registry.metrics())?.[1]);
  await expect.poll(least, { timeout: 60_000, interval: 500 }).toSatisfy((value) => value > 0.09 && value < 5);
});
