// The reports of a node that probes, to an api that fails or is older.
import pino from 'pino';
import { expect, test } from 'vitest';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import type { Observations } from '#contract/feed-probes.ts';
import { createProber } from '#nameserver/node/prober.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

const DEFINITION = { type: 'http', interval: 1, timeout: 1, failures: 2, retryInterval: 0.5, successes: 1 };
const LISTED = { probe: 'p', owner: 'o', address: '192.0.2.1', state: 'Unknown' as const, definition: DEFINITION };

/** @param answer the version of the list that the api says; an error instead of an answer */
function startProber(answer: () => string | null | Error) {
  const clock = new FakeClock();
  const over = new AbortController();
  const reports: (Observations & { at: number })[] = [];
  const probes: number[] = [];
  const prober = createProber({
    api: {
      probes: async () => ({ version: 'v1', apartMs: 1_500, probes: [LISTED] }),
      reportProbes: async (report) => {
        reports.push({ ...report, at: clock.now() });
        const result = answer();
        if (result instanceof Error) throw result;
        return { known: true, probes: result };
      },
    },
    probe: async () => {
      probes.push(clock.now());
      return null;
    },
    ...{ name: 'ns1', clock, random: () => 0, log: pino({ level: 'silent' }), mayProbe: () => () => null },
    metrics: createMetrics({ processMetrics: false }),
  });
  const running = prober.run(over.signal);
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) await clock.advance(10);
  };
  const stop = async () => {
    over.abort();
    await running;
  };
  return { reports, probes, wait, stop, clock };
}

const refused = (status: number) =>
  new ApiError({ status, code: 'not_found', message: 'no', retryAfterMs: null, requestId: null });

test('an older api, which has no such reports, is asked every 30 s', async () => {
  const { reports, probes, wait, stop } = startProber(() => refused(404));
  await wait(61_000);
  await stop();
  expect(reports).toHaveLength(3);
  expect(probes).toEqual([]);
});

test('a node without a list reports that it can probe, and does not', async () => {
  const { reports, probes, wait, stop } = startProber(() => null);
  await wait(5_000);
  await stop();
  expect(reports.length).toBeGreaterThanOrEqual(4);
  expect(reports.every(({ votes, part }) => votes.length === 0 && part === 0)).toBe(true);
  expect(probes).toEqual([]);
});

test('a node probes with its share of the two probes a second, and reports a change once and then that it holds', async () => {
  const { reports, probes, wait, stop } = startProber(() => 'v1');
  await wait(31_000);
  await stop();
  expect(probes.length).toBeGreaterThanOrEqual(18);
  expect(probes.length).toBeLessThanOrEqual(21);
  const withVotes = reports.filter(({ votes }) => votes.length > 0);
  expect(withVotes.map(({ votes, part }) => [part, votes.length])).toEqual([[0, 1]]);
  expect(reports.at(-1)).toMatchObject({ part: 1, votes: [] });
  expect(new Set(reports.map(({ session }) => session)).size).toBe(1);
});

test('a node that does not reach the api stops its probes after three seconds, and continues later', async () => {
  let isAway = false;
  const { probes, wait, stop, clock } = startProber(() => (isAway ? new ApiUnavailable('away') : 'v1'));
  await wait(10_000);
  isAway = true;
  const awayAt = clock.now();
  await wait(20_000);
  expect(probes.at(-1)).toBeLessThanOrEqual(awayAt + 3_000);
  isAway = false;
  const before = probes.length;
  await wait(5_000);
  await stop();
  expect(probes.length).toBeGreaterThan(before);
});
