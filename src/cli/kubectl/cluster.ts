// The reads of the plugin, with the rights of its user: a right that is missing becomes a sentence, and so does a
// cluster that does not answer.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { isNotFound, KubeError } from '#kube/api/errors.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';

/** The options of kubectl that each command takes. */
export interface ContextOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** Objects, and a sentence if some could not be read. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly note: string | undefined;
}

export interface ClusterReader {
  /** The namespace of the option or of the context. */
  readonly namespace: string;
  /** @param namespace undefined: all */
  list<T extends KubeObject>(type: ResourceType, namespace: string | undefined): Promise<Listed<T>>;
  /** @returns null: there is none; a sentence: it may not be read */
  get<T extends KubeObject>(type: ResourceType, namespace: string, name: string): Promise<T | null | string>;
}

const PAGE = 500;
/** A pod has it, and needs no kubeconfig. */
const POD_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** @throws Error in one sentence if there is no cluster, or it does not answer */
export async function withReader<T>(
  options: ContextOptions,
  setting: string | undefined,
  signal: AbortSignal,
  work: (reader: ClusterReader) => Promise<T>,
): Promise<T> {
  const cluster = await connect(options, setting);
  try {
    return await work(readerOf(cluster, options.namespace ?? cluster.namespace, signal));
  } catch (error) {
    if (error instanceof KubeError) throw new Error(sentenceFor(error));
    throw error;
  } finally {
    await cluster.close();
  }
}

async function connect({ kubeconfig, context }: ContextOptions, setting: string | undefined): Promise<KubeCluster> {
  const usual = join(homedir(), '.kube/config');
  const file = kubeconfig ?? setting ?? (existsSync(usual) ? usual : undefined);
  if (file === undefined && !existsSync(POD_TOKEN))
    throw new Error(
      'No kubeconfig was found: KUBECONFIG is not set, and there is no ~/.kube/config. Name one with --kubeconfig.',
    );
  try {
    return await connectCluster({
      ...(file === undefined ? {} : { kubeconfig: file }),
      ...(context === undefined ? {} : { context }),
    });
  } catch (error) {
    const { message } = error as Error;
    const where = file === undefined ? 'No kubeconfig was found' : `The kubeconfig ${file} cannot be used`;
    throw new Error(`${where}: ${message}. Name another one with --kubeconfig or KUBECONFIG.`);
  }
}

function readerOf({ api }: KubeCluster, namespace: string, signal: AbortSignal): ClusterReader {
  return {
    namespace,
    list: async <T extends KubeObject>(type: ResourceType, where: string | undefined) => {
      const items: T[] = [];
      try {
        let more: string | undefined;
        do {
          const page = await api.list<T>(type, { namespace: where, limit: PAGE, continue: more }, signal);
          items.push(...page.items);
          more = page.continue;
        } while (more !== undefined && more !== '');
        return { items, note: undefined };
      } catch (error) {
        if (!isForbidden(error)) throw absent(error, type);
        const place = where === undefined ? 'all namespaces' : `namespace ${where}`;
        return { items, note: `You have no right to list ${type.plural}.${type.group} in ${place}.` };
      }
    },
    get: async <T extends KubeObject>(type: ResourceType, where: string, name: string) => {
      try {
        return await api.get<T>(type, { namespace: where, name }, signal);
      } catch (error) {
        if (isForbidden(error)) return `You have no right to get ${type.plural}.${type.group} in namespace ${where}.`;
        if (!isNotFound(error)) throw error;
        // A kind that does not exist answers 404 without a name.
        if ((error as KubeError).details?.name === undefined) throw absent(error, type);
        return null;
      }
    },
  };
}

const isForbidden = (error: unknown) => error instanceof KubeError && error.status === 403;

function absent(error: unknown, { kind }: ResourceType): unknown {
  if (!isNotFound(error)) return error;
  return new Error(
    `The cluster has no resource ${kind}: Zonestead is not installed there, or the context is another one.`,
  );
}

function sentenceFor({ status, message }: KubeError): string {
  if (status === 401) return `The API server refuses the credentials of the kubeconfig: ${message}.`;
  if (status === 0) return `The API server does not answer: ${message}. Check the context, or name one with --context.`;
  return `The API server answers with an error: ${message}`;
}
