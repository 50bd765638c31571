// The metrics of a node about zone transfers and secondaries.
import type { Metrics } from '#telemetry/metrics.ts';
import type { Lag } from './secondary-watch.ts';

export interface SecondaryFacts {
  name: string;
  zones: number;
  current: number;
  lags: readonly Lag[];
  silent: string | null;
  behindSeconds: number;
}

/** Registers the metrics. Call it once per registry. @param role the present part of the node */
export function createTransferMetrics(metrics: Metrics, role: () => string, facts: () => SecondaryFacts[]): void {
  metrics.gauge({
    name: 'node_transfer_role',
    help: 'The part of the node in zone transfers to secondaries: 1 for the present one of source, new-source, standby and none.',
    labels: ['role'],
    collect: (gauge) => {
      for (const each of ['source', 'new-source', 'standby', 'none'])
        gauge.set({ role: each }, Number(role() === each));
    },
  });
  metrics.gauge({
    name: 'node_secondary_zones',
    help: 'Zones of each secondary by state, as the source of transfers sees them: current, behind, ahead (a later serial than the source), absent.',
    labels: ['secondary', 'state'],
    collect: (gauge) => {
      gauge.reset();
      for (const { name, current, lags } of facts()) {
        gauge.set({ secondary: name, state: 'current' }, current);
        for (const state of ['behind', 'ahead', 'absent'] as const)
          gauge.set({ secondary: name, state }, lags.filter((lag) => lag.state === state).length);
      }
    },
  });
  metrics.gauge({
    name: 'node_secondary_behind_seconds',
    help: 'Seconds for which the longest zone of a secondary has not been current; 0 if all are.',
    labels: ['secondary'],
    collect: (gauge) => {
      gauge.reset();
      for (const { name, behindSeconds } of facts()) gauge.set({ secondary: name }, behindSeconds);
    },
  });
  metrics.gauge({
    name: 'node_secondary_reachable',
    help: 'Whether all addresses of a secondary answer the source of transfers (1) or not (0).',
    labels: ['secondary'],
    collect: (gauge) => {
      gauge.reset();
      for (const { name, silent } of facts()) gauge.set({ secondary: name }, Number(silent === null));
    },
  });
}
