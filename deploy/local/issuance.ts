// Certificates in the local stack: cert-manager, its cainjector, Pebble and the solver, joined as in a cluster. The
// solver's serving certificate comes from deploy/solver/pki.yaml, and the cainjector tells kube-apiserver its
// authority.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatHostPort } from '#base/address.ts';
import type { Cluster } from './cluster.ts';
import { pebbleIssuer, solverObjects } from './issuance-objects.ts';
import type { Progress } from './parts/cache.ts';
import { startCaInjector, startCertManager } from './parts/certmanager.ts';
import { ensureCertManager } from './parts/certmanager-build.ts';
import { startCommand } from './parts/command.ts';
import { atLoopback } from './parts/loopback.ts';
import { type Pebble, startPebble } from './parts/pebble.ts';
import { allocatePorts } from './parts/ports.ts';
import { createRunningParts, type RunningParts } from './running-parts.ts';
import type { Service } from './service.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const CERT_MANAGER = 'cert-manager';

export type IssuancePart = 'pebble' | 'cert-manager' | 'cainjector' | 'solver';

export interface Issuance {
  pebble: { url: string; authorityFile: string };
  /** Where the solver's serving certificate is read from. */
  solverTls: { certificateFile: string; keyFile: string };
  solverPort: number;
  /** Brings a renewed serving certificate to the solver's files, as kubelet does with a mounted Secret. */
  refreshSolverTls(): Promise<void>;
  /** The token of cert-manager's own account. */
  certManagerKubeconfig: string;
  running: RunningParts<IssuancePart>;
  /** Ends all parts; repeating it is fine. */
  stop(): Promise<void>;
}

export interface IssuanceOptions {
  stateDir: string;
  cluster: Cluster;
  service: Service;
  /** The program of the solver. (Default: that of this checkout.) */
  main?: string | undefined;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * @throws when the cluster is not our own; with the end of the log of the part that failed, and nothing is left then
 */
export async function startIssuance(options: IssuanceOptions): Promise<Issuance> {
  const { stateDir, cluster, service, main, progress, signal } = options;
  const { identity } = cluster;
  if (identity === undefined) {
    throw new Error('--cert-manager needs the control plane of `up` itself: leave out --kubeconfig and KUBECONFIG');
  }
  const { dir } = await ensureCertManager({ progress, signal });
  const ports = await allocatePorts(
    [
      { name: 'solver' },
      { name: 'solverHealth' },
      { name: 'pebble' },
      { name: 'pebbleManagement' },
      { name: 'certManagerMetrics' },
      { name: 'certManagerHealth' },
    ],
    { stateDir },
  );
  const dns = formatHostPort(service.dns.address, service.dns.port);
  const account = (namespace: string, name: string) =>
    identity(`system:serviceaccount:${namespace}:${name}`, [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
    ]);
  const tls = join(stateDir, 'solver');
  const solverTls = { certificateFile: join(tls, 'tls.crt'), keyFile: join(tls, 'tls.key') };
  let pebble: Pebble | undefined;
  const running = createRunningParts<IssuancePart>({
    pebble: async () => {
      pebble = await startPebble({ command: join(dir, 'pebble'), stateDir, dns, ports, signal });
      return pebble.part;
    },
    'cert-manager': async () => {
      const kubeconfig = await account(CERT_MANAGER, CERT_MANAGER);
      return startCertManager({ dir, stateDir, kubeconfig, dns, ports, signal });
    },
    cainjector: async () => startCaInjector(dir, stateDir, await account(CERT_MANAGER, 'cert-manager-cainjector')),
    solver: async () =>
      startCommand({
        name: 'solver',
        env: {
          KUBECONFIG: await account('zonestead', 'zonestead-solver'),
          ZONESTEAD_SOLVER_LISTEN: atLoopback(ports.solver),
          ZONESTEAD_TLS_CERT_FILE: solverTls.certificateFile,
          ZONESTEAD_TLS_KEY_FILE: solverTls.keyFile,
        },
        main,
        healthPort: ports.solverHealth,
        stateDir,
        signal,
      }),
  });
  const apply = applier(stateDir, cluster);
  try {
    progress('starting cert-manager, Pebble and the solver');
    await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '-f', join(dir, 'crds')]);
    await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', join(dir, 'crds')]);
    for (const file of ['deploy/local/certmanager/rbac.yaml', 'deploy/solver/rbac.yaml']) {
      await cluster.kubectl(['apply', '--server-side', '-f', join(ROOT, file)]);
    }
    await Promise.all([running.start('pebble'), running.start('cert-manager'), running.start('cainjector')]);
    await cluster.kubectl(['apply', '--server-side', '-f', join(ROOT, 'deploy/solver/pki.yaml')]);
    await saveSecret(cluster, tls, solverTls);
    await running.start('solver');
    await apply(solverObjects(ports.solver));
    await cluster.kubectl([
      'wait',
      '--for=condition=Available',
      '--timeout=60s',
      'apiservice/v1alpha1.acme.zonestead.dev',
    ]);
    const { url, authority } = pebble as unknown as Pebble;
    await apply([pebbleIssuer({ url, authority: authority.text })]);
    await cluster.kubectl(['wait', '--for=condition=Ready', '--timeout=60s', 'clusterissuer/zonestead']);
    const stop = () => running.stop('pebble');
    return {
      pebble: { url, authorityFile: authority.file },
      solverTls,
      solverPort: ports.solver,
      refreshSolverTls: () => saveSecret(cluster, tls, solverTls),
      certManagerKubeconfig: await account(CERT_MANAGER, CERT_MANAGER),
      running,
      stop,
    };
  } catch (error) {
    await running.stop('pebble');
    throw error;
  }
}

/** Writes the files that kubelet would write for a mounted Secret. */
async function saveSecret(cluster: Cluster, folder: string, files: Issuance['solverTls']): Promise<void> {
  const secret = ['-n', 'zonestead', 'get', 'secret', 'zonestead-solver-tls', '-o', 'json'];
  await cluster.kubectl([
    '-n',
    'zonestead',
    'wait',
    '--for=condition=Ready',
    '--timeout=60s',
    'certificate/zonestead-solver',
  ]);
  const { data } = JSON.parse(await cluster.kubectl(secret)) as { data: Record<string, string> };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const text = (name: string) => Buffer.from(data[name] ?? '', 'base64');
  await writeFile(files.certificateFile, text('tls.crt'), { mode: 0o600 });
  await writeFile(files.keyFile, text('tls.key'), { mode: 0o600 });
}

function applier(stateDir: string, cluster: Cluster) {
  let files = 0;
  return async (objects: object[]): Promise<void> => {
    files += 1;
    const file = join(stateDir, `issuance-${files}.json`);
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }), { mode: 0o600 });
    await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '-f', file]);
  };
}

/**
 * Removes the APIService of an earlier start with the solver. Without its server, Kubernetes cannot list all kinds, and
 * no namespace could be deleted.
 */
export async function removeIssuance(cluster: Pick<Cluster, 'kubectl'>): Promise<void> {
  await cluster.kubectl(['delete', 'apiservice', 'v1alpha1.acme.zonestead.dev', '--ignore-not-found', '--wait=false']);
}
