// The cluster of a command: the kubeconfig of an option, of the setting or of the home directory. A cluster that does
// not answer becomes a sentence.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createKubeReader, type KubeReader } from '#diagnosis/kube-reader.ts';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { KubeError } from '#kube/api/errors.ts';

/** The options of kubectl that each command takes. */
export interface ContextOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
}

interface OpenCluster {
  readonly reader: KubeReader;
  /** The namespace of the option or of the context; undefined: all. */
  readonly namespace: string | undefined;
}

/** A pod has it, and needs no kubeconfig. */
const POD_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * @param options null: the command has no such options
 * @param setting KUBECONFIG
 * @throws Error in one sentence if no kubeconfig names a cluster, or if the cluster does not answer
 */
export async function withReader<T>(
  options: ContextOptions | null,
  setting: string | undefined,
  work: (cluster: OpenCluster) => Promise<T>,
): Promise<T> {
  const cluster = await connect(options, setting);
  const namespace = options?.allNamespaces ? undefined : (options?.namespace ?? cluster.namespace);
  try {
    return await work({ reader: createKubeReader(cluster.api), namespace });
  } catch (error) {
    if (error instanceof KubeError) throw new Error(sentenceFor(error, options !== null));
    throw error;
  } finally {
    await cluster.close();
  }
}

async function connect(options: ContextOptions | null, setting: string | undefined): Promise<KubeCluster> {
  const { kubeconfig, context } = options ?? {};
  const usual = join(homedir(), '.kube/config');
  const file = kubeconfig ?? setting ?? (existsSync(usual) ? usual : undefined);
  if (file === undefined && !existsSync(POD_TOKEN))
    throw new Error(
      `No kubeconfig was found: KUBECONFIG is not set, and there is no ~/.kube/config. Name one with ${options === null ? 'KUBECONFIG' : '--kubeconfig'}.`,
    );
  try {
    return await connectCluster({
      ...(file === undefined ? {} : { kubeconfig: file }),
      ...(context === undefined ? {} : { context }),
    });
  } catch (error) {
    const { message } = error as Error;
    const where = file === undefined ? 'No kubeconfig was found' : `The kubeconfig ${file} cannot be used`;
    throw new Error(
      `${where}: ${message}. Name another one with ${options === null ? '' : '--kubeconfig or '}KUBECONFIG.`,
    );
  }
}

function sentenceFor({ status, message }: KubeError, hasOptions: boolean): string {
  if (status === 401) return `The API server refuses the credentials of the kubeconfig: ${message}.`;
  if (status === 0)
    return `The API server does not answer: ${message}. Check the context${hasOptions ? ', or name one with --context' : ''}.`;
  return `The API server answers with an error: ${message}`;
}
