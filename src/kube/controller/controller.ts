// The workers of one reconciler: they take a key, run the reconciler, and decide when to run it again.
//
// A run ends in one of four ways, by type and not by text:
//   returns                       → failures forgotten
//   returns { requeueAfterMs }    → failures forgotten, run again then
//   throws TerminalError          → logged and counted, not run again by itself
//   throws anything else          → run again after the queue's growing delay
import { randomUUID } from 'node:crypto';
import { type Clock, realClock } from '#base/clock.ts';
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
  return new WorkerController(options);
}

class WorkerController implements Controller {
  readonly #options: ControllerOptions;
  readonly #name: string;
  readonly #queue: WorkQueue;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #log: Logger;
  readonly #hardStop = new AbortController();
  /** The limits of the runs in progress. A listener of each on one signal would cost a search among thousands. */
  readonly #limits = new Set<Deadline>();
  #stopping = false;
  #workers: Promise<void>[] = [];
  readonly name: string;
  readonly queue: WorkQueue;
  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#name = options.name;
    this.#queue = options.queue;
    this.#clock = this.#options.clock ?? realClock;
    this.#timeoutMs = this.#options.timeoutMs ?? 60_000;
    this.#log = this.#options.log.child({ controller: this.#name });
    this.name = this.#name;
    this.queue = this.#queue;
  }

  start(): void {
    this.#workers = Array.from({ length: this.#options.concurrency ?? 1 }, () => this.#work());
  }

  async stop(graceMs: number): Promise<boolean> {
    this.#stopping = true;
    this.#queue.shutDown();
    const workersEnd = Promise.all(this.#workers).then(() => undefined);
    if (!this.#hardStop.signal.aborted && (await endsWithin(this.#clock, workersEnd, graceMs))) return true;
    this.#stopAll(new DOMException('The process is stopping', 'AbortError'));
    if (await endsWithin(this.#clock, workersEnd, STOP_LEAVE_MS)) return true;
    this.#log.error('runs that ignore their signal were abandoned');
    return false;
  }

  abort(reason: unknown): void {
    this.#stopping = true;
    this.#stopAll(reason);
  }

  async #run({ key, priority }: QueueItem): Promise<void> {
    const { observer, reconcile } = this.#options;
    const reconcileId = randomUUID();
    // Made on first use: most runs log nothing, and every new object causes three of them.
    let child: Logger | undefined;
    const runLog = (): Logger => {
      child ??= this.#log.child({ reconcileId, key });
      return child;
    };
    const limit = deadline(this.#clock, this.#timeoutMs);
    this.#limits.add(limit);
    if (this.#hardStop.signal.aborted) limit.abort(this.#hardStop.signal.reason);
    const start = this.#clock.now();
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
      this.#queue.forget(key);
      if (result?.requeueAfterMs !== undefined) {
        outcome = 'requeue_after';
        this.#queue.addAfter(key, result.requeueAfterMs);
      }
    } catch (error) {
      outcome = 'error';
      if (limit.expired()) observer?.timedOut();
      if (error instanceof TerminalError) {
        observer?.terminal();
        this.#queue.forget(key);
        runLog().error({ err: error }, 'the run failed and will not be retried');
      } else if (!this.#hardStop.signal.aborted) {
        const retryInMs = this.#queue.addRateLimited(key, { priority });
        runLog().warn(
          { err: error, failures: this.#queue.failures(key), retryInMs },
          'the run failed and will be retried',
        );
      }
    } finally {
      limit.clear();
      this.#limits.delete(limit);
      observer?.finished(outcome, (this.#clock.now() - start) / 1000);
      this.#queue.done(key);
    }
  }

  #stopAll(reason: unknown): void {
    this.#hardStop.abort(reason);
    for (const limit of this.#limits) limit.abort(this.#hardStop.signal.reason);
  }

  // A run that ignores its signal must not block the worker forever. The worker continues; the key stays taken until
  // the run ends, so that no two runs of one key overlap.
  #runOrLeave(item: QueueItem): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.setTimeout(() => {
        this.#log.error({ key: item.key }, 'a run still runs long after its time limit and was abandoned');
        resolve();
      }, this.#timeoutMs + LEAVE_MS);
      void this.#run(item).finally(() => {
        cancel();
        resolve();
      });
    });
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      const item = await this.#queue.get();
      if (item === undefined) return;
      if (this.#stopping) return this.#queue.done(item.key);
      await this.#runOrLeave(item);
    }
  }
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
