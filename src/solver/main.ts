// The solver process: an aggregated API server for cert-manager's DNS-01 challenges. Wiring only.
//
//   start:  serving certificate → HTTPS → metrics; caches fill beside, and nothing waits for them
//   stop:   no new connections, what is under way gets up to 25 s
import type { Config } from '../config.ts';
import { realClock, sleep } from '../kube/clock.ts';
import { type Cluster, connectCluster } from '../kube/cluster.ts';
import { createEventRecorder } from '../kube/events.ts';
import { plainCredentials } from '../kube/plain-credentials.ts';
import { startHealthServer } from '../telemetry/health.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createAccess } from './access.ts';
import { type Caches, createCaches } from './caches.ts';
import { type FrontProxy, identify, readFrontProxy } from './front-proxy.ts';
import type { House } from './house.ts';
import { REPORTER } from './names.ts';
import { createRouter } from './router.ts';
import { startSolverServer } from './server.ts';
import { type CertificateSource, certificateFiles, followCertificate } from './serving-certificate.ts';
import { createSolve } from './solve.ts';
import { runSweep } from './sweep.ts';

export const SOLVER_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_SOLVER_LISTEN',
  'ZONESTEAD_TLS_CERT_FILE',
  'ZONESTEAD_TLS_KEY_FILE',
  'ZONESTEAD_SOLVER_CERTIFICATE',
  'ZONESTEAD_SOLVER_SERVICE',
  'KUBECONFIG',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
] as const;

type SolverConfig = Config<(typeof SOLVER_SETTINGS)[number]>;

const STOP_MS = 25_000;
const CERTIFICATE_LIMIT_MS = 60_000;

/** Runs until the signal. @throws when no serving certificate comes within a minute, or an address is taken */
export async function runSolver(config: SolverConfig, signal: AbortSignal): Promise<void> {
  const log = createLogger({ name: 'solver', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'solver' });
  const cluster = await connect(config);
  const caches = createCaches(cluster.api, realClock, log);
  const events = createEventRecorder({ api: cluster.api, controller: REPORTER, log });
  const house: House = { api: cluster.api, caches, clock: realClock, now: () => new Date(), events, log };

  let proxy: FrontProxy | undefined;
  const router = createRouter({
    ready: () => proxy !== undefined,
    mayCreate: createAccess(cluster.api, realClock),
    solve: createSolve(house, metrics),
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
    runSweep(house, background.signal),
    followCertificate(source, realClock, log, server.setCertificate, background.signal),
  ];
  try {
    await Promise.race([aborted(signal), Promise.all(work)]);
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
  const credentials = await plainCredentials({ kubeconfig, pod });
  return connectCluster({
    userAgent: 'zonestead-solver',
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/** Looks at the own certificate this often; it is renewed weeks before its end. */
const OWN_LOOK_EVERY_MS = 60_000;

async function certificateSource(config: SolverConfig, { api, namespace }: Cluster): Promise<CertificateSource> {
  const { ZONESTEAD_SOLVER_CERTIFICATE: name, ZONESTEAD_SOLVER_SERVICE: service } = config;
  if (name === undefined) {
    return certificateFiles({
      certificateFile: config.ZONESTEAD_TLS_CERT_FILE,
      keyFile: config.ZONESTEAD_TLS_KEY_FILE,
    });
  }
  // The libraries that make certificates are for those who make their own only.
  const { ownCertificate, serviceHosts } = await import('./own-serving.ts');
  const own = { api, at: { namespace, name }, hosts: serviceHosts(service, namespace), now: () => new Date() };
  return { read: (signal) => ownCertificate(own, signal), everyMs: OWN_LOOK_EVERY_MS };
}

/** The certificate's Secret, or the right to write it, may come a moment after the pod started. */
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

/** The authority changes while we run: each version is taken as it comes, one that cannot be read leaves the last. */
function followFrontProxy(caches: Caches, log: Logger, changed: (proxy: FrontProxy) => void): void {
  caches.authentication.onChange((_key, kind, _initial, { data }) => {
    if (kind === 'delete') return;
    try {
      changed(readFrontProxy(data ?? {}));
      log.info('request-header authority loaded');
    } catch (error) {
      log.error({ err: error }, 'callers cannot be verified');
    }
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
