// Keeps a cache equal to the server: lists, watches, and recovers when either fails.
//
//        ┌──────────────────────────── 410, unreadable, other errors ◀─┐
//        ▼                                                             │
//   ──▶ list ──▶ cache replaced ──▶ watch at the last version ──────▶ ended
//        │ fails: growing wait         ▲                               │
//        └───▶ list                    └── closed, lost, 429, 5xx ─────┘
//
// The version only advances by lists and by events that are already in the cache, so reopening at it loses nothing.
// Every wait ends with the signal. watch.ts and backoff.ts hold the times, which are those of client-go and kube-rs.

import type { Clock } from '#base/clock.ts';
import { realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import type { KubeApi } from '../api/api.ts';
import { KubeError } from '../api/errors.ts';
import { createBackoff } from '../controller/backoff.ts';
import { compareResourceVersions, type KubeObject, type ResourceType } from '../objects/resource.ts';
import { fill, type Scope } from './fill.ts';
import type { Filling } from './shares.ts';
import { afterWatch, type NextStep, type WatchEvent, type WatchRun, watchOnce } from './watch.ts';

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
  const { api, type, store, observer } = options;
  const clock = options.clock ?? realClock;
  const random = options.random ?? Math.random;
  const scope = options.scope ?? {};
  const log = options.log.child({ cache: type.plural });
  const backoff = createBackoff({ clock, random });
  let version = '';

  const list = async (atLeast: string, signal: AbortSignal): Promise<void> => {
    const snapshot = await fill<T>(
      api,
      type,
      scope,
      options.pageSize ?? 250,
      atLeast,
      (object) => store.trim(object),
      signal,
    );
    // Older than the version we have seen: the server's store was restored from a backup, and the list is the truth.
    const wentBack = (compareResourceVersions(snapshot.resourceVersion, version) ?? 0) < 0;
    store.replace(snapshot.items, wentBack);
    version = snapshot.resourceVersion;
    observer?.listed(snapshot.items.length);
    log.info({ objects: snapshot.items.length, version }, 'listed');
  };

  const onEvent = (event: WatchEvent<T>): void => {
    observer?.event();
    if (event.type === 'BOOKMARK') version = event.resourceVersion;
    else {
      if (event.type === 'DELETED') store.remove(event.object);
      else store.upsert(event.object);
      version = event.object.metadata.resourceVersion ?? version;
    }
  };

  const watch = (signal: AbortSignal): Promise<WatchRun> =>
    watchOnce<T>(
      {
        api,
        type,
        scope,
        resourceVersion: version,
        timeoutSeconds: SHORTEST_WATCH_S + Math.floor(random() * WATCH_SPREAD_S),
        silenceMs: options.silenceMs ?? 150_000,
        clock,
        onEvent,
      },
      signal,
    );

  const pause = async (wait: NextStep['wait'], signal: AbortSignal): Promise<void> => {
    const ms = wait === 'backoff' ? backoff.next() : wait === 'none' ? 0 : wait;
    if (ms > 0) await sleep(clock, ms, signal);
  };

  const loop = async (signal: AbortSignal): Promise<never> => {
    let step: NextStep = { list: 'newest', wait: 'none' };
    let failingSince: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      await pause(step.wait, signal);
      if (step.list !== 'no') {
        try {
          await list(step.list === 'atLast' ? version : '', signal);
        } catch (error) {
          if (signal.aborted) throw error;
          log.warn({ err: error }, 'the list failed');
          step = { list: step.list, wait: (error instanceof KubeError && error.retryAfterMs) || 'backoff' };
          continue;
        }
      }
      const run = await watch(signal);
      observer?.watchEnded(run.end.kind);
      const fine = run.events > 0 || (run.end.kind === 'closed' && run.lastedMs >= 1_000);
      if (fine) failingSince = undefined;
      step = afterWatch(run, failingSince === undefined ? undefined : clock.now() - failingSince);
      // A list restarts the minute, but is no sign of health.
      if (step.list !== 'no') failingSince = clock.now();
      else if (run.end.kind !== 'closed') failingSince ??= clock.now();
      logEnd(log, run, step);
    }
  };

  return {
    run: async (signal) => {
      try {
        await loop(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

function logEnd(log: Logger, run: WatchRun, step: NextStep): void {
  const { end, events, lastedMs } = run;
  if (end.kind === 'closed') log.debug({ by: end.by, events, lastedMs }, 'the watch ended');
  else if (end.kind === 'failed') log.warn({ err: end.error, events, lastedMs, ...step }, 'the watch failed');
  else log.warn({ problem: end.problem, events, lastedMs, ...step }, 'the watch sent unreadable data');
}
