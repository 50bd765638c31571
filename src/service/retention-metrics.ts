// The metrics of the retention job.
//
//   zonestead_retention_rounds_total{result}   ok, failed
import type { Metrics } from '#telemetry/metrics.ts';

export type RoundResult = 'ok' | 'failed';

/** Returns the function that counts one round. */
export function countRetention(metrics: Metrics): (result: RoundResult) => void {
  const rounds = metrics.counter({
    name: 'retention_rounds_total',
    help: 'Rounds of the job that deletes old rows, by result. A round in which another replica does the work counts as ok.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) rounds.inc({ result }, 0);
  return (result) => rounds.inc({ result });
}
