// A Kubernetes control plane for one state folder: etcd, kube-apiserver and the controllers of a cluster without nodes.
//
// Order: etcd → kube-apiserver (/readyz) → ready. The controllers start then, and nothing waits for them; a
// kube-controller-manager would give up on an API server that is not healthy within 10 s. The parts end in the reverse
// order: kube-apiserver first, because without etcd it retries for minutes and ignores SIGTERM.
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { ensureAuthority, ensureCertificate, ensureKeyPair } from './certificates.ts';
import { findCommand } from './commands.ts';
import {
  apiserverArguments,
  type ControlPlaneFiles,
  type ControlPlanePorts,
  controllerManagerArguments,
  controllersArguments,
  etcdArguments,
} from './controlplane-arguments.ts';
import { type KubeconfigOptions, writeKubeconfig } from './kubeconfig.ts';
import { atLoopback, LOOPBACK } from './loopback.ts';
import type { Part } from './part.ts';
import { startProcess } from './process.ts';
import { ensureTokens } from './tokens.ts';
import { waitFor } from './wait.ts';

export type { ControlPlanePorts } from './controlplane-arguments.ts';

export interface ControlPlane {
  /** The path of an administrator's kubeconfig (mode 600, with a bearer token). */
  kubeconfig: string;
  /** The same for the user zonestead-operator, whose rights are RBAC's business. */
  operatorKubeconfig: string;
  parts: Part[];
  /** Ends all parts in their order; repeating it is fine. */
  stop(): Promise<void>;
  /**
   * The path of a kubeconfig for this user name and these groups, by client certificate; rights are RBAC's business.
   */
  clientConfig(name: string, groups: string[]): Promise<string>;
}

export interface ControlPlaneOptions {
  /** The programs, from ensureControlPlane. */
  dir: string;
  /** Must exist. Everything goes to controlplane/ in it and is used again by the next start. */
  stateDir: string;
  ports: ControlPlanePorts;
  signal: AbortSignal;
}

const READY_LIMIT_MS = 120_000;
/** The user of deploy/operator/rbac.yaml. */
const OPERATOR = 'zonestead-operator';
const SERVER_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

const homeOf = (stateDir: string) => join(stateDir, 'controlplane');
const configIn = (home: string, id: string) => join(home, `${id}.kubeconfig`);

/** The path of the administrator's kubeconfig, which exists from the first start on. */
export function adminKubeconfig(stateDir: string): string {
  return configIn(homeOf(stateDir), 'admin');
}

/**
 * Starts the control plane and waits until kube-apiserver answers /readyz (at most 120 s).
 * @throws with the end of the log of the part that failed; nothing is left running then.
 */
export async function startControlPlane({ dir, stateDir, ports, signal }: ControlPlaneOptions): Promise<ControlPlane> {
  const home = homeOf(stateDir);
  const server = `https://${atLoopback(ports.apiserver)}`;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { files, kubeconfig, operatorKubeconfig, clientConfig } = await prepare(home, server);
  const start = (name: string, args: string[], deathSignal: NodeJS.Signals) =>
    startProcess({ name, command: join(dir, name), args, cwd: home, logFile: join(home, `${name}.log`), deathSignal });

  const running: { etcd?: Part; apiserver?: Part; controllers?: Part } = {};
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopInOrder(running);
    return stopping;
  };
  try {
    running.etcd = start('etcd', etcdArguments(ports, files), 'SIGTERM');
    // When `up` is killed all parts hear of it at once, see above; kube-apiserver keeps nothing that could get lost.
    running.apiserver = start('kube-apiserver', apiserverArguments(ports, files), 'SIGKILL');
    await waitFor((limit) => answersReady(`${server}/readyz`, files.authority.certificate, limit), {
      what: 'kube-apiserver to answer /readyz',
      timeoutMs: READY_LIMIT_MS,
      intervalMs: 50,
      part: [running.apiserver, running.etcd],
      signal,
    });
    // The archive of envtest has neither; then namespaces are not emptied and no garbage is collected.
    const has = (name: string) => findCommand(join(dir, name)) !== undefined;
    if (has('controllers')) running.controllers = start('controllers', controllersArguments(files), 'SIGKILL');
    else if (has('kube-controller-manager'))
      running.controllers = start('kube-controller-manager', controllerManagerArguments(files), 'SIGKILL');
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubeconfig, operatorKubeconfig, parts: Object.values(running), stop, clientConfig };
}

async function prepare(home: string, server: string) {
  const dir = join(home, 'pki');
  const authority = await ensureAuthority({ dir, name: 'ca', commonName: 'zonestead-ca' });
  const frontProxyAuthority = await ensureAuthority({
    dir,
    name: 'front-proxy-ca',
    commonName: 'zonestead-front-proxy-ca',
  });
  const hosts = ['localhost', LOOPBACK];
  const writeConfig = async (id: string, user: string, credential: KubeconfigOptions['credential']) => {
    const file = configIn(home, id);
    await writeKubeconfig({ file, server, authority: authority.certificate, user, credential });
    return file;
  };
  const identity = async (id: string, name: string, groups: string[]) =>
    writeConfig(
      id,
      name,
      await ensureCertificate({ dir, name: id, authority, commonName: name, organizations: groups }),
    );
  const tokens = join(home, 'tokens.csv');
  const [admin = '', operator = ''] = await ensureTokens(tokens, [
    { name: 'admin', groups: ['system:masters'] },
    { name: OPERATOR, groups: [] },
  ]);
  const files: ControlPlaneFiles = {
    etcdData: join(home, 'etcd'),
    certDir: join(home, 'apiserver'),
    authority,
    frontProxyAuthority,
    etcd: await ensureCertificate({ dir, name: 'etcd', authority, commonName: 'etcd', hosts, client: true }),
    apiserver: await ensureCertificate({
      dir,
      name: 'apiserver',
      authority,
      commonName: 'kube-apiserver',
      hosts: [...hosts, ...SERVER_NAMES, '10.0.0.1'],
    }),
    frontProxyClient: await ensureCertificate({
      dir,
      name: 'front-proxy-client',
      authority: frontProxyAuthority,
      commonName: 'front-proxy-client',
    }),
    serviceAccounts: await ensureKeyPair({ dir, name: 'service-accounts' }),
    tokens,
    controllerManagerKubeconfig: await identity('controller-manager', 'system:kube-controller-manager', []),
  };
  const kubeconfig = await writeConfig('admin', 'admin', { token: admin });
  const operatorKubeconfig = await writeConfig('operator', OPERATOR, { token: operator });
  const clientConfig = (name: string, groups: string[]) => identity(identityName(name, groups), name, groups);
  return { files, kubeconfig, operatorKubeconfig, clientConfig };
}

/** A file name for an identity: readable, and different for every name and list of groups. */
function identityName(name: string, groups: readonly string[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([name, groups]))
    .digest('hex')
    .slice(0, 8);
  return `user-${name.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, 80)}-${hash}`;
}

function answersReady(url: string, ca: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = request(url, { ca, signal, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    call.once('error', reject);
    call.end();
  });
}

async function stopInOrder({
  etcd,
  apiserver,
  controllers,
}: {
  etcd?: Part;
  apiserver?: Part;
  controllers?: Part;
}): Promise<void> {
  await Promise.all([controllers?.stop({ graceMs: 5_000 }), apiserver?.stop({ graceMs: 15_000 })]);
  await etcd?.stop({ graceMs: 10_000 });
}
