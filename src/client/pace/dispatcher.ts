// The write pace of an API key: every write of a process with that key goes through here.
//
// A job is      waiting → in flight → ended (its promise settles)
//                  ↑          │
//                  └──────────┘  429, or 503 `busy`: first in its lane again
// A bucket is open → paused (429, until Retry-After has passed) → cautious (one job at a time) → open (that job
// succeeded) A zone is free → in flight → free, or paused (503 `busy`, until Retry-After has passed) → free
//
// No pause ends early. Record changes of one lane that wait for one zone are sent as one batch, as many as the key has
// places for; a change whose zone is free is sent at once and alone, unless it follows others quickly (gathering.ts).
// Groups of jobs take turns (lanes.ts) and share the write limit (budget.ts). A job also leaves when its signal or its
// wait limit aborts. Only `pump` sends.
import type { Clock } from '#base/clock.ts';
import { ApiError, isBusy, isRateLimited } from '../errors.ts';
import { attemptWrites } from './attempt.ts';
import { emptyBudget, end, exhaust, hear, permits, permittedAt, spacing, take, usedBy } from './budget.ts';
import {
  type Admission,
  batchWith,
  depth,
  emptyState,
  endPast,
  endPauses,
  enqueue,
  type PaceState,
  pick,
} from './lanes.ts';
import type { Rate } from './rate.ts';
import { LANES, type Lane, PACED_BUCKETS, type PacedBucket, perBucket } from './waiting.ts';
import { type AppliedSet, bucketOfSet, type PacedChange, type RecordWriter } from './writer.ts';

export interface DispatcherOptions {
  readonly clock: Clock;
  /** 0 ≤ x < 1; spreads the ends of pauses, so that several clients do not return at the same moment. */
  readonly random: () => number;
  /** Requests in flight at once for a single group; all groups together have twice as many. (Default: 8.) */
  readonly maxInFlight?: number;
  /** Sends record changes. (Default: record changes are not supported.) */
  readonly writer?: RecordWriter;
  /** The most sets in one request, even if the key's limit allows more. (Default: 1,000.) */
  readonly maxBatch?: number;
  /**
   * How long a change may wait for others after one that it follows quickly, in ms: see gathering.ts. (Default: 25.)
   */
  readonly gatherMs?: number;
  /** The number of other groups that may want to write at any time: the window keeps a place for each. */
  readonly neighbours?: () => number;
  /** Called when a pause begins or gets longer; `zone` is null for a whole bucket. `until` is in ms of the clock. */
  readonly onPause?: (pause: { readonly zone: string | null; readonly until: number }) => void;
}

interface Place {
  readonly lane: Lane;
  /** Jobs of one group take turns with those of others, and cannot use up the write limit alone. (Default: ''.) */
  readonly group?: string | undefined;
  /** Ends the job, and its request in flight. */
  readonly signal: AbortSignal;
  /** Ends only the wait of the job: the answer of a request in flight must be read. */
  readonly waitLimit?: AbortSignal;
  /** Called before each attempt. */
  readonly onAttempt?: () => void;
}

export interface Job<T> extends Place {
  /** The window in which the service counts the write. (Default: records.) */
  readonly bucket?: PacedBucket | undefined;
  /** Id of the zone; null when the call belongs to none yet. */
  readonly zone: string | null;
  /**
   * One attempt. It runs again after 429 and `busy`, so it must be safe to repeat after those (nothing was written).
   * @param onRate to be passed in the options of the call: without it the limit stays unknown
   */
  readonly run: (signal: AbortSignal, onRate: (rate: Rate | null | undefined) => void) => Promise<T>;
}

export interface ChangeJob extends Place, PacedChange {
  readonly zone: string;
}

/** Why and until when (ms of the clock) a job would wait. */
export interface Hold {
  readonly reason: 'RateLimited' | 'ZoneBusy';
  readonly until: number;
}

/** The queue that a job would join. */
export interface JobQueue {
  readonly bucket: PacedBucket;
  readonly zone: string | null;
  /** (Default: ''.) */
  readonly group?: string | undefined;
}

export interface DispatcherSnapshot {
  /** In ms of the clock, for the bucket that is paused longest; null when none is. */
  readonly pausedUntil: number | null;
  readonly zonePaused: ReadonlyMap<string, number>;
  /** Groups that want to write: their jobs wait, or left to return when the limit permits it. */
  readonly groups: number;
  /** Waiting jobs. */
  readonly depth: Readonly<Record<Lane, number>>;
  readonly inFlight: number;
}

export interface Dispatcher {
  /** Settles as `run` does, except for 429 and `busy`; rejects with the signal's reason when it aborts first. */
  submit<T>(job: Job<T>): Promise<T>;
  /** Applies one set of an owner. @throws as `submit`; ApiError when the service refuses it */
  apply(job: ChangeJob): Promise<AppliedSet>;
  /** Whether a job would wait for a pause, or for a place in the window; null when it would not. */
  hold(queue: JobQueue): Hold | null;
  /**
   * When a job that does not wait here should be submitted again. Jobs that the write limit holds back get evenly
   * spaced times by group and lane, as the limit allows; in a pause only bulk jobs do. Null as for `hold`.
   */
  retryTime(lane: Lane, queue: JobQueue): Hold | null;
  state(): DispatcherSnapshot;
}

// Only used when a 429 or `busy` names no time.
const DEFAULT_PAUSE_MS = 1_000;
const SPREAD_MS = 250;
const MAX_BATCH = 1_000;
const GATHER_MS = 25;
/** Below the service's limit for a body (1 MiB). */
const MAX_BATCH_BYTES = 512 * 1024;

interface Entry extends Place {
  readonly bucket: PacedBucket;
  readonly group: string;
  readonly zone: string | null;
  /** 0 for a job that is not a record change, and for a change whose batch was refused for its size. */
  bytes: number;
  readonly work: Job<unknown>['run'] | PacedChange;
  readonly succeed: (value: unknown) => void;
  readonly fail: (reason: unknown) => void;
}

/** Makes the dispatcher of one key; nothing runs before the first job. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return new KeyDispatcher(options);
}

class KeyDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #maxBatch: number;
  readonly #state: PaceState<Entry>;
  readonly #budgets = perBucket(emptyBudget);
  readonly #admission: Admission;
  #disarm: () => void = () => undefined;
  /** Groups whose jobs left to return at that time, in ms: they still want their part of the window. */
  readonly #away = new Map<string, number>();
  readonly #lastAppointments = new Map<string, number>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#maxBatch = options.maxBatch ?? MAX_BATCH;
    this.#state = emptyState(this.#options.maxInFlight ?? 8, this.#options.gatherMs ?? GATHER_MS);
    this.#admission = {
      used: (bucket, group) => usedBy(this.#budgets[bucket], group),
      permittedAt: (bucket, group, now) => permittedAt(this.#budgets[bucket], this.#askingOf(group), now),
    };
  }

  submit<T>(job: Job<T>): Promise<T> {
    return this.#wait(job, { bucket: job.bucket ?? 'records', zone: job.zone }, 0, job.run);
  }

  apply({ zone, set, requestId, ...place }: ChangeJob): Promise<AppliedSet> {
    const bytes = Buffer.byteLength(JSON.stringify(set));
    return this.#wait(place, { bucket: bucketOfSet(set), zone }, bytes, { set, requestId });
  }

  hold({ bucket, zone, group = '' }: JobQueue): Hold | null {
    const { clock } = this.#options;
    const now = clock.now();
    endPauses(this.#state, now);
    const { pausedUntil } = this.#state.buckets[bucket];
    if (pausedUntil !== null) return { reason: 'RateLimited', until: pausedUntil };
    const busyUntil = zone === null ? undefined : this.#state.zonePaused.get(zone);
    if (busyUntil !== undefined) return { reason: 'ZoneBusy', until: busyUntil };
    const until = this.#admission.permittedAt(bucket, group, now);
    return until > now ? { reason: 'RateLimited', until } : null;
  }

  retryTime(lane: Lane, queue: JobQueue): Hold | null {
    const { clock } = this.#options;
    const currentHold = this.hold(queue);
    if (currentHold === null || currentHold.reason !== 'RateLimited') return currentHold;
    const { bucket, group = '' } = queue;
    if (this.#state.buckets[bucket].pausedUntil !== null && lane !== 'create') return currentHold;
    endPast(this.#lastAppointments, clock.now());
    const line = `${bucket} ${lane} ${group}`;
    const apart = spacing(this.#budgets[bucket]);
    // Bulk jobs come after the others.
    const earliest = lane === 'create' ? currentHold.until + apart : currentHold.until;
    const until = Math.max(earliest, (this.#lastAppointments.get(line) ?? 0) + apart);
    this.#lastAppointments.set(line, until);
    this.#away.set(group, Math.max(until, this.#away.get(group) ?? 0));
    return { ...currentHold, until };
  }

  state(): DispatcherSnapshot {
    const { clock } = this.#options;
    endPauses(this.#state, clock.now());
    endPast(this.#away, clock.now());
    const zonePaused = new Map<string, number>();
    for (const [zone, until] of this.#state.zonePaused) if (zone !== null) zonePaused.set(zone, until);
    return {
      pausedUntil: PACED_BUCKETS.map((name) => this.#state.buckets[name].pausedUntil).reduce(later, null),
      zonePaused,
      groups: this.#groups(),
      depth: Object.fromEntries(LANES.map((lane) => [lane, depth(this.#state, lane)])) as Record<Lane, number>,
      inFlight: this.#state.permits.total,
    };
  }

  #askingOf(group: string) {
    return { group, groups: this.#groupsWith(group), neighbours: this.#options.neighbours?.() ?? 0 };
  }

  /** The groups that want to write. */
  #groups(): number {
    let count = this.#state.queue.groups;
    for (const each of this.#away.keys()) if (!this.#state.queue.hasGroup(each)) count += 1;
    return count;
  }

  #groupsWith(group: string): number {
    return this.#groups() + (this.#state.queue.hasGroup(group) || this.#away.has(group) ? 0 : 1);
  }

  #pump(): void {
    const { clock } = this.#options;
    this.#disarm();
    endPauses(this.#state, clock.now());
    endPast(this.#away, clock.now());
    for (;;) {
      const decision = pick(this.#state, this.#admission, clock.now());
      if (decision.kind === 'send') {
        const together = this.#batch(decision.job);
        for (const entry of together) this.#state.queue.take(entry);
        void this.#send(decision.job, together);
        continue;
      }
      // The attempt may have submitted another job in the meantime, and that pump has already set the timer.
      this.#disarm();
      if (decision.kind === 'wait')
        this.#disarm = clock.setTimeout(() => this.#pump(), Math.ceil(decision.until - clock.now()));
      return;
    }
  }

  #batch(first: Entry): readonly Entry[] {
    const { clock } = this.#options;
    const budget = this.#budgets[first.bucket];
    const asking = this.#askingOf(first.group);
    return batchWith(this.#state, first, {
      most: this.#state.buckets[first.bucket].cautious ? 1 : this.#maxBatch,
      mostBytes: MAX_BATCH_BYTES,
      admits: (group, chosen, own) => permits(budget, { ...asking, group }, clock.now(), chosen, own),
      used: (group) => usedBy(budget, group),
    });
  }

  async #send(first: Entry, together: readonly Entry[]): Promise<void> {
    const { clock } = this.#options;
    const { zone, group } = first;
    const bucket = this.#state.buckets[first.bucket];
    const budget = this.#budgets[first.bucket];
    const probing = bucket.cautious;
    const taking = take(budget, countByGroup(together), clock.now());
    bucket.inFlight += 1;
    this.#state.gathering.sent(first);
    this.#state.permits.take(group);
    if (zone !== null) this.#state.zonesInFlight.add(zone);
    for (const { onAttempt } of together) onAttempt?.();
    let counts = true;
    try {
      const results = await attemptWrites(this.#options.writer, zone, together, (rate) => {
        if (rate === undefined) counts = false;
        else hear(budget, rate, taking, clock.now());
      });
      if (probing) bucket.cautious = false;
      together.forEach((entry, index) => {
        const result = results[index];
        if (result instanceof ApiError) entry.fail(result);
        else entry.succeed(result);
      });
    } catch (error) {
      counts &&= !isRateLimited(error) && !isBusy(error);
      if (probing && !isRateLimited(error)) bucket.cautious = false;
      if (isRateLimited(error)) this.#pauseBucket(first.bucket, error);
      else if (isBusy(error)) this.#pauseZone(zone, error);
      for (const entry of together) this.#settle(entry, error, together.length);
    } finally {
      end(budget, taking, counts, clock.now());
      bucket.inFlight -= 1;
      this.#state.permits.give(group);
      if (zone !== null) this.#state.zonesInFlight.delete(zone);
      this.#state.gathering.ended(first, together.length, clock.now());
      this.#pump();
    }
  }

  #pauseBucket(name: PacedBucket, { retryAfterMs }: ApiError): void {
    const { clock } = this.#options;
    const bucket = this.#state.buckets[name];
    bucket.cautious = true;
    bucket.pausedUntil = this.#pauseUntil(bucket.pausedUntil, retryAfterMs);
    exhaust(this.#budgets[name], clock.now());
    this.#options.onPause?.({ zone: null, until: bucket.pausedUntil });
  }

  #pauseZone(zone: string | null, { retryAfterMs }: ApiError): void {
    const until = this.#pauseUntil(this.#state.zonePaused.get(zone) ?? null, retryAfterMs);
    this.#state.zonePaused.set(zone, until);
    if (zone !== null) this.#options.onPause?.({ zone, until });
  }

  #settle(entry: Entry, error: unknown, size: number): void {
    // A refusal of the whole batch, for its size for instance, does not apply to each of its changes.
    const blamesBatch = size > 1 && error instanceof ApiError && (error.status === 400 || error.status === 413);
    if (blamesBatch) entry.bytes = 0;
    else if (!isRateLimited(error) && !isBusy(error)) {
      entry.fail(error);
      return;
    }
    if (entry.signal.aborted) entry.fail(entry.signal.reason);
    else if (entry.waitLimit?.aborted) entry.fail(entry.waitLimit.reason);
    else enqueue(this.#state, entry, true);
  }

  #pauseUntil(current: number | null, retryAfterMs: number | null): number {
    const { clock, random } = this.#options;
    const until = clock.now() + (retryAfterMs ?? DEFAULT_PAUSE_MS) + random() * SPREAD_MS;
    return Math.max(until, current ?? 0);
  }

  #wait<T>(place: Place, { bucket, zone }: JobQueue, bytes: number, work: Entry['work']): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { lane, group = '', signal, waitLimit, onAttempt } = place;
      if (signal.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        // While the job is in flight, the attempt itself listens to the signal; its end settles the job.
        if (this.#state.queue.remove(entry)) entry.fail(signal.aborted ? signal.reason : waitLimit?.reason);
        this.#pump();
      };
      const leave = () => {
        signal.removeEventListener('abort', onAbort);
        waitLimit?.removeEventListener('abort', onAbort);
      };
      const entry: Entry = {
        lane,
        bucket,
        group,
        zone,
        bytes,
        signal,
        ...(waitLimit === undefined ? {} : { waitLimit }),
        ...(onAttempt === undefined ? {} : { onAttempt }),
        work,
        succeed: (value) => {
          leave();
          resolve(value as T);
        },
        fail: (reason) => {
          leave();
          reject(reason);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waitLimit?.addEventListener('abort', onAbort, { once: true });
      enqueue(this.#state, entry);
      // Changes submitted at the same moment, for instance the values of one object, can be sent as one batch.
      if (bytes > 0) queueMicrotask(() => this.#pump());
      else this.#pump();
    });
  }
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function countByGroup(together: readonly Entry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { group } of together) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}
