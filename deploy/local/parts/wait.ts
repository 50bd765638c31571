// Waiting with a limit: for a part to become ready, or for time to pass.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './part.ts';

/** A part ended while a caller waited for it; `message` carries the end of its log. */
export class PartEnded extends Error {
  readonly part: Part;

  constructor(part: Part, message: string) {
    super(message);
    this.name = 'PartEnded';
    this.part = part;
  }
}

export interface WaitOptions {
  /** In the words of the message: "kube-apiserver to answer /readyz". */
  what: string;
  timeoutMs: number;
  /** Between the end of one check and the start of the next. */
  intervalMs: number;
  /** Waiting ends at once when one of these exits; the first is the one whose log is shown when time is up. */
  part?: Part | readonly Part[];
  signal: AbortSignal;
}

const CHECK_LIMIT_MS = 5_000;
const TAIL_LINES = 20;

/**
 * Repeats `check` until it gives true. A check that throws, or that takes longer than 5 s, counts as "not yet".
 * @throws PartEnded when the part exits, Error naming `what` when time is up (both with the end of the part's log), and
 * the signal's reason when it is aborted.
 */
export async function waitFor(
  check: (signal: AbortSignal) => Promise<boolean>,
  { what, timeoutMs, intervalMs, part = [], signal }: WaitOptions,
): Promise<void> {
  const parts = [part].flat();
  const done = new AbortController();
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  const ended = endOfAny(parts, what, AbortSignal.any([signal, done.signal]));
  try {
    for (;;) {
      signal.throwIfAborted();
      const limit = AbortSignal.any([
        signal,
        done.signal,
        AbortSignal.timeout(Math.max(1, Math.min(CHECK_LIMIT_MS, Math.ceil(deadline - performance.now())))),
      ]);
      try {
        if (await Promise.race([check(limit), aborted(limit), ended])) return;
      } catch (error) {
        if (error instanceof PartEnded) throw error;
        // A check that was aborted gives no new information; the error that it threw before may.
        lastError = limit.aborted ? (lastError ?? 'no answer') : error;
      }
      signal.throwIfAborted();
      if (performance.now() >= deadline) throw new Error(await timeoutText(what, timeoutMs, parts[0], lastError));
      await Promise.race([delay(intervalMs, AbortSignal.any([signal, done.signal])), ended]);
    }
  } finally {
    done.abort();
  }
}

/** Resolves after `ms`, or as soon as the signal is aborted; never rejects, the caller looks at the signal. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // Aborted.
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Rejects with PartEnded when one of the parts exits; stays pending without parts or when no caller waits any more. */
function endOfAny(parts: readonly Part[], what: string, over: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    for (const part of parts) {
      void part.exited.then(async ({ code, signal }) => {
        if (over.aborted) return;
        const how = signal === null ? `code ${code}` : signal;
        const log = await part.tail(TAIL_LINES).catch(() => '');
        reject(new PartEnded(part, `${part.name} ended (${how}) while waiting for ${what}${logText(part, log)}`));
      });
    }
  });
  promise.catch(() => {}); // There may be no race at that moment.
  return promise;
}

async function timeoutText(what: string, timeoutMs: number, part: Part | undefined, lastError: unknown) {
  const seen = lastError === undefined ? '' : ` (last seen: ${describe(lastError)})`;
  const log = part === undefined ? '' : logText(part, await part.tail(TAIL_LINES).catch(() => ''));
  return `waited ${Math.round(timeoutMs / 100) / 10} s for ${what} in vain${seen}${log}`;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch says only "fetch failed"; the cause holds the reason. A refused connection has an empty message but a code.
  const cause = error.cause ?? error;
  return (cause as Error).message || (cause as NodeJS.ErrnoException).code || error.name;
}

function logText(part: Part, log: string): string {
  return log === '' ? `; its log ${part.logFile} is empty` : `; the end of ${part.logFile}:\n${log}`;
}
