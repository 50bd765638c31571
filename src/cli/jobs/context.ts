// The surroundings of a Job of the chart: the cluster that it runs in, the time and the log.
import type { Clock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import type { KubeCluster } from '#kube/api/cluster.ts';
import type { Logger } from '#telemetry/log.ts';

export interface JobContext {
  api: KubeApi;
  namespace: string;
  clock: Clock;
  log: Logger;
  /** Absent: not known. */
  clockDifference?: KubeCluster['clockDifference'];
}

export interface BootstrapContext extends JobContext {
  /** A call to the API server that concerns no object. */
  request: KubeCluster['request'];
}
