// An operator that does not reach its kube-apiserver: when it reports that it lives, and when a process that was the
// leader may end.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlPlane, runAwayReports, untilReachable } from '#operator/cluster/away.ts';
import { createLogger } from '#telemetry/log.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

let clock: FakeClock;
let controlPlane: ControlPlane;
let reports: number[];
let looks: number;
let isUp: boolean;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  controlPlane = new ControlPlane(clock);
  [reports, looks, isUp] = [[], 0, true];
  stop = new AbortController();
  ended = runAwayReports(
    {
      clock,
      log: createLogger({ name: 'test', level: 'silent' }),
      controlPlane,
      heartbeats: { reportAway: async () => void reports.push(clock.now()) },
      look: async () => {
        looks += 1;
        controlPlane.observe('GET', isUp ? 403 : 0);
        if (!isUp) throw new Error('refused');
      },
    },
    stop.signal,
  );
});
afterEach(async () => {
  stop.abort();
  await ended;
});
const fail = () => {
  isUp = false;
  controlPlane.observe('GET', 0);
};

test('a control plane that is down for 75 seconds is reported from the tenth second on, so that no minute is silent', async () => {
  await clock.advance(60_000);
  fail();
  const from = clock.now();
  await clock.advance(75_000);
  const times = [from, ...reports, clock.now()];
  expect((reports[0] ?? 0) - from).toBeLessThanOrEqual(14_000);
  for (const [index, at] of times.entries()) if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeLessThan(15_000);
  isUp = true;
  await clock.advance(2_000);
  const count = reports.length;
  await clock.advance(120_000);
  expect(reports).toHaveLength(count);
});

test('a call that was given up is not an outage: one look shows that the control plane answers', async () => {
  controlPlane.observe('GET', 0);
  await clock.advance(60_000);
  expect([looks, reports]).toEqual([1, []]);
});

test.each([
  ['GET', 200, true],
  ['PATCH', 409, true],
  ['GET', 403, true],
  ['GET', 0, false],
  ['GET', 500, false],
  ['GET', 504, false],
  ['WATCH', 200, false],
])('%s with %d shows that the control plane answers: %s', (method, status, isAnswer) => {
  controlPlane.observe('GET', 0);
  controlPlane.observe(method, status);
  expect(controlPlane.failingMs() === 0).toBe(isAnswer);
});

test('a process that has lost its lease stays until the control plane answers, or it is told to stop', async () => {
  const ends: string[] = [];
  fail();
  const aborted = new AbortController();
  void untilReachable({ clock, controlPlane }, aborted.signal).then(() => ends.push('aborted'));
  void untilReachable({ clock, controlPlane }, stop.signal).then(() => ends.push('reachable'));
  await clock.advance(60_000);
  expect(ends).toEqual([]);
  aborted.abort();
  await clock.advance(0);
  expect(ends).toEqual(['aborted']);
  isUp = true;
  await clock.advance(5_000);
  expect(ends).toEqual(['aborted', 'reachable']);
});
