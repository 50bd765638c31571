// The bootstrap in a process: the way to the cluster and the log. Wiring only.
import type { Config } from '../../config.ts';
import { realClock } from '../../kube/clock.ts';
import { connectCluster } from '../../kube/cluster.ts';
import { plainCredentials } from '../../kube/plain-credentials.ts';
import { createLogger } from '../../telemetry/log.ts';
import { bootstrap } from './bootstrap.ts';
import type { BootstrapOptions } from './options.ts';

export const BOOTSTRAP_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'KUBECONFIG',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
] as const;

/** @throws as bootstrap, and when no cluster is configured */
export async function runBootstrap(
  options: BootstrapOptions,
  config: Config<(typeof BOOTSTRAP_SETTINGS)[number]>,
  signal: AbortSignal,
): Promise<void> {
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  const pod = host === undefined ? undefined : { host, port };
  const credentials = await plainCredentials({ kubeconfig, pod });
  const cluster = await connectCluster({
    userAgent: 'zonestead-bootstrap',
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  const log = createLogger({ name: 'bootstrap', level: config.ZONESTEAD_LOG_LEVEL });
  try {
    await bootstrap(options, { api: cluster.api, namespace: cluster.namespace, clock: realClock, log }, signal);
  } finally {
    await cluster.close();
  }
}
