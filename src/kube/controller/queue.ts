// The keyed work queue between caches and reconcilers: level-triggered, so it holds keys and no payload.
//
// A key is in at most one of these states; only `add`, `get` and `done` move it:
//
//   (absent) ──add──▶ waiting ──get──▶ processing ──done──▶ (absent)
//                        ▲                 │ add: marked dirty
//                        └──done if dirty──┘
//
// In addition a key may have one due time (`delayed`), the earliest requested one. It ends in an add, and is dropped if the
// key is handed out sooner, because that run decides again when to return. One key is never handed out twice at once.
// Groups of keys take turns. A group has at most its share of the workers, computed as if there were one more group, so that
// a new group finds a free worker. Within a group the queue works as client-go's workqueue and controller-runtime's priority
// queue (priorities −100 and 0, FIFO within one priority).
import type { Clock } from '#base/clock.ts';
import { realClock } from '#base/clock.ts';

/**
 * The priority of objects seen at the start and of resyncs. Real changes (0) go first, so that a restart does not delay
 * users.
 */
export const LOW_PRIORITY = -100;
export const NORMAL_PRIORITY = 0;
/** The priority of objects that a user or a program is waiting for at this moment. */
export const HIGH_PRIORITY = 100;

export interface QueueItem {
  readonly key: string;
  readonly priority: number;
}

export interface QueueStats {
  readonly waiting: number;
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
  readonly priorityOf?: ((key: string) => number) | undefined;
  /** Keys of one group take turns with those of the others. (Default: all keys are one group.) */
  readonly groupOf?: ((key: string) => string) | undefined;
  /** How many workers take keys, for the share of a group. (Default: a group may have all.) */
  readonly workers?: number | undefined;
  readonly observer?: QueueObserver;
}

export interface WorkQueue {
  readonly name: string;
  /**
   * Asks for a run. A waiting key moves up when the new priority is higher; a key that is being worked on runs again
   * afterwards.
   */
  add(key: string, options?: { readonly priority?: number }): void;
  /** Adds the key after `delayMs`. If it has several due times, the earliest counts. */
  addAfter(key: string, delayMs: number, options?: { readonly priority?: number }): void;
  /** `addAfter` by the key's number of failures, which grows by one; returns the delay in ms. */
  addRateLimited(key: string, options?: { readonly priority?: number }): number;
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
  readonly #groupOf: (key: string) => string;
  readonly #workers: number;
  readonly #observer: QueueObserver | undefined;

  readonly #waiting = new Map<string, Waiting>();
  // The waiting keys by group and priority. A Set keeps the order of insertion, which is the FIFO. The order of the
  // groups is the round robin: a group that was served goes to the end.
  readonly #groups = new Map<string, Map<number, Set<string>>>();
  /** Keys that are being worked on, by group. */
  readonly #working = new Map<string, number>();
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
    this.#workers = options.workers ?? Number.POSITIVE_INFINITY;
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
      this.#leave(key, known.priority);
      known.priority = priority;
      this.#lane(key, priority).add(key);
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
    if (this.#closed && this.#waiting.size === 0) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#getters.push(resolve));
  }

  done(key: string): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#processing.delete(key);
    const group = this.#groupOf(key);
    const working = (this.#working.get(group) ?? 1) - 1;
    if (working > 0) this.#working.set(group, working);
    else this.#working.delete(group);
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
    this.#serve();
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
      // Timers that exceed the longest delay of the platform would fire at once.
      if (this.#clock.now() < due) return this.#delay(key, due, priority);
      this.#delayed.delete(key);
      this.add(key, { priority });
    }, due - this.#clock.now());
    this.#delayed.set(key, { due, priority, cancel });
  }

  #append(key: string, entry: Waiting): void {
    this.#waiting.set(key, entry);
    this.#lane(key, entry.priority).add(key);
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
    this.#leave(key, priority);
    const group = this.#groupOf(key);
    this.#working.set(group, (this.#working.get(group) ?? 0) + 1);
    const lanes = this.#groups.get(group);
    if (lanes !== undefined) {
      this.#groups.delete(group);
      this.#groups.set(group, lanes);
    }
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
    const now = this.#clock.now();
    this.#processing.set(key, now);
    this.#observer?.waited((now - since) / 1000);
    return { key, priority };
  }

  #first(): string | undefined {
    const share = this.#share();
    for (const [group, lanes] of this.#groups) {
      if ((this.#working.get(group) ?? 0) < share)
        return lanes
          .get(Math.max(...lanes.keys()))
          ?.values()
          .next().value;
    }
    return undefined;
  }

  #share(): number {
    if (this.#workers === Number.POSITIVE_INFINITY) return this.#workers;
    let active = this.#groups.size;
    for (const group of this.#working.keys()) if (!this.#groups.has(group)) active += 1;
    return Math.max(1, Math.floor(this.#workers / (active + 1)));
  }

  #lane(key: string, priority: number): Set<string> {
    const group = this.#groupOf(key);
    const lanes = this.#groups.get(group) ?? new Map<number, Set<string>>();
    this.#groups.set(group, lanes);
    const lane = lanes.get(priority) ?? new Set<string>();
    lanes.set(priority, lane);
    return lane;
  }

  /** Removes a key from its lane. Empty lanes and empty groups are deleted. */
  #leave(key: string, priority: number): void {
    const group = this.#groupOf(key);
    const lanes = this.#groups.get(group);
    const lane = lanes?.get(priority);
    lane?.delete(key);
    if (lane?.size === 0) lanes?.delete(priority);
    if (lanes?.size === 0) this.#groups.delete(group);
  }

  #settle(): void {
    if (!this.#closed || this.#waiting.size > 0 || this.#processing.size > 0) return;
    for (const resolve of this.#drainers.splice(0)) resolve();
  }
}
