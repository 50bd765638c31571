// The keyed work queue between caches and reconcilers: level-triggered, so it holds keys and no payload.
//
// A key is in at most one of these states; only `add`, `get` and `done` move it:
//
//   (absent) ──add──▶ waiting ──get──▶ processing ──done──▶ (absent)
//                        ▲                 │ add: marked dirty
//                        └──done if dirty──┘
//
// In addition a key may have one due time (`delayed`), the earliest requested one. It ends in an add, and is dropped if
// the key is handed out sooner, because that run decides again when to return. One key is never handed out twice at
// once. Groups of keys take turns (base/fair/queue.ts), and a group has at most its share of the workers
// (base/fair/permits.ts). Within a group the queue works as client-go's workqueue and controller-runtime's priority
// queue (priorities −100 and 0, FIFO within one priority), but a low priority also has a turn now and then.
import { type Clock, realClock } from '#base/clock.ts';
import { FairPermits } from '#base/fair/permits.ts';
import { FairQueue } from '#base/fair/queue.ts';

/**
 * The priority of objects seen at the start and of resyncs. Real changes (0) go first, so that a restart does not delay
 * users.
 */
export const LOW_PRIORITY = -100;
export const NORMAL_PRIORITY = 0;
/** The priority of objects that a user or a program is waiting for at this moment. */
export const HIGH_PRIORITY = 100;

export type Priority = typeof LOW_PRIORITY | typeof NORMAL_PRIORITY | typeof HIGH_PRIORITY;

/** The lanes of the fair queue. */
const LANES: readonly Priority[] = [HIGH_PRIORITY, NORMAL_PRIORITY, LOW_PRIORITY];

export interface QueueItem {
  readonly key: string;
  readonly priority: Priority;
}

export interface QueueStats {
  readonly waiting: number;
  /** Groups with keys that wait. */
  readonly waitingGroups: number;
  readonly delayed: number;
  readonly processing: number;
  /** Seconds of work in progress that `worked` has not counted yet. */
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
  /**
   * The priority of a key that is added without one; priorities order the keys within a group. (Default:
   * NORMAL_PRIORITY.)
   */
  readonly priorityOf?: ((key: string) => Priority) | undefined;
  /** Keys of one group take turns with those of the others. Absent: all keys are one group. */
  readonly groupOf?: ((key: string) => string) | undefined;
  /** How many workers take keys, for the share of a group. Absent: a group may have all. */
  readonly workers?: number | undefined;
  readonly observer?: QueueObserver;
}

export interface WorkQueue {
  readonly name: string;
  /**
   * Asks for a run. A waiting key moves up when the new priority is higher; a key that is being worked on runs again
   * afterwards.
   */
  add(key: string, options?: { readonly priority?: Priority }): void;
  /** Adds the key after `delayMs`. If it has several due times, the earliest counts. */
  addAfter(key: string, delayMs: number, options?: { readonly priority?: Priority }): void;
  /** `addAfter` by the key's number of failures, which grows by one; returns the delay in ms. */
  addRateLimited(key: string, options?: { readonly priority?: Priority }): number;
  /** Clears the key's failures: after a success, or after an edit, which should be tried soon. */
  forget(key: string): void;
  /** Failures since the last `forget`. */
  failures(key: string): number;
  /**
   * Waits for a key. Returns undefined after shutDown when no key is waiting. Each returned key must be given to
   * `done`.
   */
  get(): Promise<QueueItem | undefined>;
  done(key: string): void;
  stats(): QueueStats;
  /** Accepts no new keys from now on; waiting keys are still handed out, delayed keys are dropped. */
  shutDown(): void;
  /** Resolves when no key is waiting and no run is in progress, but only after shutDown. */
  drained(): Promise<void>;
}

interface Waiting {
  readonly since: number;
  priority: Priority;
}

interface Delayed {
  readonly due: number;
  readonly priority: Priority;
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
  readonly #priorityOf: (key: string) => Priority;
  readonly #groupOf: (key: string) => string;
  readonly #observer: QueueObserver | undefined;

  readonly #waiting = new Map<string, Waiting>();
  /** The waiting keys. */
  readonly #order = new FairQueue<string>({ lanes: LANES.length });
  readonly #workers: FairPermits;
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
    this.#groupOf = options.groupOf ?? (() => '');
    this.#workers = new FairPermits(options.workers ?? Number.POSITIVE_INFINITY);
    this.#observer = options.observer;
  }

  add(key: string, options: { readonly priority?: Priority } = {}): void {
    if (this.#closed) return;
    const priority = options.priority ?? this.#priorityOf(key);
    const waitingEntry = this.#waiting.get(key) ?? this.#dirty.get(key);
    if (waitingEntry === undefined) this.#observer?.added();
    if (this.#processing.has(key)) {
      if (waitingEntry === undefined) this.#dirty.set(key, { since: this.#clock.now(), priority });
      else waitingEntry.priority = higher(waitingEntry.priority, priority);
      return;
    }
    if (waitingEntry === undefined) this.#append(key, { since: this.#clock.now(), priority });
    else if (priority > waitingEntry.priority) {
      waitingEntry.priority = priority;
      this.#line(key, priority);
    }
  }

  addAfter(key: string, delayMs: number, options: { readonly priority?: Priority } = {}): void {
    if (this.#closed) return;
    if (delayMs <= 0) {
      this.add(key, options);
      return;
    }
    const dueAt = this.#clock.now() + delayMs;
    const delayedKey = this.#delayed.get(key);
    const priority = higher(options.priority ?? this.#priorityOf(key), delayedKey?.priority);
    if (delayedKey !== undefined && delayedKey.due <= dueAt && delayedKey.priority === priority) return;
    delayedKey?.cancel();
    this.#delay(key, Math.min(dueAt, delayedKey?.due ?? dueAt), priority);
  }

  addRateLimited(key: string, options: { readonly priority?: Priority } = {}): number {
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
    if (this.#closed && this.#waiting.size === 0) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#getters.push(resolve));
  }

  done(key: string): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    this.#workers.give(this.#groupOf(key));
    this.#observer?.worked((this.#clock.now() - since) / 1000);
    const again = this.#dirty.get(key);
    if (again !== undefined) {
      this.#dirty.delete(key);
      this.#append(key, again);
    }
    this.#serve();
    this.#settle();
  }

  stats(): QueueStats {
    const now = this.#clock.now();
    let unfinishedMs = 0;
    let longest = 0;
    for (const since of this.#processing.values()) {
      unfinishedMs += now - since;
      longest = Math.max(longest, now - since);
    }
    return {
      waiting: this.#waiting.size,
      waitingGroups: this.#order.groups,
      delayed: this.#delayed.size,
      processing: this.#processing.size,
      unfinishedSeconds: unfinishedMs / 1000,
      longestRunningSeconds: longest / 1000,
    };
  }

  shutDown(): void {
    this.#closed = true;
    for (const delayedKey of this.#delayed.values()) delayedKey.cancel();
    this.#delayed.clear();
    this.#serve();
    this.#settle();
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drainers.push(resolve);
      this.#settle();
    });
  }

  #delay(key: string, dueAt: number, priority: Priority): void {
    const cancel = this.#clock.setTimeout(() => {
      // Timers that exceed the longest delay of the platform would fire at once.
      if (this.#clock.now() < dueAt) return this.#delay(key, dueAt, priority);
      this.#delayed.delete(key);
      this.add(key, { priority });
    }, dueAt - this.#clock.now());
    this.#delayed.set(key, { due: dueAt, priority, cancel });
  }

  #append(key: string, entry: Waiting): void {
    this.#waiting.set(key, entry);
    this.#line(key, entry.priority);
    this.#serve();
  }

  /** Gives waiting workers the keys that they may have now. */
  #serve(): void {
    while (this.#getters.length > 0) {
      const next = this.#first();
      if (next === undefined) break;
      this.#getters.shift()?.(this.#take(next));
    }
    if (this.#closed && this.#waiting.size === 0) {
      for (const resolve of this.#getters.splice(0)) resolve(undefined);
    }
  }

  #take(key: string): QueueItem {
    const { since, priority } = this.#waiting.get(key)!;
    this.#waiting.delete(key);
    this.#order.take(key);
    this.#workers.take(this.#groupOf(key));
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
    const now = this.#clock.now();
    this.#processing.set(key, now);
    this.#observer?.waited((now - since) / 1000);
    return { key, priority };
  }

  #first(): string | undefined {
    const share = this.#workers.share(this.#order);
    return this.#order.next({ groupMayGo: (group) => this.#workers.of(group) < share });
  }

  #line(key: string, priority: Priority): void {
    this.#order.add(key, { group: this.#groupOf(key), lane: LANES.indexOf(priority) });
  }

  #settle(): void {
    if (!this.#closed || this.#waiting.size > 0 || this.#processing.size > 0) return;
    for (const resolve of this.#drainers.splice(0)) resolve();
  }
}

function higher(a: Priority, b: Priority = a): Priority {
  return a > b ? a : b;
}
