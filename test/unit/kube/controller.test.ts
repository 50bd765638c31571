// The controller's four ways for a run to end, its time limit, and stopping.
import { expect, test, vi } from 'vitest';
import { TerminalError } from '#kube/api/errors.ts';
import { type ControllerOptions, createController } from '#kube/controller/controller.ts';
import { createQueue } from '#kube/controller/queue.ts';
import { createLogger } from '#telemetry/log.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

const log = createLogger({ name: 'test', level: 'silent' });

function setUp(reconcile: ControllerOptions['reconcile'], change: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const queue = createQueue({ name: 'test', clock, baseDelayMs: 1_000 });
  const observer = { started: vi.fn(), finished: vi.fn(), terminal: vi.fn(), timedOut: vi.fn() };
  const controller = createController({ name: 'test', queue, reconcile, log, clock, observer, ...change });
  controller.start();
  return { clock, queue, controller, observer };
}

test('a run that returns is done, and its failures are forgotten', async () => {
  const runs: string[] = [];
  const { queue, observer, clock } = setUp(async (key) => void runs.push(key));
  queue.addRateLimited('a');
  await clock.advance(1_000);
  expect(runs).toEqual(['a']);
  expect(queue.failures('a')).toBe(0);
  expect(observer.finished).toHaveBeenCalledWith('success', 0);
});

test('a run that asks for a requeue is run again at that time', async () => {
  let runs = 0;
  const { queue, clock, observer } = setUp(async () => {
    runs++;
    return { requeueAfterMs: 30_000 };
  });
  queue.add('a');
  await clock.advance(29_999);
  expect(runs).toBe(1);
  await clock.advance(1);
  expect(runs).toBe(2);
  expect(observer.finished).toHaveBeenCalledWith('requeue_after', 0);
});

test('a run that throws is retried after a growing delay, also when it throws synchronously', async () => {
  let runs = 0;
  const { queue, clock, observer } = setUp(() => {
    runs++;
    throw new Error('no luck');
  });
  queue.add('a');
  await clock.advance(1_000 + 2_000 + 3_999);
  expect(runs).toBe(3);
  await clock.advance(1);
  expect(runs).toBe(4);
  expect(observer.finished).toHaveBeenCalledWith('error', 0);
});

test('a run that throws a TerminalError is not retried, but an event runs it again', async () => {
  let runs = 0;
  const { queue, clock, observer } = setUp(async () => {
    runs++;
    throw new TerminalError('no retry fixes this');
  });
  queue.add('a');
  await clock.advance(3_600_000);
  expect(runs).toBe(1);
  expect(observer.terminal).toHaveBeenCalledOnce();
  queue.add('a');
  await settle();
  expect(runs).toBe(2);
});

test('a run that exceeds its time limit is aborted, counted and retried', async () => {
  const { queue, clock, observer } = setUp(
    (_key, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  queue.add('a');
  await clock.advance(60_000);
  expect(observer.timedOut).toHaveBeenCalledOnce();
  expect(queue.stats()).toMatchObject({ delayed: 1, processing: 0 });
});

test('a run that ignores its time limit does not block the worker, and its key still has one run at a time', async () => {
  const runs: string[] = [];
  let release = (): void => undefined;
  const { queue, clock } = setUp(async (key) => {
    runs.push(key);
    if (key === 'stuck')
      await new Promise<void>((resolve) => {
        release = resolve;
      });
  });
  queue.add('stuck');
  queue.add('next');
  await clock.advance(64_999);
  expect(runs).toEqual(['stuck']);
  queue.add('stuck');
  await clock.advance(1);
  expect(runs).toEqual(['stuck', 'next']);
  release();
  await settle();
  expect(runs).toEqual(['stuck', 'next', 'stuck']);
});

test('a controller works on at most as many keys at once as it has workers', async () => {
  let active = 0;
  let most = 0;
  const { queue, clock } = setUp(
    async () => {
      active++;
      most = Math.max(most, active);
      await settle();
      active--;
    },
    { concurrency: 3 },
  );
  for (let i = 0; i < 20; i++) queue.add(`key-${i}`);
  await vi.waitFor(() => expect(queue.stats()).toMatchObject({ waiting: 0, processing: 0 }), {
    timeout: 60_000,
  });
  expect(most).toBe(3);
  expect(clock.timers()).toEqual([]);
});

test('stopping a controller lets the current run end and takes no more keys', async () => {
  const runs: string[] = [];
  let release = (): void => undefined;
  const { queue, controller } = setUp(async (key) => {
    runs.push(key);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  queue.add('a');
  queue.add('b');
  await settle();
  let stopped = false;
  const stop = controller.stop(20_000).then(() => {
    stopped = true;
  });
  await settle();
  expect(stopped).toBe(false);
  release();
  await stop;
  expect(runs).toEqual(['a']);
});

test('stopping a controller aborts a run that takes longer than the grace period, and abandons one that ignores the abort', async () => {
  let aborted = false;
  const { queue, controller, clock } = setUp(
    (_key, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
      }),
  );
  queue.add('a');
  await settle();
  const stop = controller.stop(20_000);
  await clock.advance(19_999);
  expect(aborted).toBe(false);
  await clock.advance(1);
  expect(aborted).toBe(true);
  await clock.advance(5_000);
  await stop;
});
