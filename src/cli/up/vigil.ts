// Work that goes on while a set of parts runs, and ends with the first of them that ends by itself: whoever waits for one part
// would otherwise wait in vain for what another, dead one should do. It knows no part by name.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './parts/part.ts';

/** What fails because a part died often fails a moment before its death is seen. */
const SEEN_LATER_MS = 500;
const TAIL_LINES = 20;

/**
 * Runs `work` beside the parts.
 * @param work gets a signal that aborts with `signal`, and when a part has ended
 * @returns the part that ended by itself, null when the work is done or the signal aborted
 * @throws what the work throws, unless a part's end or the signal is the cause
 */
export async function whileAllRun(
  parts: readonly Part[],
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<Part | null> {
  const over = new AbortController();
  const ends = parts.map(async (part): Promise<Part> => {
    await part.exited;
    return part;
  });
  const working = work(AbortSignal.any([signal, over.signal])).then(() => null);
  try {
    const ended = await Promise.race([working, ...ends]);
    return signal.aborted ? null : ended;
  } catch (error) {
    if (signal.aborted) return null;
    const ended = await Promise.race([...ends, sleep(SEEN_LATER_MS, null)]);
    if (ended === null) throw error;
    return ended;
  } finally {
    working.catch(() => undefined); // Of no interest any more once a part has ended.
    over.abort(new Error('a part ended'));
  }
}

/** Which part it was, how it ended, and the last lines that it wrote. */
export async function tellOfEnd(part: Part, print: (line: string) => void): Promise<void> {
  const { code, signal: by } = await part.exited;
  const log = await part.tail(TAIL_LINES).catch(() => '');
  print(`${part.name} ended by itself (${by ?? `code ${code}`}); the end of its log:`);
  for (const line of (log || '(it wrote nothing)').split('\n')) print(`  ${line}`);
  print(`all of it: ${part.logFile}`);
}
