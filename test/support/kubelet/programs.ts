// The programs of the test node: kubelet, kube-proxy, pause and CoreDNS built once from Go modules, the rest from
// Debian.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import {
  ensureControllerManager,
  ensureControlPlane,
  KUBERNETES_FLAGS,
} from '../../../deploy/local/parts/controlplane-build.ts';
import { buildGo, sourceInputs } from '../../../deploy/local/parts/go-build.ts';
import { goFlags } from '../../../deploy/local/parts/go-flags.ts';

const NODE = fileURLToPath(new URL('../../../deploy/local/node', import.meta.url));
const COREDNS = fileURLToPath(new URL('../../../deploy/local/coredns', import.meta.url));
const TOOLS = [
  { command: 'containerd', package: 'containerd' },
  { command: 'ctr', package: 'containerd' },
  { command: 'runc', package: 'runc' },
  { file: '/usr/lib/cni/bridge', package: 'containernetworking-plugins' },
  { command: 'iptables', package: 'iptables' },
  { command: 'nft', package: 'nftables' },
  { command: 'conntrack', package: 'conntrack' },
  { command: 'ip', package: 'iproute2' },
  { command: 'tcpdump', package: 'tcpdump' },
  { command: 'mount', package: 'mount' },
  { command: 'unshare', package: 'util-linux' },
  { command: 'nsenter', package: 'util-linux' },
];

export interface NodePrograms {
  /** Holds etcd, kube-apiserver, kubectl. */
  controlPlane: string;
  /** Holds kube-controller-manager, kube-scheduler. */
  controllers: string;
  /** Holds kubelet, kube-proxy, pause, coredns. */
  node: string;
  /** Debian's, by name. */
  tools: Record<string, string>;
}

/**
 * Finds, installs or builds them all; the first build takes minutes, with a line of progress every few seconds. @throws
 * with the missing program and how to get it
 */
export async function ensureNodePrograms(around: { progress: Progress; signal: AbortSignal }): Promise<NodePrograms> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error(
      'the tests on a real node need Linux and root (namespaces, containers): run them as root, or set KUBECONFIG to a cluster that has the images (npm run kind)',
    );
  }
  const tools = await ensureTools(TOOLS, around);
  const { dir } = await ensureControlPlane(around);
  const controllers = await ensureControllerManager(around);
  return { controlPlane: dir, controllers, node: await ensureNode(around), tools };
}

function ensureNode({ progress, signal }: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const key = cacheKey({
    ...sourceInputs(NODE, ['main.go', 'pause/main.go', 'go.mod', 'go.sum']),
    ...Object.fromEntries(
      Object.entries(sourceInputs(COREDNS, ['main.go', 'go.mod', 'go.sum'])).map(([name, text]) => [
        `coredns/${name}`,
        text,
      ]),
    ),
    flags: KUBERNETES_FLAGS.join(' '),
    platform: `${process.platform}-${process.arch}`,
  });
  return cached({ name: 'node', key, progress, signal, fill: (folder) => build(folder, progress, signal) });
}

async function build(folder: string, progress: Progress, signal: AbortSignal): Promise<void> {
  const otherwise = 'or set KUBECONFIG to a cluster that has the images';
  const common = { costs: 'a few minutes', otherwise, progress, signal };
  await buildGo({
    ...common,
    source: NODE,
    what: 'kubelet and kube-proxy',
    targets: [
      { package: '.', file: join(folder, 'node'), flags: KUBERNETES_FLAGS },
      { package: './pause', file: join(folder, 'pause'), flags: goFlags() },
    ],
  });
  await buildGo({
    ...common,
    source: COREDNS,
    what: 'CoreDNS',
    targets: [{ package: '.', file: join(folder, 'coredns'), flags: goFlags() }],
  });
  for (const name of ['kubelet', 'kube-proxy']) await symlink('node', join(folder, name));
}
