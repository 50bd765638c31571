// The one pace of an API key: every write of a process with that key goes through here. It must not know what a write
// does; it only reads from the errors whether to wait.
//
// A job is      waiting → in flight → ended (its promise settles)
//                  ↑          │
//                  └──────────┘  429, or 503 `busy`: first in its lane again
// The key is    open → paused (429, until Retry-After is over) → cautious (one job at a time) → open (that job was let in)
// A zone is     free → in flight → free, or paused (503 `busy`, until Retry-After is over) → free
//
// Neither pause ends early, and what comes meanwhile waits. A job leaves when it ends, fails otherwise, or its signal
// aborts; that signal is the limit of its wait. Only `pump` sends.
import type { Clock } from './clock.ts';
import { isBusy, isRateLimited } from './errors.ts';
import type { Lane, PaceState } from './lanes.ts';
import { depth, dequeue, emptyState, enqueue, LANES, pick } from './lanes.ts';

export interface DispatcherOptions {
  readonly clock: Clock;
  /** 0 ≤ x < 1; spreads the ends of pauses, so that several clients do not come back at one moment. */
  readonly random: () => number;
  /** Writes in flight at once. (Default: 8.) */
  readonly maxInFlight?: number;
  /** Called when a pause begins or grows; `zone` is null for the whole key. `until` in ms of the clock. */
  readonly onPause?: (pause: { readonly zone: string | null; readonly until: number }) => void;
}

export interface Job<T> {
  readonly lane: Lane;
  /** Id of the zone; null when the call belongs to none yet. */
  readonly zone: string | null;
  readonly signal: AbortSignal;
  /** One attempt. Runs again after 429 and `busy`, so it must be safe to repeat after those (nothing was written). */
  readonly run: (signal: AbortSignal) => Promise<T>;
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
  state(): DispatcherSnapshot;
}

// Only when an answer asks for patience without saying how much.
const DEFAULT_PAUSE_MS = 1_000;
const SPREAD_MS = 250;

interface Entry {
  readonly lane: Lane;
  readonly zone: string | null;
  readonly signal: AbortSignal;
  readonly attempt: () => Promise<void>;
  readonly fail: (reason: unknown) => void;
}

/** Makes the dispatcher of one key; nothing runs before the first job. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, random } = options;
  const state: PaceState<Entry> = emptyState(options.maxInFlight ?? 8);
  let disarm: () => void = () => undefined;

  const pump = (): void => {
    disarm();
    endPauses(state, clock.now());
    for (;;) {
      const decision = pick(state, clock.now());
      if (decision.kind === 'send') {
        dequeue(state, decision.job);
        void send(decision.job);
        continue;
      }
      // An attempt may have submitted another job meanwhile, and that pump has armed the timer already.
      disarm();
      if (decision.kind === 'wait') disarm = clock.setTimeout(pump, Math.ceil(decision.until - clock.now()));
      return;
    }
  };

  const send = async (entry: Entry): Promise<void> => {
    const probing = state.cautious;
    state.inFlight += 1;
    if (entry.zone !== null) state.zonesInFlight.add(entry.zone);
    try {
      await entry.attempt();
      if (probing) state.cautious = false;
    } catch (error) {
      if (probing && !isRateLimited(error)) state.cautious = false;
      settle(entry, error);
    } finally {
      state.inFlight -= 1;
      if (entry.zone !== null) state.zonesInFlight.delete(entry.zone);
      pump();
    }
  };

  const settle = (entry: Entry, error: unknown): void => {
    if (isRateLimited(error)) {
      state.cautious = true;
      state.pausedUntil = pauseUntil(state.pausedUntil, error.retryAfterMs);
      options.onPause?.({ zone: null, until: state.pausedUntil });
    } else if (isBusy(error)) {
      const until = pauseUntil(state.zonePaused.get(entry.zone) ?? null, error.retryAfterMs);
      state.zonePaused.set(entry.zone, until);
      if (entry.zone !== null) options.onPause?.({ zone: entry.zone, until });
    } else {
      entry.fail(error);
      return;
    }
    if (entry.signal.aborted) entry.fail(entry.signal.reason);
    else state.lanes[entry.lane].again.push(entry);
  };

  const pauseUntil = (current: number | null, retryAfterMs: number | null): number => {
    const until = clock.now() + (retryAfterMs ?? DEFAULT_PAUSE_MS) + random() * SPREAD_MS;
    return Math.max(until, current ?? 0);
  };

  return {
    submit: <T>(job: Job<T>) =>
      new Promise<T>((resolve, reject) => {
        const { lane, zone, signal } = job;
        if (signal.aborted) return reject(signal.reason);
        const onAbort = () => {
          // In flight, the attempt itself hears the signal; its end settles the job.
          if (dequeue(state, entry)) entry.fail(signal.reason);
          pump();
        };
        const leave = () => signal.removeEventListener('abort', onAbort);
        const entry: Entry = {
          lane,
          zone,
          signal,
          attempt: async () => {
            const value = await job.run(signal);
            leave();
            resolve(value);
          },
          fail: (reason) => {
            leave();
            reject(reason);
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        enqueue(state, entry);
        pump();
      }),
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
  for (const [zone, until] of state.zonePaused) if (now >= until) state.zonePaused.delete(zone);
}
