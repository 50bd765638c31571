// The cluster of one test file: a node of its own with our images, or the one that KUBECONFIG names, and kubectl and
// helm against it.

import { inject } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import { type RunResult, runCommand } from '../../../deploy/local/parts/commands.ts';
import type { Families } from './networks.ts';
import { startNode, type TestNode } from './node.ts';
import type { NodeGround } from './setup.ts';

const COMMAND_LIMIT_MS = 630_000;

export interface TestCluster {
  kubeconfig: string;
  /** Undefined in a cluster that is not ours. */
  node: TestNode | undefined;
  /** The image of Zonestead, with its tag. */
  image: string;
  /** The version from which an upgrade starts. */
  before: NodeGround['before'];
  /** A folder with cert-manager's CRDs; undefined in a cluster that is not ours, which has cert-manager. */
  certManagerCrds: string | undefined;
  /** For questions that are asked again and again: a kubectl process costs a fifth of a second of a core. */
  api: KubeApi;
  /** @returns standard output. @throws with kubectl's words */
  kubectl(...args: string[]): Promise<string>;
  /** @returns standard output. @throws with helm's words */
  helm(...args: string[]): Promise<string>;
  /** A code other than 0 is the caller's business. */
  attempt(program: 'kubectl' | 'helm', ...args: string[]): Promise<RunResult>;
  /** Repeating it is fine. */
  stop(): Promise<void>;
}

/** @param families those of a node of its own (Default: IPv4 alone.) */
export async function openCluster(families: Families = [4]): Promise<TestCluster> {
  const ground: NodeGround = inject('nodeGround');
  const { signal } = new AbortController();
  const own = 'programs' in ground.cluster ? ground.cluster : undefined;
  const node = own && (await startNode({ programs: own.programs, families, progress: () => {}, signal }));
  const kubeconfig = node?.kubeconfig ?? (ground.cluster as { kubeconfig: string }).kubeconfig;
  const attempt = (program: 'kubectl' | 'helm', ...args: string[]) =>
    runCommand({
      command: ground[program],
      args: [`--kubeconfig=${kubeconfig}`, ...args],
      timeoutMs: COMMAND_LIMIT_MS,
      signal,
    });
  const run = async (program: 'kubectl' | 'helm', args: string[]) => {
    const { code, out, tail } = await attempt(program, ...args);
    if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${tail}`);
    return out;
  };
  try {
    if (node && own) await Promise.all(own.archives.map((file) => node.importImage(file)));
  } catch (error) {
    await node?.stop();
    throw error;
  }
  const connection = await connectCluster({ kubeconfig });
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await connection.close();
    await node?.stop();
  };
  return {
    kubeconfig,
    api: connection.api,
    node,
    image: ground.image,
    before: ground.before,
    certManagerCrds: own?.certManagerCrds,
    kubectl: (...args) => run('kubectl', args),
    helm: (...args) => run('helm', args),
    attempt,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
