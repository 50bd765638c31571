// The keyed work queue between caches and reconcilers: level-triggered, so it holds keys and no payload. It must not know
// what a key means.
//
// A key is in at most one of these states; `add` and `done` are the only doors between them:
//
//   (absent) ──add──▶ waiting ──get──▶ processing ──done──▶ (absent)
//                        ▲                 │ add: marked dirty
//                        └──done if dirty──┘
//
// Beside that a key may have one due time (`delayed`): the earliest asked for. It ends in an add, and is dropped when the key is
// handed out sooner, because that run decides anew when to come back. One key is never handed out twice at once.
// Semantics of client-go's workqueue and controller-runtime's priority queue (priorities −100 and 0, FIFO within one).
import type { Clock } from './clock.ts';
import { realClock } from './clock.ts';

/** Of objects seen at the start and of resyncs: real changes (0) overtake them, so a restart does not starve users. */
export const LOW_PRIORITY = -100;
export const NORMAL_PRIORITY = 0;
/** Of objects that somebody waits for at this moment. */
export const HIGH_PRIORITY = 100;

export interface QueueItem {
  readonly key: string;
  readonly priority: number;
}

export interface QueueStats {
  readonly waiting: number;
  readonly delayed: number;
  readonly processing: number;
  /** Seconds of work going on that `worked` has not yet seen. */
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
}

export interface QueueObserver {
  added(): void;
  retried(): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
}

export interface QueueOptions {
  readonly name: string;
  readonly clock?: Clock;
  /** First delay of a failing key, doubled at each failure, in ms. (Default: 5.) */
  readonly baseDelayMs?: number;
  /** (Default: 1000 s.) */
  readonly maxDelayMs?: number;
  /** Of a key that is added without a priority. (Default: NORMAL_PRIORITY.) */
  readonly priorityOf?: ((key: string) => number) | undefined;
  readonly observer?: QueueObserver;
}

export interface WorkQueue {
  readonly name: string;
  /** Asks for a run. A waiting key moves up when the priority is higher; a key being worked runs again afterwards. */
  add(key: string, options?: { readonly priority?: number }): void;
  /** `add` after `delayMs`; of several, the earliest counts. */
  addAfter(key: string, delayMs: number, options?: { readonly priority?: number }): void;
  /** `addAfter` by the key's number of failures, which grows by one; returns the delay in ms. */
  addRateLimited(key: string, options?: { readonly priority?: number }): number;
  /** Clears the key's failures: after success, or after an edit, which deserves a prompt attempt. */
  forget(key: string): void;
  /** Failures since the last `forget`. */
  failures(key: string): number;
  /** Waits for a key. Undefined after shutDown, when nothing waits any more. Each key got must be given to `done`. */
  get(): Promise<QueueItem | undefined>;
  done(key: string): void;
  stats(): QueueStats;
  /** No new keys from now on; what waits is still handed out, what is delayed is dropped. */
  shutDown(): void;
  /** Resolves when nothing waits nor runs; never, unless shut down. */
  drained(): Promise<void>;
}

interface Waiting {
  readonly since: number;
  priority: number;
}

interface Delayed {
  readonly due: number;
  readonly priority: number;
  readonly cancel: () => void;
}

export function createQueue(options: QueueOptions): WorkQueue {
  return new KeyedQueue(options);
}

class KeyedQueue implements WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #priorityOf: (key: string) => number;
  readonly #observer: QueueObserver | undefined;

  readonly #waiting = new Map<string, Waiting>();
  // The waiting keys by priority; a Set keeps the order of insertion, which is the FIFO.
  readonly #lanes = new Map<number, Set<string>>();
  readonly #processing = new Map<string, number>();
  readonly #dirty = new Map<string, Waiting>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #getters: ((item: QueueItem | undefined) => void)[] = [];
  readonly #drainers: (() => void)[] = [];
  #closed = false;

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.#clock = options.clock ?? realClock;
    this.#baseDelayMs = options.baseDelayMs ?? 5;
    this.#maxDelayMs = options.maxDelayMs ?? 1_000_000;
    this.#priorityOf = options.priorityOf ?? (() => NORMAL_PRIORITY);
    this.#observer = options.observer;
  }

  add(key: string, options: { readonly priority?: number } = {}): void {
    if (this.#closed) return;
    const priority = options.priority ?? this.#priorityOf(key);
    const known = this.#waiting.get(key) ?? this.#dirty.get(key);
    if (known === undefined) this.#observer?.added();
    if (this.#processing.has(key)) {
      if (known === undefined) this.#dirty.set(key, { since: this.#clock.now(), priority });
      else known.priority = Math.max(known.priority, priority);
      return;
    }
    if (known === undefined) this.#append(key, { since: this.#clock.now(), priority });
    else if (priority > known.priority) {
      this.#lanes.get(known.priority)?.delete(key);
      known.priority = priority;
      this.#lane(priority).add(key);
    }
  }

  addAfter(key: string, delayMs: number, options: { readonly priority?: number } = {}): void {
    if (this.#closed) return;
    if (delayMs <= 0) {
      this.add(key, options);
      return;
    }
    const due = this.#clock.now() + delayMs;
    const pending = this.#delayed.get(key);
    const priority = Math.max(options.priority ?? this.#priorityOf(key), pending?.priority ?? Number.NEGATIVE_INFINITY);
    if (pending !== undefined && pending.due <= due && pending.priority === priority) return;
    pending?.cancel();
    this.#delay(key, Math.min(due, pending?.due ?? due), priority);
  }

  addRateLimited(key: string, options: { readonly priority?: number } = {}): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const delay = Math.min(this.#baseDelayMs * 2 ** failures, this.#maxDelayMs);
    this.#observer?.retried();
    this.addAfter(key, delay, options);
    return delay;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  get(): Promise<QueueItem | undefined> {
    const next = this.#first();
    if (next !== undefined) return Promise.resolve(this.#take(next));
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#getters.push(resolve));
  }

  done(key: string): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#observer?.worked((this.#clock.now() - since) / 1000);
    const again = this.#dirty.get(key);
    if (again !== undefined) {
      this.#dirty.delete(key);
      this.#append(key, again);
    }
    this.#settle();
  }

  stats(): QueueStats {
    const now = this.#clock.now();
    let unfinished = 0;
    let longest = 0;
    for (const since of this.#processing.values()) {
      unfinished += now - since;
      longest = Math.max(longest, now - since);
    }
    return {
      waiting: this.#waiting.size,
      delayed: this.#delayed.size,
      processing: this.#processing.size,
      unfinishedSeconds: unfinished / 1000,
      longestRunningSeconds: longest / 1000,
    };
  }

  shutDown(): void {
    this.#closed = true;
    for (const pending of this.#delayed.values()) pending.cancel();
    this.#delayed.clear();
    for (const resolve of this.#getters.splice(0)) resolve(undefined);
    this.#settle();
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drainers.push(resolve);
      this.#settle();
    });
  }

  #delay(key: string, due: number, priority: number): void {
    const cancel = this.#clock.setTimeout(() => {
      // Timers longer than the platform's longest fire early.
      if (this.#clock.now() < due) return this.#delay(key, due, priority);
      this.#delayed.delete(key);
      this.add(key, { priority });
    }, due - this.#clock.now());
    this.#delayed.set(key, { due, priority, cancel });
  }

  #append(key: string, entry: Waiting): void {
    this.#waiting.set(key, entry);
    this.#lane(entry.priority).add(key);
    const getter = this.#getters.shift();
    if (getter !== undefined) getter(this.#take(key));
  }

  #take(key: string): QueueItem {
    const { since, priority } = this.#waiting.get(key)!;
    this.#waiting.delete(key);
    this.#lanes.get(priority)?.delete(key);
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
    const now = this.#clock.now();
    this.#processing.set(key, now);
    this.#observer?.waited((now - since) / 1000);
    return { key, priority };
  }

  #first(): string | undefined {
    let best: number | undefined;
    for (const [priority, keys] of this.#lanes) {
      if (keys.size > 0 && (best === undefined || priority > best)) best = priority;
    }
    return best === undefined ? undefined : this.#lanes.get(best)?.values().next().value;
  }

  #lane(priority: number): Set<string> {
    let lane = this.#lanes.get(priority);
    if (lane === undefined) {
      lane = new Set();
      this.#lanes.set(priority, lane);
    }
    return lane;
  }

  #settle(): void {
    if (!this.#closed || this.#waiting.size > 0 || this.#processing.size > 0) return;
    for (const resolve of this.#drainers.splice(0)) resolve();
  }
}
