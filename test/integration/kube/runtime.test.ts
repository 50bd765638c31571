// Cache, queue and controller against a real kube-apiserver, also while it is restarted under a running watch.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import { createManager, type Manager } from '#kube/controller/manager.ts';
import { createKubeMetrics } from '#kube/metrics.ts';
import { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from '#kube/objects/finalizer.ts';
import { splitKey } from '#kube/objects/resource.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { WIDGETS, type Widget } from '../../support/kube/fake-apiserver.ts';
import { startWidgetCluster, type WidgetCluster } from '../../support/kube/widget-cluster.ts';

const FINALIZER = 'test.zonestead.dev/cleanup';
const me = { fieldManager: 'test' };
const PATIENCE = { timeout: 60_000, interval: 20 };

let cluster: WidgetCluster;
let writer: KubeApi;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  cluster = await startWidgetCluster();
  writer = cluster.api;
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => cluster?.stop());

/** A manager on a connection of its own; `run` starts it and it is stopped after the test. */
async function setUp(): Promise<{ manager: Manager; run: () => void; metrics: () => Promise<string> }> {
  const { api, close } = await cluster.connect();
  const metrics = createMetrics({ processMetrics: false });
  const log = createLogger({ name: 'test', level: 'silent' });
  const manager = createManager({ api, log, metrics, kubeMetrics: createKubeMetrics(metrics) });
  return {
    manager,
    metrics: () => metrics.registry.metrics(),
    run: () => {
      const stop = new AbortController();
      const running = manager.run(stop.signal);
      stops.push(async () => {
        stop.abort();
        await running;
        await close();
      });
    },
  };
}

const named = (name: string) => ({ namespace: 'default', name });
const color = (name: string, value: string) =>
  writer.apply<Widget>(WIDGETS, { metadata: named(name), spec: { color: value } }, me);

/** The objects of the server as `name=color`, those whose names begin with the prefix. */
async function truth(beginning: string): Promise<string[]> {
  const { items } = await writer.list<Widget>(WIDGETS, { namespace: 'default' });
  return describeAll(items, beginning);
}

function describeAll(items: readonly Widget[], beginning: string): string[] {
  return items
    .filter((item) => item.metadata.name.startsWith(beginning))
    .map((item) => `${item.metadata.name}=${item.spec?.color}`)
    .sort();
}

test('a cache takes a list of several pages and then follows every change', async () => {
  const names = Array.from({ length: 1_100 }, (_, i) => `many-${i}`);
  for (let i = 0; i < names.length; i += 50) {
    await Promise.all(names.slice(i, i + 50).map((name) => color(name, 'red')));
  }
  const { manager, run } = await setUp();
  const cache = manager.cache<Widget>(WIDGETS, { indexes: { byColor: (object) => [object.spec?.color ?? ''] } });
  run();
  await expect.poll(() => cache.hasSynced(), PATIENCE).toBe(true);
  expect(cache.byIndex('byColor', 'red')).toHaveLength(1_100);
  expect(cache.get('default/many-7')?.metadata).not.toHaveProperty('managedFields');
  await color('many-7', 'blue');
  await writer.delete(WIDGETS, named('many-8'));
  await color('many-new', 'blue');
  const blue = () => describeAll(cache.byIndex('byColor', 'blue'), 'many');
  await expect.poll(blue, PATIENCE).toEqual(['many-7=blue', 'many-new=blue']);
  await expect.poll(() => cache.get('default/many-8'), PATIENCE).toBeUndefined();
});

test('a cache contains its own write before the watch delivers it, and reports it once', async () => {
  await color('own-write', 'red');
  const { manager, run } = await setUp();
  const cache = manager.cache<Widget>(WIDGETS);
  const told: string[] = [];
  cache.onChange((key, kind, initial, object) => {
    if (key === 'default/own-write' && !initial) told.push(`${kind} ${object.spec?.color}`);
  });
  run();
  await expect.poll(() => cache.hasSynced(), PATIENCE).toBe(true);
  cache.observed(await color('own-write', 'blue'));
  expect(cache.get('default/own-write')?.spec?.color).toBe('blue');
  await color('own-write-after', 'red');
  await expect.poll(() => cache.get('default/own-write-after'), PATIENCE).toBeDefined();
  expect(told).toEqual(['update blue']);
});

test('a cache that may not read does not sync, and says so', async () => {
  const guest = await cluster.connect({ name: 'guest', groups: [] });
  const metrics = createMetrics({ processMetrics: false });
  const manager = createManager({
    api: guest.api,
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
    kubeMetrics: createKubeMetrics(metrics),
    syncTimeoutMs: 500,
  });
  manager.cache<Widget>(WIDGETS);
  await expect(manager.run(new AbortController().signal)).rejects.toThrow('widgets');
});

test('a controller brings objects to their end: finalizer, status, cleanup, and no run without need', async () => {
  const { manager, run } = await setUp();
  const { api } = manager;
  const cache = manager.cache<Widget>(WIDGETS);
  const queue = manager.queue({ name: 'widgets' });
  const cleaned: string[] = [];
  let runs = 0;
  cache.onChange((key, _kind, initial) => {
    if (key.startsWith('default/cared-')) queue.add(key, { priority: initial ? -100 : 0 });
  });
  manager.controller({
    name: 'widgets',
    queue,
    concurrency: 4,
    reconcile: async (key, { signal }) => {
      runs++;
      const object = cache.get(key);
      if (object === undefined) return;
      if (isDeleting(object)) {
        if (!hasFinalizer(object, FINALIZER)) return;
        cleaned.push(splitKey(key).name);
        await removeFinalizer(api, WIDGETS, object, FINALIZER, signal);
        return;
      }
      const current = await addFinalizer(api, WIDGETS, object, FINALIZER, signal);
      cache.observed(current);
      if (current.status?.seen === current.spec?.color) return;
      const status = { seen: current.spec?.color };
      cache.observed(await api.replaceStatus<Widget>(WIDGETS, { metadata: current.metadata, status }, me, signal));
    },
  });
  run();
  const names = Array.from({ length: 40 }, (_, i) => `cared-${i}`);
  await Promise.all(names.map((name) => color(name, 'red')));
  const seen = async () => {
    const { items } = await writer.list<Widget>(WIDGETS, { namespace: 'default' });
    return items.filter((item) => item.metadata.name.startsWith('cared-') && item.status?.seen === item.spec?.color);
  };
  await expect.poll(async () => (await seen()).length, PATIENCE).toBe(40);
  await Promise.all(names.map((name) => writer.merge(WIDGETS, named(name), { spec: { color: 'green' } })));
  await expect
    .poll(async () => (await seen()).filter((item) => item.spec?.color === 'green').length, PATIENCE)
    .toBe(40);
  await expect.poll(() => queue.stats(), PATIENCE).toMatchObject({ waiting: 0, processing: 0, delayed: 0 });
  const before = runs;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(runs).toBe(before);
  await Promise.all(names.map((name) => writer.delete(WIDGETS, named(name))));
  await expect.poll(() => truth('cared-'), PATIENCE).toEqual([]);
  expect(cleaned.sort()).toEqual([...names].sort());
});

test('a restart of the API server and its store under a running watch loses no change: those before, while it was down, and after', async () => {
  const { manager, run, metrics } = await setUp();
  const cache = manager.cache<Widget>(WIDGETS);
  const told = new Map<string, string[]>();
  cache.onChange((key, kind, _initial, object) => {
    const { name } = splitKey(key);
    told.set(name, [...(told.get(name) ?? []), `${kind} ${object.spec?.color}`]);
  });
  await color('r-kept', 'red');
  await color('r-deleted', 'red');
  await color('r-recreated', 'red');
  run();
  await expect.poll(() => cache.hasSynced(), PATIENCE).toBe(true);
  const old = cache.get('default/r-recreated')?.metadata.uid;

  // Changes at every moment: some are refused while the server is down and tried again until they are in.
  let writing = true;
  let step = 0;
  const steady = (async () => {
    while (writing) {
      await color(`r-steady-${step % 10}`, `step-${step}`).then(
        () => step++,
        () => undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await expect.poll(() => step, PATIENCE).toBeGreaterThan(10);
  await cluster.restart();
  // The watch is only opened again after a wait, so these happen before the cache looks.
  await writer.delete(WIDGETS, named('r-deleted'));
  await writer.delete(WIDGETS, named('r-recreated'));
  await color('r-recreated', 'blue');
  await color('r-kept', 'blue');
  const then = step;
  await expect.poll(() => step, PATIENCE).toBeGreaterThan(then + 20);
  writing = false;
  await steady;

  await expect.poll(async () => describeAll(cache.list(), 'r-'), PATIENCE).toEqual(await truth('r-'));
  expect(cache.get('default/r-recreated')?.metadata.uid).not.toBe(old);
  expect(told.get('r-deleted')).toEqual(['add red', 'delete red']);
  expect(told.get('r-recreated')).toEqual(['add red', 'delete red', 'add blue']);
  expect(told.get('r-kept')?.at(-1)).toBe('update blue');
  // The new server does not know the old version (410): the road through a list was taken.
  expect(await metrics()).toMatch(/zonestead_cache_lists_total\{cache="widgets"\} [2-9]/);
}, 300_000);
