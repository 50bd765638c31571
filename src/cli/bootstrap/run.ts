// The commands for a cluster in a process: the way to the cluster and the log. Wiring only.
import type { Config } from '../../config.ts';
import { realClock } from '../../kube/clock.ts';
import { connectCluster } from '../../kube/cluster.ts';
import { plainCredentials } from '../../kube/plain-credentials.ts';
import { createLogger } from '../../telemetry/log.ts';
import { bootstrap, type Surroundings } from './bootstrap.ts';
import type { BootstrapOptions } from './options.ts';
import { releaseFinalizers, releaseOptions } from './release.ts';

export const BOOTSTRAP_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'KUBECONFIG',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
] as const;

type BootstrapConfig = Config<(typeof BOOTSTRAP_SETTINGS)[number]>;

/** @throws as bootstrap, and when no cluster is configured */
export async function runBootstrap(
  options: BootstrapOptions,
  config: BootstrapConfig,
  signal: AbortSignal,
): Promise<void> {
  await inCluster('bootstrap', config, (around) => bootstrap(options, around, signal));
}

/** @throws as releaseFinalizers, and when no cluster is configured */
export async function runRelease(given: unknown, config: BootstrapConfig, signal: AbortSignal): Promise<void> {
  const options = releaseOptions(given);
  await inCluster('release-finalizers', config, (around) => releaseFinalizers(options, around, signal));
}

async function inCluster(name: string, config: BootstrapConfig, work: (around: Surroundings) => Promise<void>) {
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  const pod = host === undefined ? undefined : { host, port };
  const credentials = await plainCredentials({ kubeconfig, pod });
  const cluster = await connectCluster({
    userAgent: `zonestead-${name}`,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  const log = createLogger({ name, level: config.ZONESTEAD_LOG_LEVEL });
  try {
    await work({ api: cluster.api, namespace: cluster.namespace, clock: realClock, log });
  } finally {
    await cluster.close();
  }
}
