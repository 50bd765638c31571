// Keeps a cache equal to the server: lists, watches, and recovers when either fails.
//
//        ┌──────────────────────────── 410, unreadable, other errors ◀─┐
//        ▼                                                             │
//   ──▶ list ──▶ cache replaced ──▶ watch at the last version ──────▶ ended
//        │ fails: growing wait         ▲                               │
//        └───▶ list                    └── closed, lost, 429, 5xx ─────┘
//
// The version only advances by lists and by events that are already in the cache, so reopening at it loses nothing.
// Every wait ends with the signal. The times of kube/cache/watch.ts and kube/controller/backoff.ts are those of
// client-go and kube-rs.

import { type Clock, realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import type { KubeApi } from '../api/api.ts';
import { KubeError } from '../api/errors.ts';
import { type Backoff, createBackoff } from '../controller/backoff.ts';
import { compareResourceVersions, type KubeObject, type ResourceType } from '../objects/resource.ts';
import { fill, type Scope } from './fill.ts';
import type { Filling } from './shares.ts';
import { afterWatch, type WatchEvent, type WatchRun, type WatchStep, watchOnce } from './watch.ts';

export interface ReflectorObserver {
  listed(objects: number): void;
  watchEnded(how: 'closed' | 'failed' | 'corrupt'): void;
  event(): void;
}

interface ReflectorOptions<T extends KubeObject> {
  readonly api: KubeApi;
  readonly type: ResourceType;
  readonly store: Filling<T>;
  readonly log: Logger;
  readonly scope?: Scope;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** The number of objects in a page of a list; it bounds how long one parse blocks everything else. (Default: 250.) */
  readonly pageSize?: number;
  /** A watch without a byte for this long is reopened; bookmarks arrive about once a minute. (Default: 150 s.) */
  readonly silenceMs?: number;
  readonly observer?: ReflectorObserver;
}

export interface Reflector {
  /** Runs until the signal aborts; then resolves. Never rejects on failures of the server or the network. */
  run(signal: AbortSignal): Promise<void>;
}

// Without a limit of ours the server would keep a watch open for 30 to 60 minutes. The time is random, so that not all
// watches end at once.
const SHORTEST_WATCH_S = 300;
const WATCH_SPREAD_S = 300;

export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector {
  return new ListReflector(options);
}

class ListReflector<T extends KubeObject> implements Reflector {
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #scope: NonNullable<ReflectorOptions<T>['scope']>;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  #version = '';

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    const { type } = this.#options;
    this.#clock = this.#options.clock ?? realClock;
    this.#random = this.#options.random ?? Math.random;
    this.#scope = this.#options.scope ?? {};
    this.#log = this.#options.log.child({ cache: type.plural });
    this.#backoff = createBackoff({ clock: this.#clock, random: this.#random });
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#loop(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #list(atLeast: string, signal: AbortSignal): Promise<void> {
    const { api, type, store, observer } = this.#options;
    const snapshot = await fill<T>(
      api,
      type,
      this.#scope,
      this.#options.pageSize ?? 250,
      atLeast,
      (object) => store.trim(object),
      signal,
    );
    // Older than the version we have seen: the server's store was restored from a backup, and the list is the truth.
    const wentBack = (compareResourceVersions(snapshot.resourceVersion, this.#version) ?? 0) < 0;
    store.replace(snapshot.items, wentBack);
    this.#version = snapshot.resourceVersion;
    observer?.listed(snapshot.items.length);
    this.#log.info({ objects: snapshot.items.length, version: this.#version }, 'listed');
  }

  #onEvent(event: WatchEvent<T>): void {
    const { observer, store } = this.#options;
    observer?.event();
    if (event.type === 'BOOKMARK') this.#version = event.resourceVersion;
    else {
      if (event.type === 'DELETED') store.remove(event.object);
      else store.upsert(event.object);
      this.#version = event.object.metadata.resourceVersion ?? this.#version;
    }
  }

  #watch(signal: AbortSignal): Promise<WatchRun> {
    const { api, type } = this.#options;
    return watchOnce<T>(
      {
        api,
        type,
        scope: this.#scope,
        resourceVersion: this.#version,
        timeoutSeconds: SHORTEST_WATCH_S + Math.floor(this.#random() * WATCH_SPREAD_S),
        silenceMs: this.#options.silenceMs ?? 150_000,
        clock: this.#clock,
        onEvent: (event) => this.#onEvent(event),
      },
      signal,
    );
  }

  async #pause(wait: WatchStep['wait'], signal: AbortSignal): Promise<void> {
    const ms = wait === 'backoff' ? this.#backoff.next() : wait === 'none' ? 0 : wait;
    if (ms > 0) await sleep(this.#clock, ms, signal);
  }

  async #loop(signal: AbortSignal): Promise<never> {
    const { observer } = this.#options;
    let step: WatchStep = { list: 'newest', wait: 'none' };
    let failingSince: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      await this.#pause(step.wait, signal);
      if (step.list !== 'no') {
        try {
          await this.#list(step.list === 'atLast' ? this.#version : '', signal);
        } catch (error) {
          if (signal.aborted) throw error;
          this.#log.warn({ err: error }, 'the list failed');
          step = { list: step.list, wait: (error instanceof KubeError && error.retryAfterMs) || 'backoff' };
          continue;
        }
      }
      const run = await this.#watch(signal);
      observer?.watchEnded(run.end.kind);
      const fine = run.events > 0 || (run.end.kind === 'closed' && run.lastedMs >= 1_000);
      if (fine) failingSince = undefined;
      step = afterWatch(run, failingSince === undefined ? undefined : this.#clock.now() - failingSince);
      // A list restarts the minute, but does not prove health.
      if (step.list !== 'no') failingSince = this.#clock.now();
      else if (run.end.kind !== 'closed') failingSince ??= this.#clock.now();
      logEnd(this.#log, run, step);
    }
  }
}

function logEnd(log: Logger, run: WatchRun, step: WatchStep): void {
  const { end, events, lastedMs } = run;
  if (end.kind === 'closed') log.debug({ by: end.by, events, lastedMs }, 'the watch ended');
  else if (end.kind === 'failed') log.warn({ err: end.error, events, lastedMs, ...step }, 'the watch failed');
  else log.warn({ problem: end.problem, events, lastedMs, ...step }, 'the watch sent unreadable data');
}
