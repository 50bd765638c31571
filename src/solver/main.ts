// The solver process: an aggregated API server for cert-manager's DNS-01 challenges. Wiring only.
//
//   start:  serving certificate → HTTPS → metrics; the caches fill in parallel, and no step waits for them
//   stop:   no new connections; requests in progress get up to 25 s

import { realClock } from '#base/clock.ts';
import { sleep, untilAborted } from '#base/wait.ts';
import type { Config } from '#config.ts';
import { type CertificateSource, certificateFiles, followCertificate } from '#http/connections/serving-certificate.ts';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { createEventRecorder } from '#kube/events/events.ts';
import { watchCertificateExpiry } from '#telemetry/certificate-expiry.ts';
import { startHealthServer } from '#telemetry/health.ts';
import { createLogger, type Logger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createAccess } from './access.ts';
import { type Caches, createCaches } from './caches.ts';
import type { SolverContext } from './context.ts';
import { type FrontProxy, identify, readFrontProxy } from './front-proxy.ts';
import { SOLVER_REPORTER } from './names.ts';
import { createRouter } from './router.ts';
import { startSolverServer } from './server.ts';
import type { SOLVER_SETTINGS } from './settings.ts';
import { createSolve } from './solve.ts';
import { runSweep } from './sweep.ts';

type SolverConfig = Config<(typeof SOLVER_SETTINGS)[number]>;

const STOP_MS = 25_000;
const CERTIFICATE_LIMIT_MS = 60_000;

/**
 * Runs until the signal aborts.
 * @throws when there is no serving certificate within a minute, or an address is in use
 */
export async function runSolver(config: SolverConfig, signal: AbortSignal): Promise<void> {
  const log = createLogger({ name: 'solver', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'solver' });
  const cluster = await connect(config);
  const caches = createCaches(cluster.api, realClock, log);
  const events = createEventRecorder({ api: cluster.api, controller: SOLVER_REPORTER, log });
  const context: SolverContext = { api: cluster.api, caches, clock: realClock, now: () => new Date(), events, log };

  let proxy: FrontProxy | undefined;
  const router = createRouter({
    ready: () => proxy !== undefined,
    mayCreate: createAccess(cluster.api, realClock),
    solve: createSolve(context, metrics),
    log,
  });
  const source = await certificateSource(config, cluster);
  const server = await startSolverServer(
    {
      listen: config.ZONESTEAD_SOLVER_LISTEN,
      router,
      identify: (certificate, headers) =>
        proxy === undefined
          ? { refused: 'the request-header authority is not known yet' }
          : identify(proxy, certificate, headers, new Date()),
    },
    await firstCertificate(source, log, signal),
  );
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    ready: () => ({ ok: proxy !== undefined, checks: { 'request-header authority': proxy ? 'known' : 'not known' } }),
    registry: metrics.registry,
  });
  followFrontProxy(caches, log, (next) => {
    proxy = next;
    server.setClientAuthority(next.bundle);
  });
  log.info({ port: server.port }, 'running');
  const background = new AbortController();
  const work = [
    caches.run(background.signal),
    events.run(background.signal),
    runSweep(context, background.signal),
    followCertificate(
      source,
      realClock,
      log,
      server.setCertificate,
      watchCertificateExpiry(metrics),
      background.signal,
    ),
  ];
  try {
    await Promise.race([untilAborted(signal), Promise.all(work)]);
  } finally {
    log.info('stopping');
    await server.close(STOP_MS);
    background.abort(new Error('The process is stopping'));
    await Promise.allSettled(work);
    await health.close();
    await cluster.close();
  }
}

async function connect(config: SolverConfig) {
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  const pod = host === undefined ? undefined : { host, port };
  return connectCluster({
    userAgent: 'zonestead-solver',
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    pod,
  });
}

/** The interval of checks of the solver's own certificate; it is renewed weeks before it expires. */
const OWN_CHECK_EVERY_MS = 60_000;

async function certificateSource(
  config: SolverConfig,
  { api, namespace, clockDifference }: KubeCluster,
): Promise<CertificateSource> {
  const { ZONESTEAD_SOLVER_CERTIFICATE: name, ZONESTEAD_SOLVER_SERVICE: service } = config;
  if (name === undefined) {
    return certificateFiles({
      certificateFile: config.ZONESTEAD_TLS_CERT_FILE,
      keyFile: config.ZONESTEAD_TLS_KEY_FILE,
    });
  }
  // Only solvers that make their own certificate load the libraries for it.
  const { ownCertificate } = await import('./own-serving.ts');
  const { serviceHosts } = await import('#kube/certificates/own-secret.ts');
  const certificateOptions = {
    api,
    at: { namespace, name },
    hosts: serviceHosts(service, namespace),
    now: () => new Date(),
    clockDifference,
  };
  return { read: (signal) => ownCertificate(certificateOptions, signal), everyMs: OWN_CHECK_EVERY_MS };
}

/** The certificate's Secret, or the right to write it, may appear a moment after the pod has started. */
async function firstCertificate(source: CertificateSource, log: Logger, signal: AbortSignal) {
  const end = realClock.now() + CERTIFICATE_LIMIT_MS;
  for (;;) {
    try {
      return await source.read(signal);
    } catch (error) {
      if (realClock.now() >= end) throw error;
      log.warn({ err: error }, 'waiting for the serving certificate');
      await sleep(realClock, 1_000, signal);
    }
  }
}

/**
 * Loads each version of the authority while the process runs; a version that cannot be read leaves the last one in use.
 */
function followFrontProxy(caches: Caches, log: Logger, onChange: (proxy: FrontProxy) => void): void {
  caches.authentication.onChange((_key, kind, _initial, { data }) => {
    if (kind === 'delete') return;
    try {
      onChange(readFrontProxy(data ?? {}));
      log.info('request-header authority loaded');
    } catch (error) {
      log.error({ err: error }, 'callers cannot be verified');
    }
  });
}
