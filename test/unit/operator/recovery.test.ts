// The runs of objects that wait for the service: they begin when it answers again, also if their back-off is longer.
import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { createServiceWatch } from '#client/service-watch.ts';
import { getAccount } from '#contract/operations/account.ts';
import { runsOnRecovery } from '#operator/run/queues.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

test('objects of both kinds run when the service answers again, and begin without a back-off', async () => {
  const clock = new FakeClock();
  let isAway = true;
  const client = fakeClient(
    on(getAccount, async () => {
      if (isAway) throw new ApiUnavailable('away');
      return {} as never;
    }),
  );
  const watch = createServiceWatch(client, clock);
  const calls: string[] = [];
  const queue = (name: string) => ({
    forget: (key: string) => void calls.push(`${name} forgets ${key}`),
    add: (key: string) => void calls.push(`${name} adds ${key}`),
  });
  const { enqueueZoneOnRecovery, enqueueRecordOnRecovery } = runsOnRecovery(watch, queue('zones'), queue('records'));
  const stop = new AbortController();
  const ended = watch.run(stop.signal);
  enqueueZoneOnRecovery('n/zone');
  enqueueRecordOnRecovery('n/record');
  await clock.advance(60_000);
  expect(calls).toEqual([]);
  isAway = false;
  await clock.advance(2_000);
  expect(calls).toEqual([
    'zones forgets n/zone',
    'zones adds n/zone',
    'records forgets n/record',
    'records adds n/record',
  ]);
  stop.abort();
  await ended;
});
