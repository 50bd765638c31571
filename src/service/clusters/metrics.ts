// Clusters as metrics. Every api process reads them from the database, so each has the same values.
//
//   zonestead_clusters{state}              clusters that are active, drained or lost
//   zonestead_clusters_unsettled_seconds   how long records of some cluster have not been served as its state says
//   zonestead_clusters_etcd_restored       clusters whose objects are older than the data of the service
//   zonestead_clusters_control_plane_unreachable   clusters whose operators do not reach their kube-apiserver
import { type Clock, realClock } from '#base/clock.ts';
import { endsWithin } from '#base/wait.ts';
import type { ClusterCounts } from '#store/clusters.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** A scrape waits no longer for the database, in ms. */
const READ_MS = 1_000;

/** Registers the metrics. There are no series while the database does not answer. */
export function watchClusters(metrics: Metrics, read: () => Promise<ClusterCounts>, clock: Clock = realClock): void {
  let reading: Promise<ClusterCounts | null> | null = null;
  // A scrape collects all metrics in parallel: one read serves them all.
  const latest = async (): Promise<ClusterCounts | null> => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    const current = reading;
    return (await endsWithin(clock, READ_MS, current)) ? current : null;
  };
  metrics.gauge({
    name: 'clusters',
    help: 'Clusters that are active, drained or lost. A drained cluster is not counted as lost.',
    labels: ['state'],
    collect: async (gauge) => {
      const counts = await latest();
      gauge.reset();
      if (counts === null) return;
      for (const state of ['active', 'drained', 'lost'] as const) gauge.set({ state }, counts[state]);
    },
  });
  metrics.gauge({
    name: 'clusters_unsettled_seconds',
    help: 'Seconds since the state of a cluster changed whose records are not yet served as it says. 0: there is none.',
    collect: async (gauge) => {
      const counts = await latest();
      gauge.reset();
      if (counts !== null) gauge.set(counts.unsettled);
    },
  });
  const addCount = (name: string, help: string, read: (counts: ClusterCounts) => number): void => {
    metrics.gauge({
      name,
      help,
      collect: async (gauge) => {
        const counts = await latest();
        gauge.reset();
        if (counts !== null) gauge.set(read(counts));
      },
    });
  };
  addCount(
    'clusters_etcd_restored',
    'Clusters whose objects are older than the data of the service, because etcd was restored from a backup, and no owner has accepted that.',
    ({ etcdRestored }) => etcdRestored,
  );
  addCount(
    'clusters_control_plane_unreachable',
    'Clusters that are not lost, but whose operators do not reach their kube-apiserver.',
    ({ controlPlaneAway }) => controlPlaneAway,
  );
}
