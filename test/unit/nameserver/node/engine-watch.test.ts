// The questions that a node asks its name server.
import { afterAll, expect, test } from 'vitest';
import { EngineWatch } from '#nameserver/node/engine-watch.ts';
import { emptyRow, openState } from '#nameserver/node/state.ts';
import { createLogger } from '#telemetry/log.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { FakeClock, settle } from '../../../support/time/fake-clock.ts';

const { state } = openState(await temporaryFolder('watch'));
const stop = new AbortController();
afterAll(() => {
  stop.abort();
  state.close();
});

test('a zone that could not be loaded is looked at again soon after work has succeeded, and else after a minute', async () => {
  const clock = new FakeClock();
  let serial: number | null = null;
  let questions = 0;
  state.put({ ...emptyRow('a.test', 'zone-1'), engineSerial: 7 });
  const watch = new EngineWatch({
    engine: {
      version: async () => 'Memory 1.0',
      zones: async () => {
        questions += 1;
        return [{ name: 'a.test', serial }];
      },
      check: async () => undefined,
    },
    ...{ state, clock, present: new Set<string>(), random: () => 0, isBusy: () => true },
    log: createLogger({ name: 'test', level: 'silent' }),
    ...{ onUp: () => undefined, onLost: () => undefined, onDoubt: () => undefined, onUnknown: () => undefined },
  });
  await watch.firstZones(stop.signal);
  void watch.run(stop.signal);
  await clock.advance(5_000);
  expect([...watch.loading.failed]).toEqual(['a.test']);
  serial = 8;
  const before = questions;
  watch.noteWork('failed');
  await clock.advance(2_000);
  expect(questions).toBe(before);
  watch.noteWork('applied');
  await settle();
  await clock.advance(2_000);
  expect([...watch.loading.failed]).toEqual([]);
});
