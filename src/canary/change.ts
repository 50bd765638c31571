// One change, from the write over REST until every address answers it: the value of the canary, and its challenge.
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { sleep } from '#base/wait.ts';
import type { ChangeResult } from './metrics.ts';
import { chooseAwaited, type Path } from './paths.ts';
import type { Watch, WatchedValue } from './watch.ts';

export interface ChangeParts {
  readonly clock: Clock;
  readonly watch: Pick<Watch, 'askValue'>;
  readonly paths: () => readonly Path[];
}

export interface ChangeOutcome {
  readonly result: ChangeResult;
  /** From the answer of the api until all addresses answered, or the limit. Null: the api did not make the change. */
  readonly seconds: number | null;
  /** The paths that did not answer the value within the limit. */
  readonly latePaths: readonly Path[];
  /** Why the api did not make the change; null if it did. */
  readonly error: unknown;
}

/** A change is seen to about this exactness, in ms. The pauses then grow, because an address may take long. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1_000;

/**
 * Writes the next value and waits until every path that answers at all has it.
 * @param limitMs for the wait after the answer of the api
 * @throws the signal's reason when it aborts
 */
export async function measureChange(
  { clock, watch, paths }: ChangeParts,
  value: WatchedValue,
  write: (content: string, signal: AbortSignal) => Promise<void>,
  limitMs: number,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const { number, content } = value.values.next();
  try {
    await write(content, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { result: 'failed', seconds: null, latePaths: [], error };
  }
  const acknowledgedAt = clock.now();
  value.values.acknowledge(number, acknowledgedAt);
  const awaitedPaths = chooseAwaited(paths(), acknowledgedAt);
  const limit = deadline(clock, limitMs, signal);
  try {
    const waits = awaitedPaths.map((path) => untilAnswered(path, number, limit.signal));
    const answers = await Promise.all(waits);
    signal.throwIfAborted();
    const latePaths = awaitedPaths.filter((_, at) => answers[at] === false);
    // Without any address, no client gets the value.
    const isAnswered = latePaths.length === 0 && awaitedPaths.length > 0;
    const seconds = isAnswered ? (clock.now() - acknowledgedAt) / 1000 : limitMs / 1000;
    return { result: isAnswered ? 'answered' : 'late', seconds, latePaths, error: null };
  } finally {
    limit.clear();
  }

  /** @returns false at the end of the signal */
  async function untilAnswered(path: Path, wantedNumber: number, end: AbortSignal): Promise<boolean> {
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
        const verdict = await watch.askValue(path, value, end);
        if (verdict.result === 'right' && (verdict.number ?? 0) >= wantedNumber) return true;
        await sleep(clock, pause, end);
      }
    } catch (error) {
      if (end.aborted) return false;
      throw error;
    }
  }
}
