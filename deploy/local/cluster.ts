// The Kubernetes side of the local stack: a control plane of our own or the one that a kubeconfig names, with the CRDs
// and the operator's rights in it.

import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { renderCrds } from '#resources/crd.ts';
import type { Progress } from './parts/cache.ts';
import { findCommand, runCommand } from './parts/commands.ts';
import { adminKubeconfig, type ControlPlanePorts, startControlPlane } from './parts/controlplane.ts';
import { ensureControlPlane } from './parts/controlplane-build.ts';
import type { Part } from './parts/part.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const KUBECTL_LIMIT_MS = 120_000;

export interface Cluster {
  /** The path of the administrator's (or the given) kubeconfig. */
  kubeconfig: string;
  /** The operator's identity: one with only the rights of deploy/operator/rbac.yaml, if we can create one. */
  operatorKubeconfig: string;
  parts: Part[];
  /** A kubeconfig for this user and these groups, where the control plane is our own; rights are RBAC's business. */
  identity: ((name: string, groups: string[]) => Promise<string>) | undefined;
  kubectl(args: string[], options?: { timeoutMs?: number }): Promise<string>;
  stop(): Promise<void>;
}

/** Where the kubeconfig of a stack is, also before its control plane runs. */
export function chooseKubeconfig(stateDir: string, given: string | undefined): string {
  return given ?? adminKubeconfig(stateDir);
}

export interface ClusterOptions {
  stateDir: string;
  /** A cluster that exists already. */
  kubeconfig?: string | undefined;
  /** The address of the archives of prebuilt Kubernetes programs. Absent: the programs are built. */
  prebuilt?: string | undefined;
  ports: ControlPlanePorts;
  progress: Progress;
  signal: AbortSignal;
}

/** Starts or finds the cluster, links kubectl into `bin/`, installs CRDs and rights. @throws with kubectl's words */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { stateDir, kubeconfig, prebuilt, ports, progress, signal } = options;
  const bin = join(stateDir, 'bin');
  await mkdir(bin, { recursive: true });
  const program = kubeconfig === undefined ? undefined : findCommand('kubectl');
  const dir = program === undefined ? (await ensureControlPlane({ prebuilt, progress, signal })).dir : undefined;
  const kubectlPath = program ?? join(dir as string, 'kubectl');
  await rm(join(bin, 'kubectl'), { force: true });
  await symlink(kubectlPath, join(bin, 'kubectl'));

  const own =
    kubeconfig === undefined ? await startControlPlane({ dir: dir as string, stateDir, ports, signal }) : undefined;
  const config = kubeconfig ?? (own?.kubeconfig as string);
  const kubectl = async (args: string[], { timeoutMs = KUBECTL_LIMIT_MS } = {}) => {
    const result = await runCommand({
      command: kubectlPath,
      args: [`--kubeconfig=${config}`, ...args],
      timeoutMs,
      signal,
    });
    if (result.code !== 0) throw new Error(`kubectl ${args.slice(0, 3).join(' ')} …: ${result.tail}`);
    return result.out;
  };
  try {
    const crds = renderCrds().flatMap(({ file }) => ['-f', join(ROOT, 'crds', file)]);
    await kubectl(['apply', '--server-side', '--force-conflicts', ...crds]);
    await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...crds]);
    if (own) await kubectl(['apply', '--server-side', '-f', join(ROOT, 'deploy/operator/rbac.yaml')]);
  } catch (error) {
    await own?.stop();
    throw error;
  }
  return {
    kubeconfig: config,
    operatorKubeconfig: own?.operatorKubeconfig ?? config,
    parts: own?.parts ?? [],
    identity: own?.clientConfig,
    kubectl,
    stop: async () => own?.stop(),
  };
}
