// Measures the load of this process: the delay of its event loop, its heap against V8's limit, and its resident memory
// against the limit of its container.
import { readFileSync } from 'node:fs';
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Measurement } from './load.ts';

export interface Meter {
  /** The load since the last call. */
  read(): Measurement;
  close(): void;
}

const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;
/** cgroup v2; `max`, or no such file, means no limit. */
const MEMORY_LIMIT = '/sys/fs/cgroup/memory.max';

export function createMeter(limitFile = MEMORY_LIMIT): Meter {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let before = toTurns(histogram);
  const limit = memoryLimit(limitFile);
  return {
    read: () => {
      // The histogram is never reset: Node does not record the turn during which it was reset, however long that turn
      // was.
      const after = toTurns(histogram);
      const delayMs = computeDelay({ ms: after.ms - before.ms, squares: after.squares - before.squares });
      before = after;
      const { used_heap_size: usedBytes, heap_size_limit: most } = getHeapStatistics();
      return { delayMs, heap: usedBytes / most, resident: limit === null ? 0 : process.memoryUsage.rss() / limit };
    },
    close: () => void histogram.disable(),
  };
}

/** Turns of the event loop: the sum of their lengths in ms, and the sum of the squares of these. */
interface Turns {
  readonly ms: number;
  readonly squares: number;
}

function toTurns({ count, mean, stddev }: ELDHistogram): Turns {
  if (count === 0) return { ms: 0, squares: 0 };
  const [meanMs, deviationMs] = [mean / NS_PER_MS, stddev / NS_PER_MS];
  return { ms: count * meanMs, squares: count * (meanMs ** 2 + deviationMs ** 2) };
}

/**
 * The expected length of the event loop turn at a random moment, less that of a quiet loop: the mean of the turns,
 * weighted by their length. One turn of a second among a hundred short ones counts as nearly a second, because that is
 * how long a request waits.
 */
export function computeDelay({ ms, squares }: Turns): number {
  // Nothing was recorded.
  if (!(ms > 0)) return 0;
  return Math.max(0, squares / ms - RESOLUTION_MS);
}

/** In bytes; null without a limit. */
function memoryLimit(file: string): number | null {
  try {
    const limit = Number(readFileSync(file, 'utf8').trim());
    return Number.isFinite(limit) && limit > 0 ? limit : null;
  } catch {
    return null;
  }
}
