// A control plane for charts: a real kube-apiserver with the kinds that the chart's objects have, and namespaces that
// enforce the Pod Security level "restricted". No nodes: nothing runs.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { ensureCertManager } from '../../../deploy/local/parts/certmanager-build.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { ensureCloudNativePg } from '../../support/cloudnativepg/build.ts';
import { foreignCrds } from './foreign-crds.support.ts';
import { ensureGatewayCrds } from './gateway-crds.support.ts';

export interface ChartCluster {
  /** An administrator's. */
  kubeconfig: string;
  /** For files of other processes; it is deleted with the cluster. */
  stateDir: string;
  /** Any kubectl command, with all of its words. */
  kubectl(...args: string[]): Promise<{ ok: boolean; words: string; out: string }>;
  /** Objects as a file, for kubectl. */
  file(text: string): Promise<string>;
  /** The way to the cluster of a service account in namespace `zonestead`, with that account's rights. */
  as(account: string): Promise<KubeCluster>;
  /** A token of ten minutes of a service account in namespace `zonestead`, as kubelet requests it for a pod. */
  token(account: string, audience: string): Promise<string>;
  stop(): Promise<void>;
}

const NAMESPACES = ['zonestead', 'elsewhere', 'monitoring', 'team-a', 'team-b', 'argocd', 'flux-system'];
const PODS = 'pod-security.kubernetes.io';

export async function startChartCluster(): Promise<ChartCluster> {
  const { signal } = new AbortController();
  const progress = () => undefined;
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-chart-'));
  const { dir } = await ensureControlPlane({ progress, signal });
  const cloudNativePg = await ensureCloudNativePg(progress, signal);
  const certManager = await ensureCertManager({ progress, signal });
  const ports = await allocatePorts(
    (['etcd', 'etcdPeer', 'apiserver'] as const).map((name) => ({ name })),
    { stateDir },
  );
  const plane = await startControlPlane({ dir, stateDir, ports, signal });
  const clusters: KubeCluster[] = [];
  let files = 0;
  const kubectl = async (...args: string[]) => {
    const all = [`--kubeconfig=${plane.kubeconfig}`, ...args];
    const { code, out, tail } = await runCommand({
      command: join(dir, 'kubectl'),
      args: all,
      timeoutMs: 200_000,
      signal,
    });
    return { ok: code === 0, words: tail, out };
  };
  const file = async (text: string) => {
    files += 1;
    const path = join(stateDir, `objects-${files}.yaml`);
    await writeFile(path, text);
    return path;
  };
  const sure = async (...args: string[]) => {
    const { ok, words } = await kubectl(...args);
    if (!ok) throw new Error(words);
  };
  const cluster: ChartCluster = {
    kubeconfig: plane.kubeconfig,
    stateDir,
    kubectl,
    file,
    as: async (account) => {
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:zonestead', 'system:authenticated'];
      const kubeconfig = await plane.clientConfig(`system:serviceaccount:zonestead:${account}`, groups);
      const connected = await connectCluster({ kubeconfig });
      clusters.push(connected);
      return connected;
    },
    token: async (account, audience) => {
      const { ok, out, words } = await kubectl(
        ...['create', 'token', account, '-n', 'zonestead', `--audience=${audience}`, '--duration=10m'],
      );
      if (!ok) throw new Error(words);
      return out.trim();
    },
    stop: async () => {
      await Promise.all(clusters.map((each) => each.close()));
      await plane.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
  try {
    await sure('apply', '--server-side', '-f', join(certManager.dir, 'crds'));
    await sure('apply', '--server-side', '-f', join(cloudNativePg, 'crds'));
    for (const path of await ensureGatewayCrds(signal)) await sure('apply', '--server-side', '-f', path);
    const namespaces = NAMESPACES.map((name) => {
      const labels = { [`${PODS}/enforce`]: 'restricted', [`${PODS}/warn`]: 'restricted' };
      return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
    });
    const items = [...foreignCrds(), ...namespaces];
    await sure('apply', '--server-side', '-f', await file(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })));
    await sure('wait', '--for=condition=Established', '--timeout=150s', 'crd', '--all');
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
