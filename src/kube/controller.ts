// The workers of one reconciler: take a key, run, decide when to run it again. It must not know what a key stands for,
// nor read the cluster.
//
// A run ends in one of four ways, by type and not by text:
//   returns                       → failures forgotten
//   returns { requeueAfterMs }    → failures forgotten, run again then
//   throws TerminalError          → logged and counted, not run again by itself
//   throws anything else          → run again after the queue's growing delay
import { randomUUID } from 'node:crypto';
import type { Logger } from '../telemetry/log.ts';
import type { Clock } from './clock.ts';
import { deadline, realClock } from './clock.ts';
import { TerminalError } from './errors.ts';
import type { QueueItem, WorkQueue } from './queue.ts';

export interface ReconcileContext {
  /** Aborts at the time limit and when the process must stop. Everything awaited must end with it. */
  readonly signal: AbortSignal;
  /** New for every run; in every line of `log`. */
  readonly reconcileId: string;
  readonly log: Logger;
}

export interface ReconcileResult {
  readonly requeueAfterMs?: number | undefined;
}

/** Reads the state behind `key` anew, brings the world closer to it. May be run at any time, any number of times. */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler without a wish returns nothing.
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
  /** Keys worked at once. (Default: 1.) */
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
   * Takes no more keys; runs going on may end within `graceMs`, then their signal aborts, and a second later they are
   * left. Says whether all have ended. Never rejects.
   */
  stop(graceMs: number): Promise<boolean>;
  /** Aborts the signal of every run at once; `stop` then waits for no grace. */
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
  let stopping = false;
  let workers: Promise<void>[] = [];

  const run = async ({ key, priority }: QueueItem): Promise<void> => {
    const reconcileId = randomUUID();
    // Made when there is something to say: most runs are silent, and there are three of them for every new object.
    let child: Logger | undefined;
    const runLog = (): Logger => {
      child ??= log.child({ reconcileId, key });
      return child;
    };
    const limit = deadline(clock, timeoutMs, hardStop.signal);
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
        runLog().error({ err: error }, 'the run failed and will not be repeated');
      } else if (!hardStop.signal.aborted) {
        const retryInMs = queue.addRateLimited(key, { priority });
        runLog().warn({ err: error, failures: queue.failures(key), retryInMs }, 'the run failed and will be repeated');
      }
    } finally {
      limit.clear();
      observer?.finished(outcome, (clock.now() - start) / 1000);
      queue.done(key);
    }
  };

  // A run that ignores its signal must not keep the worker for ever. The worker goes on; the key stays taken until the
  // run ends, so that it is still never worked twice at once.
  const runOrLeave = (item: QueueItem): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.setTimeout(() => {
        log.error({ key: item.key }, 'a run goes on long after its time limit and was left behind');
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
      hardStop.abort(new DOMException('The process is stopping', 'AbortError'));
      if (await endsWithin(clock, ended, STOP_LEAVE_MS)) return true;
      log.error('runs that ignore their signal were left behind');
      return false;
    },
    abort: (reason) => {
      stopping = true;
      hardStop.abort(reason);
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
