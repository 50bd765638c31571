// Measures the load of this process: the delay of its event loop, its heap against V8's limit, and its resident memory against the limit
// of its container.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Measurement } from './load.ts';

export interface Meter {
  /** The load since the last call. */
  read(): Measurement;
  close(): void;
}

const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;
/** cgroup v2; `max`, or no such file, is no limit. */
const MEMORY_LIMIT = '/sys/fs/cgroup/memory.max';

export function createMeter(limitFile = MEMORY_LIMIT): Meter {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const limit = memoryLimit(limitFile);
  return {
    read: () => {
      const delayMs = delayOf(histogram.mean / NS_PER_MS, histogram.stddev / NS_PER_MS);
      histogram.reset();
      const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics();
      return { delayMs, heap: used / most, resident: limit === null ? 0 : process.memoryUsage.rss() / limit };
    },
    close: () => void histogram.disable(),
  };
}

/**
 * The expected length of the event loop turn at a random moment: the mean of the turns, weighted by their length. One
 * turn of a second among a hundred short ones counts as nearly a second, because that is how long a request waits.
 */
export function delayOf(meanMs: number, deviationMs: number): number {
  // Nothing was recorded.
  if (!(meanMs > 0)) return 0;
  const weighted = meanMs + (Number.isFinite(deviationMs) ? deviationMs ** 2 : 0) / meanMs;
  return Math.max(0, weighted - RESOLUTION_MS);
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
