// The times that `expect.poll` waited, so that a state which came after milliseconds yesterday and comes after a minute
// today is seen, although both pass. measure-polls.ts measures, and the reporter prints the histogram.
const BOUNDS_S = [0.1, 1, 10, 30];
/** Waits above this are named, at most this many. */
const LONG_S = 10;
const MAX_NAMED = 10;

declare module 'vitest' {
  interface TaskMeta {
    /** The waits of a test in seconds, in their order. */
    polls?: number[];
  }
}

export interface Waits {
  /** The test, with its file. */
  readonly test: string;
  /** In seconds. */
  readonly polls: readonly number[];
}

/** The histogram as lines; empty without waits. */
export function summarizePolls(waits: readonly Waits[]): string {
  const all = waits.flatMap(({ test, polls }) => polls.map((seconds) => ({ test, seconds })));
  if (all.length === 0) return '';
  const counts = BOUNDS_S.map((bound, at) => {
    const above = BOUNDS_S[at - 1] ?? -1;
    return `${all.filter(({ seconds }) => seconds > above && seconds <= bound).length} up to ${bound} s`;
  });
  const longest = BOUNDS_S.at(-1) ?? 0;
  const more = all.filter(({ seconds }) => seconds > longest).length;
  const named = all.filter(({ seconds }) => seconds > LONG_S).sort((a, b) => b.seconds - a.seconds);
  const lines = named.slice(0, MAX_NAMED).map(({ test, seconds }) => `  ${seconds.toFixed(1)} s: ${test}\n`);
  return `${all.length} polls: ${counts.join(', ')}, ${more} longer\n${lines.join('')}`;
}
