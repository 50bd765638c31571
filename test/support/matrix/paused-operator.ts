// An operator in a thread that is paused in the middle of its work, like a process on a paused machine: its timers do
// not run and no answer reaches it until it is resumed. When it is resumed, its code continues before its timers run.
import { Worker } from 'node:worker_threads';
import type { Runtime } from '#operator/run/main.ts';
import type { Place } from './operator.ts';

export interface PausedData {
  readonly place: Place;
  readonly identity: string;
  readonly lease: NonNullable<Runtime['lease']>;
  /** The operator is paused right after the answer to the first write of this name. */
  readonly write: string;
  /** One Int32: 0 while the thread is paused, 1 from the moment when it may resume. */
  readonly gate: SharedArrayBuffer;
}

export type PausedMessage =
  /** A write is sent. */
  | { readonly kind: 'write'; readonly name: string }
  /** The thread is paused from now on. */
  | { readonly kind: 'paused' }
  /** The operator ended; with the name of the error that ended it. */
  | { readonly kind: 'ended'; readonly error: string | null };

export interface PausedOperator {
  /** Resolves when the operator is paused. */
  readonly paused: Promise<void>;
  /** Resumes it. Resolves when it has ended, with the name of the error that ended it. */
  resume(): Promise<string | null>;
  /** Names of the writes that it sent after it was resumed. */
  readonly writesAfter: readonly string[];
  stop(): Promise<void>;
}

export function startPausedOperator(data: Omit<PausedData, 'gate'>): PausedOperator {
  const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: PausedData = { ...data, gate: gate.buffer as SharedArrayBuffer };
  const worker = new Worker(new URL('./paused-thread.ts', import.meta.url), { workerData });
  const paused = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string | null>();
  const writesAfter: string[] = [];
  let isReleased = false;
  worker.on('message', (message: PausedMessage) => {
    if (message.kind === 'paused') paused.resolve();
    else if (message.kind === 'ended') {
      paused.reject(new Error(`the operator ended before it was paused: ${message.error}`));
      ended.resolve(message.error);
    } else if (isReleased) writesAfter.push(message.name);
  });
  worker.on('error', (error) => {
    paused.reject(error);
    ended.reject(error);
  });
  paused.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);
  const release = () => {
    isReleased = true;
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return {
    paused: paused.promise,
    resume: () => {
      release();
      return ended.promise;
    },
    writesAfter,
    stop: async () => {
      release();
      await worker.terminate();
    },
  };
}
