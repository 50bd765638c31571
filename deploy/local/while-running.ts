// Work that runs as long as a set of parts runs, and ends when one of them exits: otherwise code that waits
// for one part would wait in vain if the part on which it depends has died.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './parts/part.ts';

/** An operation that fails because a part died often fails a moment before the end of the part is noticed. */
const SEEN_LATER_MS = 500;
const TAIL_LINES = 20;

/**
 * Runs `work` while the parts run. @param work gets a signal that aborts with `signal`, and when a part has ended
 * @returns the part that ended by itself, or null when the work is done or the signal aborted @throws the error of the
 * work, unless the end of a part or the signal caused it
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
    working.catch(() => undefined); // Its result is not needed any more once a part has ended.
    over.abort(new Error('a part ended'));
  }
}

/** Prints the name of the part, how it ended, and the last lines of its log. */
export async function reportEnd(part: Part, print: (line: string) => void): Promise<void> {
  const { code, signal: by } = await part.exited;
  const log = await part.tail(TAIL_LINES).catch(() => '');
  print(`${part.name} ended by itself (${by ?? `code ${code}`}); the end of its log:`);
  for (const line of (log || '(it wrote nothing)').split('\n')) print(`  ${line}`);
  print(`all of it: ${part.logFile}`);
}
