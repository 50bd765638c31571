// The series of the canary: they exist at zero from the start, and end with their address.
import { expect, test } from 'vitest';
import { createCanaryMetrics } from '#canary/metrics.ts';
import { createMetrics } from '#telemetry/metrics.ts';

async function scrape(run: (metrics: ReturnType<typeof createCanaryMetrics>) => void): Promise<string[]> {
  const registry = createMetrics({ processMetrics: false });
  run(createCanaryMetrics(registry, () => new Map([['192.0.2.1', 3]])));
  const text = await registry.registry.metrics();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('the series of changes and challenges exist at zero from the start', async () => {
  const lines = await scrape(() => undefined);
  for (const result of ['answered', 'late', 'failed'])
    expect(lines).toContain(`zonestead_canary_changes_total{result="${result}"} 0`);
  for (const result of ['issued', 'failed'])
    expect(lines).toContain(`zonestead_canary_challenges_total{result="${result}"} 0`);
  for (const name of ['change', 'challenge'])
    expect(lines).toContain(`zonestead_canary_${name}_duration_seconds_count 0`);
  expect(lines).toContain('zonestead_canary_query_duration_seconds_count{transport="tcp"} 0');
  expect(lines).toContain('zonestead_canary_freshness_seconds{address="192.0.2.1"} 3');
});

test('the series of an address exist at zero as soon as the address is known, and end with it', async () => {
  const queries = (lines: string[]) => lines.filter((line) => line.startsWith('zonestead_canary_queries_total'));
  const known = queries(await scrape(({ setAddresses }) => setAddresses(['192.0.2.1'])));
  expect(known).toHaveLength(8);
  expect(known).toContain('zonestead_canary_queries_total{address="192.0.2.1",transport="tcp",result="silent"} 0');
  const moved = queries(
    await scrape(({ setAddresses, countQuery }) => {
      setAddresses(['192.0.2.1', '192.0.2.2']);
      countQuery('192.0.2.2', 'udp', 'right', 0.1);
      setAddresses(['192.0.2.2']);
      // The answer to an earlier query makes no new series.
      countQuery('192.0.2.1', 'udp', 'right', 0.1);
    }),
  );
  expect(moved).toHaveLength(8);
  expect(moved).toContain('zonestead_canary_queries_total{address="192.0.2.2",transport="udp",result="right"} 1');
});

test('a late change counts with its limit, and a failed one has no duration', async () => {
  const lines = await scrape(({ countChange, countChallenge }) => {
    countChange('late', 30);
    countChange('failed', null);
    countChallenge('failed', null);
  });
  expect(lines).toContain('zonestead_canary_change_duration_seconds_count 1');
  expect(lines).toContain('zonestead_canary_change_duration_seconds_sum 30');
  expect(lines).toContain('zonestead_canary_challenge_duration_seconds_count 0');
});
