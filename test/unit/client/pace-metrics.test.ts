// The dispatcher whose waits are measured has all functions of the dispatcher.
import { expect, test } from 'vitest';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import { createPaceMetrics } from '#client/pace/metrics.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

test('a measured dispatcher runs jobs, tells pauses and shows its state', async () => {
  const clock = new FakeClock();
  const pace = createPaceMetrics(createMetrics({ processMetrics: false }), clock);
  const dispatcher = pace.observed(createDispatcher({ clock, random: () => 0, onPause: pace.onPause }));
  const { signal } = new AbortController();
  const job = { lane: 'change', zone: 'z1', signal, run: async () => 'done' } as const;
  expect(await dispatcher.submit(job)).toBe('done');
  const queue = { bucket: 'records', zone: 'z1' } as const;
  expect([dispatcher.hold(queue), dispatcher.retryTime('change', queue)]).toEqual([null, null]);
  expect(dispatcher.state()).toMatchObject({ inFlight: 0, groups: 0 });
});
