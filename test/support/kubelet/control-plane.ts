// The control plane of the test node: as `up` starts it, but reachable from pods, with a scheduler and with every
// controller.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatHostPort } from '#base/address.ts';
import {
  type Credential,
  ensureAuthority,
  ensureCertificate,
  ensureKeyPair,
} from '../../../deploy/local/parts/certificates.ts';
import {
  apiserverArguments,
  type ControlPlaneFiles,
  controllerManagerArguments,
  etcdArguments,
} from '../../../deploy/local/parts/controlplane-arguments.ts';
import { writeKubeconfig } from '../../../deploy/local/parts/kubeconfig.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import type { Space } from './space.ts';

const PORTS = { etcd: 2379, etcdPeer: 2380, apiserver: 6443 };
export const NODE_NAME = 'zonestead-node';

export interface Identities {
  authority: Credential;
  files: ControlPlaneFiles;
  /** The connection of the kubelet to kube-apiserver. */
  kubeletClient: Credential;
  /** The kubelet's server. */
  kubelet: Credential;
  /** The path of a kubeconfig for this user name and these groups, by client certificate. */
  kubeconfig(user: string, groups: string[]): Promise<string>;
}

/** Certificates and keys of a cluster, below `home`. */
export async function makeIdentities(home: string, space: Space): Promise<Identities> {
  const dir = join(home, 'pki');
  const authority = await ensureAuthority({ dir, name: 'ca', commonName: 'zonestead-node-ca' });
  const frontProxyAuthority = await ensureAuthority({ dir, name: 'front-proxy-ca', commonName: 'front-proxy-ca' });
  const addresses = space.networks.map(({ node }) => node);
  const hosts = ['localhost', '127.0.0.1', ...addresses];
  const services = [
    ...space.networks.map(({ serviceAddress }) => serviceAddress(1)),
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const certificate = (name: string, options: Partial<Parameters<typeof ensureCertificate>[0]>) =>
    ensureCertificate({ dir, name, authority, commonName: name, ...options });
  const kubeconfig = async (user: string, groups: string[]) => {
    const id = createHash('sha256')
      .update(JSON.stringify([user, groups]))
      .digest('hex')
      .slice(0, 12);
    const credential = await certificate(`user-${id}`, { commonName: user, organizations: groups });
    const file = join(home, `${id}.kubeconfig`);
    const server = `https://${formatHostPort(space.networks[0].node, PORTS.apiserver)}`;
    await writeKubeconfig({ file, server, authority: authority.certificate, user, credential });
    return file;
  };
  const files: ControlPlaneFiles = {
    etcdData: join(home, 'etcd'),
    certDir: join(home, 'apiserver'),
    authority,
    frontProxyAuthority,
    etcd: await certificate('etcd', { hosts, client: true }),
    apiserver: await certificate('apiserver', { hosts: [...hosts, ...services] }),
    frontProxyClient: await certificate('front-proxy-client', { authority: frontProxyAuthority }),
    serviceAccounts: await ensureKeyPair({ dir, name: 'service-accounts' }),
    controllerManagerKubeconfig: await kubeconfig('system:kube-controller-manager', []),
  };
  return {
    authority,
    files,
    kubeletClient: await certificate('kubelet-client', { organizations: ['system:masters'] }),
    kubelet: await certificate('kubelet', { hosts: [NODE_NAME, ...addresses] }),
    kubeconfig,
  };
}

interface ControlPlaneOptions {
  /** Holds the programs. */
  dir: string;
  home: string;
  identities: Identities;
}

/** Starts etcd and kube-apiserver; ready when that answers /readyz. */
export async function startApiserver(space: Space, { dir, home, identities }: ControlPlaneOptions): Promise<Part[]> {
  const { files, kubeletClient } = identities;
  const etcd = startPart(space, { dir, home }, 'etcd', etcdArguments(PORTS, files));
  await sleep(200); // An apiserver that finds no etcd waits a second before it looks again.
  const args = overridden(apiserverArguments(PORTS, files), {
    // With IPv6, on the addresses of both families.
    'bind-address': space.networks.some(({ family }) => family === 6) ? '::' : '0.0.0.0',
    'advertise-address': space.networks[0].node,
    'endpoint-reconciler-type': 'lease',
    'service-cluster-ip-range': space.networks.map(({ serviceRange }) => serviceRange).join(),
    'kubelet-client-certificate': kubeletClient.certificateFile,
    'kubelet-client-key': kubeletClient.keyFile,
    'kubelet-certificate-authority': files.authority.certificateFile,
    'kubelet-preferred-address-types': 'InternalIP',
    'enable-admission-plugins': 'NodeRestriction',
  });
  return [etcd, startPart(space, { dir, home }, 'kube-apiserver', args)];
}

/**
 * Starts kube-controller-manager and kube-scheduler. Not before kube-apiserver is ready: it makes their rights as one
 * of its last steps, and a manager that is refused for 10 s gives up.
 */
export async function startControllers(space: Space, { dir, home, identities }: ControlPlaneOptions): Promise<Part[]> {
  const scheduler = await identities.kubeconfig('system:kube-scheduler', []);
  const manager = overridden(controllerManagerArguments(identities.files), {
    controllers: '*',
    'allocate-node-cidrs': 'true',
    // A node gets a /24 and a /64 of them by default.
    'cluster-cidr': space.networks.map(({ podRange }) => podRange).join(),
    // A pod that is killed with its node is looked at soon; the default is 40 s.
    'node-monitor-grace-period': '20s',
  });
  return [
    startPart(space, { dir, home }, 'kube-controller-manager', manager),
    startPart(space, { dir, home }, 'kube-scheduler', [
      `--kubeconfig=${scheduler}`,
      `--authentication-kubeconfig=${scheduler}`,
      `--authorization-kubeconfig=${scheduler}`,
      '--secure-port=0',
      '--leader-elect=false',
    ]),
  ];
}

function startPart(
  space: Space,
  { dir, home }: { dir: string; home: string },
  name: string,
  args: readonly string[],
): Part {
  return space.start(name, join(dir, name), args, { logFile: join(home, `${name}.log`) });
}

/** Command line arguments `--name=value` with some values replaced or added. */
export function overridden(args: readonly string[], values: Readonly<Record<string, string>>): string[] {
  const kept = args.filter((arg) => !((/^--([^=]+)/.exec(arg)?.[1] as string) in values));
  return [...kept, ...Object.entries(values).map(([name, value]) => `--${name}=${value}`)];
}
