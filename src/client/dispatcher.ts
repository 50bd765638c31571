// The one pace of an API key: every write of a process with that key goes through here. It must not know what a write
// does; it only reads from answers and errors whether to wait and how much may go at once.
//
// A job is      waiting → in flight → ended (its promise settles)
//                  ↑          │
//                  └──────────┘  429, or 503 `busy`: first in its lane again
// The key is    open → paused (429, until Retry-After is over) → cautious (one job at a time) → open (that job was let in)
// A zone is     free → in flight → free, or paused (503 `busy`, until Retry-After is over) → free
//
// Neither pause ends early, and what comes meanwhile waits. Record changes that wait for one zone in one lane when its turn
// comes go as one batch, as many as the key has places for; one that finds its zone free goes at once and alone. A job
// leaves when it ends, fails otherwise, or its signal or its patience aborts. Only `pump` sends.
import type { DnsRecord } from './client.ts';
import type { Clock } from './clock.ts';
import { ApiError, isBusy, isRateLimited } from './errors.ts';
import type { Lane, PaceState } from './lanes.ts';
import { company, depth, dequeue, emptyState, enqueue, LANES, pick } from './lanes.ts';
import { type Budget, batchSize, emptyBudget, type Rate, spacing } from './rate.ts';
import type { Change, RecordWriter } from './writer.ts';

export interface DispatcherOptions {
  readonly clock: Clock;
  /** 0 ≤ x < 1; spreads the ends of pauses, so that several clients do not come back at one moment. */
  readonly random: () => number;
  /** Requests in flight at once. (Default: 8.) */
  readonly maxInFlight?: number;
  /** What sends record changes. (Default: there are none.) */
  readonly writer?: RecordWriter;
  /** Changes in one batch, whatever the key's limit is. (Default: 200.) */
  readonly maxBatch?: number;
  /**
   * Creations that come one by one in quick succession are still many: after one, the next of its zone wait so long for
   * company, in ms; twice as long after each batch of several, up to eight times. A lone one does not wait. (Default: 25.)
   */
  readonly gatherMs?: number;
  /** Called when a pause begins or grows; `zone` is null for the whole key. `until` in ms of the clock. */
  readonly onPause?: (pause: { readonly zone: string | null; readonly until: number }) => void;
}

interface Place {
  readonly lane: Lane;
  /** Ends the job, and the request under way. */
  readonly signal: AbortSignal;
  /** Ends only its waiting: a request under way has an answer that must be heard. */
  readonly patience?: AbortSignal;
  /** Called before each attempt. */
  readonly onAttempt?: () => void;
}

export interface Job<T> extends Place {
  /** Id of the zone; null when the call belongs to none yet. */
  readonly zone: string | null;
  /** One attempt. Runs again after 429 and `busy`, so it must be safe to repeat after those (nothing was written). */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

export interface ChangeJob extends Place, Change {
  readonly zone: string;
}

/** Why and until when (ms of the clock) a job would wait. */
export interface Hold {
  readonly reason: 'RateLimited' | 'ZoneBusy';
  readonly until: number;
}

export interface DispatcherSnapshot {
  /** Ms of the clock; null when the key is open. */
  readonly pausedUntil: number | null;
  readonly zonePaused: ReadonlyMap<string, number>;
  /** Waiting jobs. */
  readonly depth: Readonly<Record<Lane, number>>;
  readonly inFlight: number;
}

export interface Dispatcher {
  /** Settles as `run` does, but for 429 and `busy`; rejects with the signal's reason when it aborts first. */
  submit<T>(job: Job<T>): Promise<T>;
  /** The record as it is then, null after a deletion. @throws as `submit`; ApiError when the service refuses it */
  change(job: ChangeJob): Promise<DnsRecord | null>;
  /** Whether a job would stand before a pause; null when not. */
  hold(zone: string | null): Hold | null;
  /**
   * When to come back for who will not stand in line: each of the bulk gets a moment of its own, as far apart as the limit
   * lets writes be, and others the end of the pause. Null as `hold`.
   */
  appointment(lane: Lane, zone: string | null): Hold | null;
  state(): DispatcherSnapshot;
}

// Only when an answer asks for patience without saying how much.
const DEFAULT_PAUSE_MS = 1_000;
const SPREAD_MS = 250;
const MAX_BATCH = 200;
const GATHER_MS = 25;
const MOST_GATHERS = 8;
/** Below the service's limit for a body (1 MiB). */
const MAX_BATCH_BYTES = 512 * 1024;

interface Entry extends Place {
  readonly zone: string | null;
  /** 0 for what is no record change, and for a change that was refused in company for the size of it. */
  bytes: number;
  readonly work: ((signal: AbortSignal) => Promise<unknown>) | Change;
  readonly succeed: (value: unknown) => void;
  readonly fail: (reason: unknown) => void;
}

/** Makes the dispatcher of one key; nothing runs before the first job. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, random, maxBatch = MAX_BATCH, gatherMs = GATHER_MS } = options;
  const state: PaceState<Entry> = emptyState(options.maxInFlight ?? 8);
  const budget: Budget = emptyBudget();
  /** How long the bulk of a zone gathers now, in ms, where its last batch was one of several. */
  const crowds = new Map<string | null, number>();
  let disarm: () => void = () => undefined;
  let lastAppointment = 0;

  const pump = (): void => {
    disarm();
    endPauses(state, clock.now());
    for (;;) {
      const decision = pick(state, clock.now());
      if (decision.kind === 'send') {
        const most = state.cautious ? 1 : batchSize(budget, maxBatch);
        const together = company(state, decision.job, most, MAX_BATCH_BYTES);
        for (const entry of together) dequeue(state, entry);
        void send(decision.job, together);
        continue;
      }
      // An attempt may have submitted another job meanwhile, and that pump has armed the timer already.
      disarm();
      if (decision.kind === 'wait') disarm = clock.setTimeout(pump, Math.ceil(decision.until - clock.now()));
      return;
    }
  };

  const send = async (first: Entry, together: readonly Entry[]): Promise<void> => {
    const { zone } = first;
    const probing = state.cautious;
    state.inFlight += 1;
    budget.places += together.length;
    if (zone !== null) state.zonesInFlight.add(zone);
    for (const { onAttempt } of together) onAttempt?.();
    try {
      const results = await attempt(zone, together);
      if (probing) state.cautious = false;
      together.forEach((entry, index) => {
        const result = results[index];
        if (result instanceof ApiError) entry.fail(result);
        else entry.succeed(result);
      });
    } catch (error) {
      if (probing && !isRateLimited(error)) state.cautious = false;
      if (isRateLimited(error)) pauseKey(error);
      else if (isBusy(error)) pauseZone(zone, error);
      for (const entry of together) settle(entry, error, together.length);
    } finally {
      state.inFlight -= 1;
      budget.places -= together.length;
      if (zone !== null) state.zonesInFlight.delete(zone);
      if (first.lane === 'create' && first.bytes > 0 && gatherMs > 0) gather(zone, together.length);
      pump();
    }
  };

  /** However slowly many come, they shall not be as many transactions. */
  const gather = (zone: string | null, size: number): void => {
    const ms = size === 1 ? gatherMs : Math.min(2 * (crowds.get(zone) ?? gatherMs), MOST_GATHERS * gatherMs);
    if (size === 1) crowds.delete(zone);
    else crowds.set(zone, ms);
    state.gathering.set(zone, clock.now() + ms);
  };

  const attempt = async (zone: string | null, together: readonly Entry[]): Promise<readonly unknown[]> => {
    const only = together[0] as Entry;
    if (typeof only.work === 'function') return [await only.work(only.signal)];
    const { writer } = options;
    if (writer === undefined || zone === null) throw new TypeError('this dispatcher has no writer for record changes');
    const onRate = (rate: Rate | null) => {
      budget.rate = rate;
    };
    if (together.length === 1) return [await writer.one(zone, only.work, { signal: only.signal, onRate })];
    const everybody = whenAllAbort(together.map(({ signal }) => signal));
    try {
      const changes = together.map(({ work }) => work as Change);
      return await writer.many(zone, changes, { signal: everybody.signal, onRate });
    } finally {
      everybody.clear();
    }
  };

  const pauseKey = ({ retryAfterMs }: ApiError): void => {
    state.cautious = true;
    state.pausedUntil = pauseUntil(state.pausedUntil, retryAfterMs);
    options.onPause?.({ zone: null, until: state.pausedUntil });
  };

  const pauseZone = (zone: string | null, { retryAfterMs }: ApiError): void => {
    const until = pauseUntil(state.zonePaused.get(zone) ?? null, retryAfterMs);
    state.zonePaused.set(zone, until);
    if (zone !== null) options.onPause?.({ zone, until });
  };

  const settle = (entry: Entry, error: unknown, size: number): void => {
    // What the service says of the batch as such, its size for instance, is not said of each of its changes.
    const blamesCompany = size > 1 && error instanceof ApiError && (error.status === 400 || error.status === 413);
    if (blamesCompany) entry.bytes = 0;
    else if (!isRateLimited(error) && !isBusy(error)) {
      entry.fail(error);
      return;
    }
    if (entry.signal.aborted) entry.fail(entry.signal.reason);
    else if (entry.patience?.aborted) entry.fail(entry.patience.reason);
    else state.lanes[entry.lane].again.push(entry);
  };

  const pauseUntil = (current: number | null, retryAfterMs: number | null): number => {
    const until = clock.now() + (retryAfterMs ?? DEFAULT_PAUSE_MS) + random() * SPREAD_MS;
    return Math.max(until, current ?? 0);
  };

  const wait = <T>(place: Place, zone: string | null, bytes: number, work: Entry['work']): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const { lane, signal, patience, onAttempt } = place;
      if (signal.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        // In flight, the attempt itself hears the signal; its end settles the job.
        if (dequeue(state, entry)) entry.fail(signal.aborted ? signal.reason : patience?.reason);
        pump();
      };
      const leave = () => {
        signal.removeEventListener('abort', onAbort);
        patience?.removeEventListener('abort', onAbort);
      };
      const entry: Entry = {
        lane,
        zone,
        bytes,
        signal,
        ...(patience === undefined ? {} : { patience }),
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
      patience?.addEventListener('abort', onAbort, { once: true });
      enqueue(state, entry);
      // Changes of one moment, the values of one object for instance, can go as one batch.
      if (bytes > 0) queueMicrotask(pump);
      else pump();
    });

  const hold = (zone: string | null): Hold | null => {
    endPauses(state, clock.now());
    if (state.pausedUntil !== null) return { reason: 'RateLimited', until: state.pausedUntil };
    const until = zone === null ? undefined : state.zonePaused.get(zone);
    return until === undefined ? null : { reason: 'ZoneBusy', until };
  };

  return {
    submit: (job) => wait(job, job.zone, 0, job.run),
    change: ({ zone, change, requestId, ...place }) =>
      wait(place, zone, JSON.stringify(change).length, { change, requestId }),
    hold,
    appointment: (lane, zone) => {
      const held = hold(zone);
      if (held === null || held.reason !== 'RateLimited' || lane !== 'create') return held;
      lastAppointment = Math.max(held.until, lastAppointment) + spacing(budget);
      return { ...held, until: lastAppointment };
    },
    state: () => {
      endPauses(state, clock.now());
      const zonePaused = new Map<string, number>();
      for (const [zone, until] of state.zonePaused) if (zone !== null) zonePaused.set(zone, until);
      return {
        pausedUntil: state.pausedUntil,
        zonePaused,
        depth: Object.fromEntries(LANES.map((lane) => [lane, depth(state, lane)])) as Record<Lane, number>,
        inFlight: state.inFlight,
      };
    },
  };
}

function endPauses(state: PaceState<Entry>, now: number): void {
  if (state.pausedUntil !== null && now >= state.pausedUntil) state.pausedUntil = null;
  for (const ends of [state.zonePaused, state.gathering])
    for (const [zone, until] of ends) if (now >= until) ends.delete(zone);
}

/** Aborts when nobody is left who wants the answer. */
function whenAllAbort(signals: readonly AbortSignal[]): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const onAbort = () => {
    const last = signals.every(({ aborted }) => aborted) ? signals[0] : undefined;
    if (last) controller.abort(last.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    },
  };
}
