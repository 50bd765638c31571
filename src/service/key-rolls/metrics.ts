// The metrics of key rolls.
import type { Metrics } from '#telemetry/metrics.ts';

/** @param read the rolls under way, and since when the one waits that waits longest */
export function watchKeyRolls(
  metrics: Metrics,
  read: () => Promise<{ rolls: number; since: Date | null }>,
  now: () => Date,
): void {
  metrics.gauge({
    name: 'key_rolls',
    help: 'Zones with a key roll under way.',
    collect: async (gauge) => {
      const found = await read().catch(() => null);
      if (found !== null) gauge.set(found.rolls);
    },
  });
  metrics.gauge({
    name: 'key_roll_step_seconds',
    help: 'Seconds since the oldest step of all key rolls began; 0 if no roll is under way.',
    collect: async (gauge) => {
      const found = await read().catch(() => null);
      if (found !== null)
        gauge.set(found.since === null ? 0 : Math.max(0, (now().getTime() - found.since.getTime()) / 1000));
    },
  });
}
