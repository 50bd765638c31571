// The manager: the order of starting and stopping, readiness, and what happens when a part fails.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApi } from '#kube/api/api.ts';
import { createTransport, type Transport } from '#kube/api/transport.ts';
import { createManager, type Manager, type ManagerOptions } from '#kube/controller/manager.ts';
import type { Election } from '#kube/leader/election.ts';
import { createKubeMetrics } from '#kube/metrics.ts';
import { addFinalizer, removeFinalizer } from '#kube/objects/finalizer.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics, type Metrics } from '#telemetry/metrics.ts';
import {
  type Answer,
  type FakeApiServer,
  json,
  page,
  startFakeApiServer,
  status,
  WIDGETS,
  type Widget,
  watch,
  widget,
} from '../../support/kube/fake-apiserver.ts';

let server: FakeApiServer;
let transport: Transport;
let metrics: Metrics;
let make: (more?: Partial<ManagerOptions>) => Manager;
let manager: Manager;
let stop: AbortController;

beforeEach(async () => {
  server = await startFakeApiServer();
  metrics = createMetrics({ processMetrics: false });
  const kubeMetrics = createKubeMetrics(metrics);
  transport = createTransport({ credentials: server.credentials(), observe: kubeMetrics.calls });
  make = (more = {}) =>
    createManager({
      api: createApi(transport),
      log: createLogger({ name: 'test', level: 'silent' }),
      metrics,
      kubeMetrics,
      health: { port: 0, host: '127.0.0.1' },
      ...more,
    });
  manager = make();
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await transport.close();
  await server.close();
});

async function probe(path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${manager.healthPort()}${path}`);
  return { status: answer.status, text: await answer.text() };
}

/** A cache, a queue fed by it, and a controller that records its keys. */
function wire() {
  const runs: string[] = [];
  const cache = manager.cache<Widget>(WIDGETS);
  const queue = manager.queue({ name: 'widgets' });
  cache.onChange((key) => queue.add(key));
  manager.controller({
    name: 'widgets',
    queue,
    reconcile: async (key) => {
      runs.push(`${key} ${cache.get(key)?.metadata.resourceVersion}`);
    },
  });
  return { cache, queue, runs };
}

test('the manager runs the objects of the first list only when the list is complete, and later each changed object', async () => {
  const { runs } = wire();
  const open = watch();
  server.script(page([widget('a', '1')], '10', 'more'), page([widget('b', '2')], '10'), open.answer);
  const running = manager.run(stop.signal);
  await expect.poll(() => runs).toEqual(['default/a 1', 'default/b 2']);
  open.event('MODIFIED', widget('a', '11'));
  await expect.poll(() => runs).toEqual(['default/a 1', 'default/b 2', 'default/a 11']);
  stop.abort();
  await running;
});

test('the manager reads a cache on demand only while it runs, and is ready without it', async () => {
  const onDemand = manager.cacheOnDemand<Widget>(WIDGETS, { namespaces: ['default', 'other'] });
  const running = manager.run(stop.signal);
  await expect.poll(() => manager.healthPort()).toBeDefined();
  await expect.poll(async () => (await probe('/readyz')).status).toBe(200);
  expect([onDemand.hasSynced(), server.received.length]).toEqual([false, 0]);
  const [one, two] = [watch(), watch()];
  server.script(page([widget('a', '1')], '10'), page([], '10'), one.answer, two.answer);
  const filling = onDemand.run(stop.signal);
  await expect.poll(() => onDemand.hasSynced()).toBe(true);
  expect(onDemand.cache.keys()).toEqual(['default/a']);
  expect(server.received.slice(0, 2).map(({ path }) => path.split('/').at(-2))).toEqual(['default', 'other']);
  stop.abort();
  await Promise.all([running, filling]);
});

test('the manager is ready when every cache is in sync and every other check passes, and alive before that', async () => {
  wire();
  let other = false;
  manager.readyWhen('other', () => other);
  let list = (): void => undefined;
  const whenTold: Answer = (response, request) => {
    list = () => page([], '10')(response, request);
  };
  server.script(whenTold, watch().answer);
  const running = manager.run(stop.signal);
  await expect.poll(() => manager.healthPort()).toBeDefined();
  expect((await probe('/healthz')).status).toBe(200);
  expect(await probe('/readyz')).toMatchObject({ status: 503, text: expect.stringContaining('not synced') });
  await server.requests(1);
  list();
  await expect.poll(async () => (await probe('/readyz')).text).toContain('"widgets":"synced","other":"not ok"');
  other = true;
  await expect.poll(async () => (await probe('/readyz')).status).toBe(200);
  expect((await probe('/other')).status).toBe(404);
  stop.abort();
  await running;
  expect(manager.healthPort()).toBeUndefined();
});

test('the manager serves every series at zero from the start', async () => {
  wire();
  server.script(page([], '10'), watch().answer);
  const running = manager.run(stop.signal);
  await expect.poll(() => manager.healthPort()).toBeDefined();
  const { text } = await probe('/metrics');
  for (const line of [
    'zonestead_controller_reconcile_total{controller="widgets",result="success"} 0',
    'zonestead_controller_reconcile_total{controller="widgets",result="error"} 0',
    'zonestead_controller_terminal_reconcile_errors_total{controller="widgets"} 0',
    'zonestead_controller_reconcile_timeouts_total{controller="widgets"} 0',
    'zonestead_controller_max_concurrent_reconciles{controller="widgets"} 1',
    'zonestead_workqueue_depth{name="widgets"} 0',
    'zonestead_workqueue_retries_total{name="widgets"} 0',
    'zonestead_workqueue_longest_running_processor_seconds{name="widgets"} 0',
    'zonestead_cache_watches_total{cache="widgets",end="failed"} 0',
    'zonestead_events_dropped_total{reason="queue_full"} 0',
  ]) {
    expect(text).toContain(line);
  }
  stop.abort();
  await running;
});

test('a manager that ends because a cache does not fill names it', async () => {
  manager = make({ syncTimeoutMs: 200 });
  wire();
  server.script(status(403, 'Forbidden'));
  await expect(manager.run(stop.signal)).rejects.toThrow('No complete list within 0.2 s of: widgets');
});

test('a manager that ends because a task fails stops the rest and gives its error', async () => {
  wire();
  const failure = new Error('the task broke');
  manager.task(async () => {
    throw failure;
  });
  server.script(page([], '10'), watch().answer);
  await expect(manager.run(stop.signal)).rejects.toBe(failure);
});

test('a manager that ends because it is stopped while caches fill is not a failure', async () => {
  wire();
  server.script(() => undefined);
  const running = manager.run(stop.signal);
  await server.requests(1);
  stop.abort();
  await running;
});

test('the manager stops controllers and tasks first, then the watches, then sends the remaining events', async () => {
  const order: string[] = [];
  const { queue } = wire();
  const recorder = manager.events('test.zonestead.dev/tester');
  manager.task(
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          order.push('task told');
          recorder.record(widget('a', '1'), { type: 'Normal', reason: 'Stopping', action: 'Stop', note: 'bye' });
          resolve();
        });
      }),
  );
  const open = watch();
  server.script(
    page([], '10'),
    (response, request) => {
      response.on('close', () => order.push('watch closed'));
      open.answer(response, request);
    },
    (response, request) => {
      order.push('event sent');
      json({})(response, request);
    },
  );
  const running = manager.run(stop.signal);
  await server.requests(2);
  await expect.poll(async () => (await probe('/readyz')).status).toBe(200);
  stop.abort();
  await running;
  queue.add('default/late');
  expect(order[0]).toBe('task told');
  expect(order).toContain('event sent');
  await expect.poll(() => order).toContain('watch closed');
  expect(queue.stats()).toMatchObject({ waiting: 0, processing: 0 });
});

describe('with an election', () => {
  /** An election that the test wins and loses by hand; `released` holds the result of the work. */
  function byHand() {
    const lost = new AbortController();
    const released: boolean[] = [];
    let win = (): void => undefined;
    const won = new Promise<void>((resolve) => {
      win = resolve;
    });
    let leads = false;
    const election: Election = {
      identity: 'me',
      leads: () => leads,
      terms: () => (leads ? 1 : 0),
      progress: () => undefined,
      run: async (work, signal) => {
        const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await Promise.race([won, stopped]);
        if (signal.aborted) return;
        leads = true;
        released.push(await work(lost.signal));
        if (lost.signal.aborted) throw lost.signal.reason;
      },
    };
    return { election, lost, released, win };
  }

  test('with an election, the manager is ready with full caches while it waits, runs nothing before it leads, and then at once', async () => {
    const { election, win, released } = byHand();
    manager = make({ election });
    const { runs, cache } = wire();
    server.script(page([widget('a', '1')], '10'), watch().answer);
    const running = manager.run(stop.signal);
    await expect.poll(async () => (await probe('/readyz')).status).toBe(200);
    expect((await probe('/readyz')).text).toContain('"lease":"waiting"');
    expect([cache.size, runs]).toEqual([1, []]);
    win();
    await expect.poll(() => runs).toEqual(['default/a 1']);
    expect((await probe('/readyz')).text).toContain('"lease":"leading"');
    stop.abort();
    await running;
    expect(released).toEqual([true]);
  });

  test('with an election, the manager ends its runs without grace when the leadership is lost, and fails with that', async () => {
    const { election, win, lost } = byHand();
    manager = make({ election });
    const queue = manager.queue({ name: 'widgets' });
    const seen: unknown[] = [];
    manager.controller({
      name: 'widgets',
      queue,
      reconcile: (_key, { signal }) =>
        new Promise((_resolve, reject) => {
          seen.push('began');
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const running = manager.run(stop.signal);
    win();
    queue.add('default/a');
    await expect.poll(() => seen).toEqual(['began']);
    const why = new Error('another process leads');
    const start = performance.now();
    lost.abort(why);
    await expect(running).rejects.toBe(why);
    // Not the 8 s that an orderly stop gives to runs in progress.
    expect(performance.now() - start).toBeLessThan(7_500);
  });

  test('with an election, the manager lets work in progress end before it reports that all has ended', async () => {
    const { election, win, released } = byHand();
    manager = make({ election });
    const queue = manager.queue({ name: 'widgets' });
    let finish = (): void => undefined;
    const done: string[] = [];
    manager.controller({
      name: 'widgets',
      queue,
      reconcile: async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        done.push('finished');
      },
    });
    const running = manager.run(stop.signal);
    win();
    queue.add('default/a');
    await expect.poll(() => queue.stats().processing).toBe(1);
    stop.abort();
    setTimeout(() => finish(), 100);
    await running;
    expect([done, released]).toEqual([['finished'], [true]]);
  });
});

const name = 'test.zonestead.dev/cleanup';
const api = () => createApi(transport);

test('finalizers are added by a patch at the version that was read, and only when missing', async () => {
  server.script(json(widget('a', '2')));
  await addFinalizer(api(), WIDGETS, widget('a', '1'), name);
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
    metadata: { uid: 'uid-of-a', resourceVersion: '1', finalizers: [name] },
  });
  const finalized = { ...widget('a', '2'), metadata: { ...widget('a', '2').metadata, finalizers: [name] } };
  expect(await addFinalizer(api(), WIDGETS, finalized, name)).toBe(finalized);
  expect(server.received).toHaveLength(1);
});

test('finalizers are removed without touching those of others; a changed object throws, for a deleted one there is nothing to do', async () => {
  const metadata = { ...widget('a', '2').metadata, finalizers: ['other/one', name] };
  const finalized = { ...widget('a', '2'), metadata };
  server.script(json({}), status(409, 'Conflict'), status(404, 'NotFound'));
  await removeFinalizer(api(), WIDGETS, finalized, name);
  expect(JSON.parse(server.received[0]?.body ?? '').metadata.finalizers).toEqual(['other/one']);
  await expect(removeFinalizer(api(), WIDGETS, finalized, name)).rejects.toMatchObject({ status: 409 });
  expect(await removeFinalizer(api(), WIDGETS, finalized, name)).toBeUndefined();
});
