// The workers of one reconciler: they take a key, run the reconciler, and decide when to run it again.
//
// A run ends in one of four ways, by type and not by text:
//   returns                       → failures forgotten
//   returns { requeueAfterMs }    → failures forgotten, run again then
//   throws TerminalError          → logged and counted, not run again by itself
//   throws anything else          → run again after the queue's growing delay
import { randomUUID } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { realClock } from '#base/clock.ts';
import { type Deadline, deadline } from '#base/deadline.ts';
import type { Logger } from '#telemetry/log.ts';
import { TerminalError } from '../api/errors.ts';
import type { QueueItem, WorkQueue } from './queue.ts';

export interface ReconcileContext {
  /** Aborts at the time limit and when the process must stop. Everything that the run awaits must end with it. */
  readonly signal: AbortSignal;
  /** New for every run; in every line of `log`. */
  readonly reconcileId: string;
  readonly log: Logger;
}

export interface ReconcileResult {
  readonly requeueAfterMs?: number | undefined;
}

/**
 * Reads the state behind `key` again and brings the world closer to it. May be run at any time, any number of times.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that needs no requeue returns nothing.
export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult | void>;

export type ReconcileOutcome = 'success' | 'requeue_after' | 'error';

export interface ControllerObserver {
  started(): void;
  finished(outcome: ReconcileOutcome, seconds: number): void;
  terminal(): void;
  timedOut(): void;
}

export interface ControllerOptions {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  readonly log: Logger;
  /** The number of keys that are worked on at the same time. (Default: 1.) */
  readonly concurrency?: number;
  /** The limit of one run, in ms. (Default: 60000.) */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly observer?: ControllerObserver;
}

export interface Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  /** Starts the workers. */
  start(): void;
  /**
   * Takes no more keys. Runs in progress may end within `graceMs`; then their signal aborts, and a second later they
   * are abandoned. Returns whether all have ended. Never rejects.
   */
  stop(graceMs: number): Promise<boolean>;
  /** Aborts the signal of every run at once; `stop` then does not wait for them. */
  abort(reason: unknown): void;
}

const LEAVE_MS = 5_000;
const STOP_LEAVE_MS = 1_000;

/** Makes a controller; nothing runs before `start`. */
export function createController(options: ControllerOptions): Controller {
  const { name, queue, reconcile, observer } = options;
  const clock = options.clock ?? realClock;
  const timeoutMs = options.timeoutMs ?? 60_000;
  const log = options.log.child({ controller: name });
  const hardStop = new AbortController();
  /** The limits of the runs in progress. A listener of each on one signal would cost a search among thousands. */
  const limits = new Set<Deadline>();
  let stopping = false;
  let workers: Promise<void>[] = [];

  const run = async ({ key, priority }: QueueItem): Promise<void> => {
    const reconcileId = randomUUID();
    // Made on first use: most runs log nothing, and every new object causes three of them.
    let child: Logger | undefined;
    const runLog = (): Logger => {
      child ??= log.child({ reconcileId, key });
      return child;
    };
    const limit = deadline(clock, timeoutMs);
    limits.add(limit);
    if (hardStop.signal.aborted) limit.abort(hardStop.signal.reason);
    const start = clock.now();
    let outcome: ReconcileOutcome = 'success';
    observer?.started();
    try {
      const context: ReconcileContext = {
        signal: limit.signal,
        reconcileId,
        get log() {
          return runLog();
        },
      };
      const result = await reconcile(key, context);
      queue.forget(key);
      if (result?.requeueAfterMs !== undefined) {
        outcome = 'requeue_after';
        queue.addAfter(key, result.requeueAfterMs);
      }
    } catch (error) {
      outcome = 'error';
      if (limit.expired()) observer?.timedOut();
      if (error instanceof TerminalError) {
        observer?.terminal();
        queue.forget(key);
        runLog().error({ err: error }, 'the run failed and will not be retried');
      } else if (!hardStop.signal.aborted) {
        const retryInMs = queue.addRateLimited(key, { priority });
        runLog().warn({ err: error, failures: queue.failures(key), retryInMs }, 'the run failed and will be retried');
      }
    } finally {
      limit.clear();
      limits.delete(limit);
      observer?.finished(outcome, (clock.now() - start) / 1000);
      queue.done(key);
    }
  };

  const stopAll = (reason: unknown): void => {
    hardStop.abort(reason);
    for (const limit of limits) limit.abort(hardStop.signal.reason);
  };

  // A run that ignores its signal must not block the worker forever. The worker continues; the key stays taken until
  // the run ends, so that no two runs of one key overlap.
  const runOrLeave = (item: QueueItem): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.setTimeout(() => {
        log.error({ key: item.key }, 'a run still runs long after its time limit and was abandoned');
        resolve();
      }, timeoutMs + LEAVE_MS);
      void run(item).finally(() => {
        cancel();
        resolve();
      });
    });

  const work = async (): Promise<void> => {
    while (!stopping) {
      const item = await queue.get();
      if (item === undefined) return;
      if (stopping) return queue.done(item.key);
      await runOrLeave(item);
    }
  };

  return {
    name,
    queue,
    start: () => {
      workers = Array.from({ length: options.concurrency ?? 1 }, () => work());
    },
    stop: async (graceMs) => {
      stopping = true;
      queue.shutDown();
      const ended = Promise.all(workers).then(() => undefined);
      if (!hardStop.signal.aborted && (await endsWithin(clock, ended, graceMs))) return true;
      stopAll(new DOMException('The process is stopping', 'AbortError'));
      if (await endsWithin(clock, ended, STOP_LEAVE_MS)) return true;
      log.error('runs that ignore their signal were abandoned');
      return false;
    },
    abort: (reason) => {
      stopping = true;
      stopAll(reason);
    },
  };
}

function endsWithin(clock: Clock, work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.setTimeout(() => resolve(false), ms);
    void work.then(() => {
      cancel();
      resolve(true);
    });
  });
}
