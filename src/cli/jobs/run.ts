// Runs a Job of the chart with a connection to the cluster and a log.

import { realClock } from '#base/clock.ts';
import type { DatabaseProtection } from '#base/postgres-settings.ts';
import type { Config } from '#config.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import { createLogger } from '#telemetry/log.ts';
import { bootstrap } from './bootstrap.ts';
import { keepCertificates } from './certificates.ts';
import type { BootstrapContext } from './context.ts';
import type { BootstrapOptions, CertificatesOptions } from './options.ts';
import { releaseFinalizers, releaseOptions } from './release.ts';

type BootstrapConfig = Config<
  'ZONESTEAD_LOG_LEVEL' | 'KUBECONFIG' | 'KUBERNETES_SERVICE_HOST' | 'KUBERNETES_SERVICE_PORT'
>;

/** @throws as bootstrap, and Error if no cluster is configured */
export async function runBootstrap(
  options: BootstrapOptions,
  config: BootstrapConfig & DatabaseProtection,
  signal: AbortSignal,
): Promise<void> {
  await inCluster('bootstrap', config, (context) => bootstrap({ ...options, protection: config }, context, signal));
}

/** @throws as keepCertificates, and Error if no cluster is configured */
export async function runCertificates(
  options: CertificatesOptions,
  config: BootstrapConfig,
  signal: AbortSignal,
): Promise<void> {
  await inCluster('certificates', config, async (context) => {
    await keepCertificates(options, context, signal);
  });
}

/** @throws as releaseFinalizers, and Error if no cluster is configured */
export async function runRelease(given: unknown, config: BootstrapConfig, signal: AbortSignal): Promise<void> {
  const options = releaseOptions(given);
  await inCluster('release-finalizers', config, (context) => releaseFinalizers(options, context, signal));
}

async function inCluster(name: string, config: BootstrapConfig, work: (context: BootstrapContext) => Promise<void>) {
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  const pod = host === undefined ? undefined : { host, port };
  const cluster = await connectCluster({
    userAgent: `zonestead-${name}`,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    pod,
  });
  const log = createLogger({ name, level: config.ZONESTEAD_LOG_LEVEL });
  try {
    const { api, request, namespace, clockDifference } = cluster;
    await work({ api, request, namespace, clockDifference, clock: realClock, log });
  } finally {
    await cluster.close();
  }
}
