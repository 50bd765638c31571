// Waiting for something to hold, also outside of a test, where vitest's own polling may not be used.
import { setTimeout as sleep } from 'node:timers/promises';

/** @throws with what was seen last, when the sentences are not gone after `ms`; a look that throws counts as not yet */
export async function untilNone(
  what: string,
  look: () => Promise<readonly string[]>,
  ms = 40_000,
  everyMs = 50,
): Promise<void> {
  const end = performance.now() + ms;
  for (;;) {
    const problems = await look().catch((error: unknown) => [String(error)]);
    if (problems.length === 0) return;
    if (performance.now() > end) throw new Error(`${what}, after ${ms / 1000} s:\n${problems.join('\n')}`);
    await sleep(everyMs);
  }
}

/** The same for one value. */
export async function untilIs<T>(
  what: string,
  look: () => Promise<T> | T,
  wanted: (seen: T) => boolean,
  ms = 40_000,
  everyMs = 50,
): Promise<void> {
  await untilNone(
    what,
    async () => {
      const seen = await look();
      return wanted(seen) ? [] : [`it is ${JSON.stringify(seen)}`];
    },
    ms,
    everyMs,
  );
}
