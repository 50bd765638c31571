/** Runs long computations in steps, so that other work gets its turn on the event loop in between. */

/** Yields now and then, and returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** How long steps run before the event loop has a turn, in ms. One step should take less. */
const SLICE_MS = 4;

/**
 * Runs all steps, with a turn of the event loop every few milliseconds.
 * @throws the reason of the signal, between two steps
 */
export async function finishInTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  let since = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/** A computation that is short enough for one step. */
export function* inOneStep<T>(work: () => T): Steps<T> {
  yield;
  return work();
}

/** Items that are sorted or merged in one step. */
const RUN = 1_000;

/** A sorted copy, in n log n comparisons: merge sort, because Array.sort of many items is one long step. */
export function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    yield;
    runs.push(items.slice(at, at + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const mergedRuns: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one = [], other] = runs.slice(at, at + 2);
      mergedRuns.push(other === undefined ? one : yield* mergeSteps(one, other, compare));
    }
    runs = mergedRuns;
  }
  return runs[0] ?? [];
}

function* mergeSteps<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const mergedItems: T[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (mergedItems.length % RUN === 0) yield;
    const takeOne = j >= other.length || (i < one.length && compare(one[i] as T, other[j] as T) <= 0);
    mergedItems.push((takeOne ? one[i++] : other[j++]) as T);
  }
  return mergedItems;
}
