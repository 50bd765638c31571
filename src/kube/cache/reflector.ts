// Keeps a cache equal to the server: lists, watches, and recovers when either fails.
//
//        ┌───────────────── 410, unreadable, silent, other errors ◀─────┐
//        ▼                                                             │
//   ──▶ list ──▶ cache replaced ──▶ watch at the last version ──────▶ ended
//        │ fails: growing wait         ▲                               │
//        ├───▶ list                    ├── same history ◀── look ◀─────┤ closed, lost, 429, 5xx
//        └────────────── older history, or unclear ◀─────────┘
//
// The version only advances by lists and by events that are already in the cache, so reopening at it loses nothing,
// unless etcd was restored from a backup meanwhile. So each reopening first looks at the server's history, with a list
// of one object: cache/history.ts.
// Every wait ends with the signal. The times of kube/cache/watch.ts and kube/controller/backoff.ts are those of
// client-go and kube-rs.

import { type Clock, realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import type { KubeApi } from '../api/api.ts';
import { KubeError } from '../api/errors.ts';
import { type Backoff, createBackoff } from '../controller/backoff.ts';
import type { KubeObject, ResourceType } from '../objects/resource.ts';
import { fill, type Scope } from './fill.ts';
import { type HistoryJudgement, SeenHistory } from './history.ts';
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
  /** Called before the cache is replaced by that of an etcd that was restored from a backup. */
  readonly wentBack?: (() => void) | undefined;
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
  readonly #history = new SeenHistory();
  /** Whether etcd is older than the cache, which has not been replaced yet. */
  #isOlder = false;

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
    this.#judge(this.#history.judge(snapshot.items, snapshot.resourceVersion));
    // The list of an older etcd is the truth, although the objects in the cache look newer.
    store.replace(snapshot.items, this.#isOlder);
    this.#history.replace(snapshot.items, snapshot.resourceVersion);
    this.#isOlder = false;
    observer?.listed(snapshot.items.length);
    this.#log.info({ objects: snapshot.items.length, version: this.#history.version }, 'listed');
  }

  #judge(judgement: HistoryJudgement): void {
    if (judgement !== 'older' || this.#isOlder) return;
    this.#isOlder = true;
    this.#log.error({ seen: this.#history.version }, 'the versions went back: etcd was restored from a backup');
    this.#options.wentBack?.();
  }

  /** Looks at the server's history. @returns whether a watch at the last version misses nothing */
  async #isSameHistory(signal: AbortSignal): Promise<boolean> {
    const { api, type } = this.#options;
    const { newest } = this.#history;
    // A selector of the scope selects few objects by itself.
    const place =
      newest === undefined || this.#scope.fieldSelector !== undefined
        ? {}
        : { namespace: newest.namespace, fieldSelector: `metadata.name=${newest.name}` };
    const page = await api.list<T>(type, { ...this.#scope, ...place, limit: 1 }, signal);
    const judgement = this.#history.judge(page.items, page.resourceVersion);
    this.#judge(judgement);
    return judgement === 'same';
  }

  #onEvent(event: WatchEvent<T>): void {
    const { observer, store } = this.#options;
    observer?.event();
    if (event.type === 'DELETED') store.remove(event.object);
    else if (event.type !== 'BOOKMARK') store.upsert(event.object);
    this.#history.add(event);
  }

  #watch(signal: AbortSignal): Promise<WatchRun> {
    const { api, type } = this.#options;
    return watchOnce<T>(
      {
        api,
        type,
        scope: this.#scope,
        resourceVersion: this.#history.version,
        timeoutSeconds: SHORTEST_WATCH_S + Math.floor(this.#random() * WATCH_SPREAD_S),
        silenceMs: this.#options.silenceMs ?? 150_000,
        clock: this.#clock,
        onEvent: (event) => this.#onEvent(event),
      },
      signal,
    );
  }

  /** Watches on where the last watch ended, or returns `list` if the history may be another one. */
  async #watchOn(signal: AbortSignal): Promise<WatchRun | 'list'> {
    try {
      if (!(await this.#isSameHistory(signal))) {
        this.#log.debug('the history may be another one: listed again');
        return 'list';
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof KubeError)) throw error;
      return { end: { kind: 'failed', error }, events: 0, lastedMs: 0 };
    }
    return this.#watch(signal);
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
          await this.#list(step.list === 'atLast' ? this.#history.version : '', signal);
        } catch (error) {
          if (signal.aborted) throw error;
          this.#log.warn({ err: error }, 'the list failed');
          step = { list: step.list, wait: (error instanceof KubeError && error.retryAfterMs) || 'backoff' };
          continue;
        }
      }
      const run = step.list === 'no' ? await this.#watchOn(signal) : await this.#watch(signal);
      if (run === 'list') {
        step = { list: 'newest', wait: 'none' };
        continue;
      }
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
