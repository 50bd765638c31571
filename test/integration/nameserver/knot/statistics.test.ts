// The counters of a real knotd as metrics, also while its control socket serves no client.
import { Resolver } from 'node:dns/promises';
import { afterAll, expect, test } from 'vitest';
import { watchKnot } from '#nameserver/knot/metrics.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { testKnot } from '../../../support/knot/knot.ts';

const knot = await testKnot({ rateLimit: { perSecond: 2, slip: 1 } });
const metrics = createMetrics({ processMetrics: false });
const watching = watchKnot(metrics, knot.folder);
afterAll(() => watching.close());
const resolver = new Resolver({ timeout: 60_000, tries: 1 });
resolver.setServers([`127.0.0.1:${knot.port}`]);
/** The value of a series; the labels in the order of the metric. */
const value = async (series: string) => {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(`zonestead_${series} `));
  return Number(line?.split(' ').at(-1));
};

test('queries, types, answers and limited answers are counted', async () => {
  await Promise.all(Array.from({ length: 30 }, () => resolver.resolveMx('nowhere.example').catch(() => undefined)));
  await expect.poll(() => value('dns_query_types_total{type="MX"}')).toBeGreaterThanOrEqual(30);
  expect(await value('dns_queries_total{transport="udp",family="ipv4"}')).toBeGreaterThanOrEqual(30);
  expect(await value('dns_rate_limited_total{result="truncated"}')).toBeGreaterThan(0);
  expect(await value('dns_answers_total{rcode="REFUSED"}')).toBeGreaterThan(0);
  expect([await value('dns_up'), await value('dns_zones')]).toEqual([1, 0]);
  expect(await value('dns_memory_bytes')).toBeGreaterThan(1_000_000);
});

test('a scrape does not wait for a control socket that is busy, and the age of the values grows', async () => {
  process.kill(knot.part.pid, 'SIGSTOP');
  await expect.poll(() => value('dns_statistics_age_seconds'), { timeout: 60_000 }).toBeGreaterThan(2.3);
  expect(await value('dns_up')).toBe(1);
  expect(await value('dns_query_types_total{type="MX"}')).toBeGreaterThanOrEqual(30);
  process.kill(knot.part.pid, 'SIGCONT');
  await expect.poll(() => value('dns_statistics_age_seconds'), { timeout: 60_000 }).toBeLessThan(1);
});

test('a knotd that was killed is down, and up again when it is back', async () => {
  await knot.part.stop({ signal: 'SIGKILL' });
  await expect.poll(() => value('dns_up'), { timeout: 60_000 }).toBe(0);
  expect(await value('dns_memory_bytes')).toBeNaN();
  await knot.restart('SIGKILL');
  await expect.poll(() => value('dns_up'), { timeout: 60_000 }).toBe(1);
});
