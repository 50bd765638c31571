// Objects that wait for the service run when it answers again, all at once and once.
import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { createServiceWatch } from '#client/service-watch.ts';
import { getAccount } from '#contract/operations/account.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

function watched() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const state = { back: false, asked: 0, woken: [] as string[] };
  const client = fakeClient(
    on(getAccount, () => {
      state.asked += 1;
      return state.back ? Promise.resolve({} as never) : Promise.reject(new ApiUnavailable('away'));
    }),
  );
  const watch = createServiceWatch(client, clock);
  const running = watch.run(stop.signal);
  const wait = (key: string) => watch.wait(key, () => void state.woken.push(key));
  const end = () => {
    stop.abort();
    return running;
  };
  return { clock, state, wait, end };
}

test('the watch for the service sends no request while no object waits', async () => {
  const { clock, state, end } = watched();
  await clock.advance(60_000);
  expect(state.asked).toBe(0);
  await end();
});

test('the watch for the service polls every two seconds while an object waits, and runs each of them once', async () => {
  const { clock, state, wait, end } = watched();
  wait('a');
  wait('b');
  wait('a');
  await clock.advance(6_000);
  expect([state.asked, state.woken]).toEqual([3, []]);
  state.back = true;
  await clock.advance(2_000);
  expect(state.woken).toEqual(['a', 'b']);
  await clock.advance(10_000);
  expect(state.asked).toBe(4);
  await end();
});

test('the watch for the service leaves an object that fails while the service answers to its own back-off', async () => {
  const { clock, state, wait, end } = watched();
  state.back = true;
  wait('a');
  await clock.advance(60_000);
  expect([state.asked, state.woken]).toEqual([1, []]);
  await end();
});

test('the watch for the service also runs an object that came after the last failed poll', async () => {
  const { clock, state, wait, end } = watched();
  wait('a');
  await clock.advance(2_500);
  wait('b');
  state.back = true;
  await clock.advance(2_000);
  expect(state.woken).toEqual(['a', 'b']);
  await end();
});

test('the watch for the service ends with the signal', async () => {
  const { end } = watched();
  await settle();
  await expect(end()).resolves.toBeUndefined();
});
