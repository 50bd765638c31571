// The probes of a node for health checks as metrics.
import type { Metrics } from '#telemetry/metrics.ts';

export interface ProberMetrics {
  countProbe(isOk: boolean): void;
}

/** Registers the metrics. Call it once per registry. @param countTargets the addresses that the node probes */
export function createProberMetrics(metrics: Metrics, countTargets: () => number): ProberMetrics {
  metrics.gauge({
    name: 'node_probe_targets',
    help: 'Addresses that the node probes for health checks.',
    collect: (gauge) => gauge.set(countTargets()),
  });
  const probes = metrics.counter({
    name: 'node_probes_total',
    help: 'Probes of addresses by the node, for health checks.',
    labels: ['result'],
  });
  for (const result of ['success', 'failure'] as const) probes.inc({ result }, 0);
  return { countProbe: (isOk) => probes.inc({ result: isOk ? 'success' : 'failure' }) };
}
