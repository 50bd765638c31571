// Starts and stops the parts of a controller process in the right order, and nothing else.
//
//   start:  health server → caches (all in within 2 minutes) → events → the lease → controllers and tasks
//   stop:   controllers and tasks (8 s, runs that ignore their signal 1 s more) → the lease released (2 s)
//           → caches (3 s) → events flushed (3 s) → health server; under 20 s together
//
// A replica that waits for the lease is ready, and its caches and queues are full: the handover takes one write.
// A replica that loses the lease aborts its runs at once.
// A part that fails stops the process: run() then rejects with its error after everything else was stopped.

import { type Clock, realClock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { endsWithin, sleep, untilAborted } from '#base/wait.ts';
import { type HealthReport, startHealthServer } from '#telemetry/health.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { KubeApi } from '../api/api.ts';
import type { Scope } from '../cache/fill.ts';
import type { IndexFunction } from '../cache/indexes.ts';
import { createReflector, type Reflector } from '../cache/reflector.ts';
import { createShare, type Filling } from '../cache/shares.ts';
import { type Cache, createStore } from '../cache/store.ts';
import { createEventRecorder, type EventRecorder } from '../events/events.ts';
import { type Election, LeadershipLost } from '../leader/election.ts';
import type { KubeMetrics } from '../metrics.ts';
import type { KubeObject, ResourceType } from '../objects/resource.ts';
import { type Controller, createController, type Reconcile } from './controller.ts';
import { createQueue, type QueueOptions, type WorkQueue } from './queue.ts';

export interface ManagerOptions {
  readonly api: KubeApi;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly kubeMetrics: KubeMetrics;
  /** Where /healthz, /readyz and /metrics are served. Absent: they are not served. */
  readonly health?: { readonly port: number; readonly host?: string } | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** (Default: 120000.) */
  readonly syncTimeoutMs?: number;
  /** Decides which of several replicas runs controllers and tasks. (Default: this process, at once.) */
  readonly election?: Election | undefined;
  /** Called after this replica has lost the lease and ended its work, before the process stops. */
  readonly onLost?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** See kube/cache/reflector.ts. (Default: 150000.) */
  readonly silenceMs?: number | undefined;
}

interface CacheOptions<T> extends Scope {
  /**
   * The namespaces to watch, each with a watch of its own: rights in other namespaces are not needed then. Absent: all.
   */
  readonly namespaces?: readonly string[] | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  readonly transform?: (object: T) => T;
  /** See kube/cache/reflector.ts. */
  readonly wentBack?: () => void;
}

/** (Defaults: a first delay of 1 s, a longest of 5 min; the others as in kube/controller/queue.ts.) */
export type QueueSettings = Omit<QueueOptions, 'clock' | 'observer'>;

interface ControllerSettings {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  /** (Default: 1.) */
  readonly concurrency?: number;
  /** (Default: 60000.) */
  readonly timeoutMs?: number;
}

export interface Manager {
  readonly api: KubeApi;
  /** A cache of the type, filled by one watch. It and everything below must be requested before `run`. */
  cache<T extends KubeObject>(type: ResourceType, options?: CacheOptions<T>): Cache<T>;
  /** A cache that is empty until its `run`: for objects that are not always needed. */
  cacheOnDemand<T extends KubeObject>(type: ResourceType, options?: CacheOptions<T>): CacheOnDemand<T>;
  queue(settings: QueueSettings): WorkQueue;
  controller(settings: ControllerSettings): Controller;
  /** `controller` is the reporting controller: a qualified name such as `zonestead.dev/operator`. */
  events(controller: string): EventRecorder;
  /** Runs work next to the controllers. It must end soon after the signal; when it rejects, the process stops. */
  task(run: (signal: AbortSignal) => Promise<void>): void;
  /** Adds a condition for /readyz. */
  readyWhen(name: string, check: () => boolean): void;
  /** The port of the health server; undefined while it does not listen. */
  healthPort(): number | undefined;
  /**
   * Starts everything, and stops it when the signal aborts.
   * @throws the error of a part that failed; Error when the caches do not fill
   */
  run(signal: AbortSignal): Promise<void>;
}

// With one more second for runs that ignore their signal (controller.ts), all work in flight ends within 10 s.
const STOP_CONTROLLERS_MS = 8_000;
const FLUSH_EVENTS_MS = 3_000;
const SYNC_POLL_MS = 20;

export interface CacheOnDemand<T extends KubeObject> {
  readonly cache: Cache<T>;
  /** True once the lists of all namespaces are complete. */
  hasSynced(): boolean;
  /** Fills the cache until the signal aborts; then resolves. */
  run(signal: AbortSignal): Promise<void>;
}

interface CachePart {
  readonly name: string;
  readonly reflector: Reflector;
  readonly hasSynced: () => boolean;
}

export function createManager(options: ManagerOptions): Manager {
  return new ProcessManager(options);
}

class ProcessManager implements Manager {
  readonly #options: ManagerOptions;
  readonly #api: KubeApi;
  readonly #clock: Clock;
  readonly #caches: CachePart[] = [];
  readonly #controllers: Controller[] = [];
  readonly #recorders: EventRecorder[] = [];
  readonly #tasks: ((signal: AbortSignal) => Promise<void>)[] = [];
  readonly #checks = new Map<string, () => boolean>();
  #running = false;
  #healthPort: number | undefined;
  readonly api: KubeApi;
  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#api = options.api;
    this.#clock = this.#options.clock ?? realClock;
    this.api = this.#api;
  }

  cache<T extends KubeObject>(type: ResourceType, settings: CacheOptions<T> = {}): Cache<T> {
    const { store, parts } = this.#createCache(type, settings);
    this.#caches.push(...parts);
    return store;
  }

  cacheOnDemand<T extends KubeObject>(type: ResourceType, settings: CacheOptions<T> = {}): CacheOnDemand<T> {
    const { store, parts } = this.#createCache(type, settings);
    return {
      cache: store,
      hasSynced: () => parts.every(({ hasSynced }) => hasSynced()),
      run: async (signal) => void (await Promise.all(parts.map(({ reflector }) => reflector.run(signal)))),
    };
  }

  #createCache<T extends KubeObject>(
    type: ResourceType,
    settings: CacheOptions<T>,
  ): { store: Cache<T>; parts: readonly CachePart[] } {
    const parts: CachePart[] = [];
    const { log, kubeMetrics } = this.#options;
    const { indexes, transform, namespaces, wentBack, ...scope } = settings;
    const name = type.plural;
    const store = createStore<T>({ indexes, transform, log: log.child({ cache: name }), clock: this.#clock });
    const observer = kubeMetrics.cache(name, () => store.size);
    const keep = (part: string, partScope: Scope, filling: Filling<T>, hasSynced: () => boolean): void => {
      const reflector = createReflector<T>({
        api: this.#api,
        type,
        store: filling,
        scope: partScope,
        log,
        clock: this.#clock,
        random: this.#options.random ?? Math.random,
        ...(this.#options.silenceMs === undefined ? {} : { silenceMs: this.#options.silenceMs }),
        observer,
        wentBack,
      });
      parts.push({ name: part, reflector, hasSynced });
    };
    if (namespaces === undefined) keep(name, scope, store, () => store.hasSynced());
    for (const namespace of namespaces ?? []) {
      const { filling, hasSynced } = createShare(store, namespace);
      keep(`${namespace}/${name}`, { ...scope, namespace }, filling, hasSynced);
    }
    return { store, parts };
  }

  queue(settings: QueueSettings): WorkQueue {
    const { kubeMetrics } = this.#options;
    const observer = kubeMetrics.queue(settings.name);
    const queue = createQueue({ baseDelayMs: 1_000, maxDelayMs: 300_000, ...settings, clock: this.#clock, observer });
    kubeMetrics.follow(queue);
    return queue;
  }

  controller(settings: ControllerSettings): Controller {
    const { kubeMetrics, log } = this.#options;
    const observer = kubeMetrics.controller(settings.name, settings.concurrency ?? 1);
    const controller = createController({ ...settings, log, clock: this.#clock, observer });
    this.#controllers.push(controller);
    return controller;
  }

  events(controller: string): EventRecorder {
    const { log, kubeMetrics } = this.#options;
    const recorder = createEventRecorder({
      api: this.#api,
      controller,
      log,
      clock: this.#clock,
      dropped: kubeMetrics.eventDropped,
    });
    this.#recorders.push(recorder);
    return recorder;
  }

  task(run: (signal: AbortSignal) => Promise<void>): void {
    return void this.#tasks.push(run);
  }

  readyWhen(name: string, check: () => boolean): void {
    return void this.#checks.set(name, check);
  }

  healthPort(): number | undefined {
    return this.#healthPort;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { health, metrics } = this.#options;
    const server =
      health && (await startHealthServer({ ...health, ready: () => this.#ready(), registry: metrics.registry }));
    this.#healthPort = server?.port;
    try {
      await this.#work(signal);
    } finally {
      this.#healthPort = undefined;
      await server?.close();
    }
  }

  #ready(): HealthReport {
    const { election } = this.#options;
    const results: Record<string, string> = { manager: this.#running ? 'running' : 'not running' };
    if (election) results.lease = election.leads() ? 'leading' : 'waiting';
    for (const { name, hasSynced } of this.#caches) results[name] = hasSynced() ? 'synced' : 'not synced';
    let ok = this.#running && this.#caches.every((cache) => cache.hasSynced());
    for (const [name, check] of this.#checks) {
      const hasPassed = check();
      results[name] = hasPassed ? 'ok' : 'not ok';
      ok &&= hasPassed;
    }
    return { ok, checks: results };
  }

  async #allSynced(signal: AbortSignal): Promise<void> {
    const timeoutMs = this.#options.syncTimeoutMs ?? 120_000;
    const end = this.#clock.now() + timeoutMs;
    for (;;) {
      const unsyncedCaches = this.#caches.filter((cache) => !cache.hasSynced());
      if (unsyncedCaches.length === 0) return;
      if (this.#clock.now() >= end) {
        const names = unsyncedCaches.map((cache) => cache.name).join(', ');
        throw new Error(`No complete list within ${timeoutMs / 1000} s of: ${names}`);
      }
      await sleep(this.#clock, SYNC_POLL_MS, signal);
    }
  }

  /**
   * Runs controllers and tasks until `end` or `lossSignal` aborts. Returns whether everything that was started has
   * ended.
   */
  async #lead(end: AbortSignal, lossSignal: AbortSignal, fail: (error: unknown) => void): Promise<boolean> {
    const { log } = this.#options;
    const stop = new AbortController();
    const abortRuns = (): void => {
      for (const controller of this.#controllers) controller.abort(lossSignal.reason);
    };
    lossSignal.addEventListener('abort', abortRuns, { once: true });
    for (const controller of this.#controllers) controller.start();
    const workers = this.#tasks.map(async (task) => {
      try {
        await task(stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) fail(error);
      }
    });
    log.info('running');
    await untilAborted(AbortSignal.any([end, lossSignal]));
    log.info('stopping');
    stop.abort(new DOMException('The process is stopping', 'AbortError'));
    const ends = await Promise.all([
      ...this.#controllers.map((controller) => controller.stop(STOP_CONTROLLERS_MS)),
      endsWithin(this.#clock, STOP_CONTROLLERS_MS, Promise.all(workers)),
    ]);
    lossSignal.removeEventListener('abort', abortRuns);
    return ends.every((hasEnded) => hasEnded);
  }

  async #work(signal: AbortSignal): Promise<void> {
    const failureAbort = new AbortController();
    const fail = (error: unknown): void => failureAbort.abort(error);
    const stopCaches = new AbortController();
    const anyEnd = AbortSignal.any([signal, failureAbort.signal]);
    const filling = this.#caches.map((cache) => cache.reflector.run(stopCaches.signal).catch(fail));
    const sending = this.#recorders.map((recorder) => recorder.run(stopCaches.signal).catch(fail));
    const { election } = this.#options;
    try {
      await this.#allSynced(anyEnd);
      this.#running = true;
      if (election) await election.run((lossSignal) => this.#lead(anyEnd, lossSignal, fail), anyEnd);
      else await this.#lead(anyEnd, new AbortController().signal, fail);
    } catch (error) {
      this.#running = false;
      if (error instanceof LeadershipLost) await this.#options.onLost?.(signal);
      // A stop while the caches fill is not a failure.
      if (!signal.aborted) fail(error);
    } finally {
      this.#running = false;
      stopCaches.abort(new DOMException('The process is stopping', 'AbortError'));
      await endsWithin(this.#clock, FLUSH_EVENTS_MS, Promise.all([...filling, ...sending]));
      const limit = deadline(this.#clock, FLUSH_EVENTS_MS);
      await Promise.all(this.#recorders.map((recorder) => recorder.flush(limit.signal)));
      limit.clear();
    }
    if (failureAbort.signal.aborted) throw failureAbort.signal.reason;
  }
}
