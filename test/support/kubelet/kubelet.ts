// kubelet and kube-proxy of the test node: their configuration, and the wait for the node to be Ready.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { type Identities, NODE_NAME } from './control-plane.ts';
import type { Space } from './space.ts';

/** Number in the range of services. */
export const CLUSTER_DNS = 10;

export interface NodeAgents {
  /** The folder with the two programs. */
  dir: string;
  home: string;
  /** The socket of the container runtime interface. */
  socket: string;
  identities: Identities;
}

export async function startKubelet(space: Space, { dir, home, socket, identities }: NodeAgents): Promise<Part> {
  const config = join(home, 'kubelet.yaml');
  const folders = { root: join(home, 'kubelet'), logs: join(home, 'pods') };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  const { authority, kubelet } = identities;
  await writeFile(
    config,
    stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: authority.certificateFile },
      },
      authorization: { mode: 'Webhook' },
      tlsCertFile: kubelet.certificateFile,
      tlsPrivateKeyFile: kubelet.keyFile,
      containerRuntimeEndpoint: `unix://${socket}`,
      failCgroupV1: false,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${space.cgroup}`,
      oomScoreAdj: 0,
      clusterDomain: 'cluster.local',
      clusterDNS: [space.networks[0].serviceAddress(CLUSTER_DNS)],
      resolvConf: '',
      podLogsDir: folders.logs,
      volumePluginDir: join(home, 'volume-plugins'),
      failSwapOn: false,
      // Imported images cannot be pulled again, and the free space of the host's disk is not this node's concern.
      imageGCHighThresholdPercent: 100,
      evictionHard: { 'imagefs.available': '0%', 'nodefs.available': '0%', 'nodefs.inodesFree': '0%' },
      // Changes are seen soon: Secrets, pods and the states of containers.
      syncFrequency: '5s',
      nodeStatusUpdateFrequency: '5s',
      configMapAndSecretChangeDetectionStrategy: 'Watch',
      registerNode: true,
      serializeImagePulls: false,
    }),
  );
  const kubeconfig = await identities.kubeconfig(`system:node:${NODE_NAME}`, ['system:nodes']);
  const args = [
    `--config=${config}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${space.networks.map(({ node }) => node).join()}`,
    `--root-dir=${folders.root}`,
    `--cert-dir=${join(home, 'pki')}`,
  ];
  return space.start('kubelet', join(dir, 'kubelet'), args, { logFile: join(home, 'kubelet.log') });
}

export async function startProxy(space: Space, { dir, home, identities }: NodeAgents): Promise<Part> {
  const config = join(home, 'kube-proxy.yaml');
  await writeFile(
    config,
    stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      clusterCIDR: space.networks.map(({ podRange }) => podRange).join(),
      hostnameOverride: NODE_NAME,
      oomScoreAdj: 0,
      clientConnection: { kubeconfig: await identities.kubeconfig('system:kube-proxy', []) },
      // Zero leaves the machine's own values: they are not the namespace's to set.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
      metricsBindAddress: '127.0.0.1:10249',
      healthzBindAddress: '127.0.0.1:10256',
    }),
  );
  const args = [`--config=${config}`];
  return space.start('kube-proxy', join(dir, 'kube-proxy'), args, { logFile: join(home, 'kube-proxy.log') });
}
