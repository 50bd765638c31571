// Whether an edge has its zones, and for how long it may still answer them, as metrics.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Held } from './held.ts';

/** knotd lists all zones for it, so it is read less often than the counters. */
const EVERY_MS = 30_000;

interface ZoneWatch {
  /** Reads the zones until the signal aborts. While knotd is down, the last values stay. */
  run(signal: AbortSignal): Promise<void>;
}

/** @param read rejects with a KnotError */
export function watchZones(
  metrics: Metrics,
  read: (signal: AbortSignal) => Promise<Held>,
  { clock, log }: { clock: Clock; log: Logger },
): ZoneWatch {
  const missing = metrics.gauge({
    name: 'edge_zones_missing',
    help: 'Zones of the catalog that the edge does not have, because it has not transferred them or they expired. A missing catalog counts as one.',
  });
  const expiry = metrics.gauge({
    name: 'edge_zone_expires_seconds',
    help: 'Seconds until the first zone of the edge expires, if no node answers. Each refresh, at least every 15 minutes, sets it to 7 days.',
  });
  // Without a value until the first answer of knotd.
  expiry.remove();
  const look = async (signal: AbortSignal): Promise<void> => {
    const held = await read(signal);
    missing.set(held.state === 'all' ? 0 : held.state === 'some' ? held.lacking : 1);
    if (held.expiresSeconds === null) expiry.remove();
    else expiry.set(held.expiresSeconds);
  };
  return {
    run: async (signal) => {
      while (!signal.aborted) {
        await look(signal).catch((error: Error) => log.debug(`knotd did not list its zones: ${error.message}`));
        await sleep(clock, EVERY_MS, signal).catch(() => undefined);
      }
    },
  };
}
