// Calls of a process to the API server of the cluster that it runs in, for a process whose main work is something else:
// nothing is read or opened before the first call.
import { loadCredentials } from './credentials.ts';
import { type Pod, plainCredentials } from './plain-credentials.ts';
import { createTransport, type Transport } from './transport.ts';

export interface OwnCluster {
  /** See Transport. */
  request: Transport['request'];
  /** Closes every connection; calls in flight fail. */
  close(): Promise<void>;
}

interface OwnClusterOptions {
  /** (Default: the pod's service account.) */
  readonly kubeconfig?: string | undefined;
  readonly pod?: Pod | undefined;
}

/** Enough for a process that asks now and then. */
const CONNECTIONS = 4;

/** Undefined: the process runs neither in a pod nor with a kubeconfig. */
export function ownCluster({ kubeconfig, pod }: OwnClusterOptions): OwnCluster | undefined {
  if (kubeconfig === undefined && pod === undefined) return undefined;
  let pendingTransport: Promise<Transport> | null = null;
  const open = async (): Promise<Transport> => {
    const credentials = (await plainCredentials({ kubeconfig, pod })) ?? (await loadCredentials({ kubeconfig }));
    return createTransport({ credentials, maxConnections: CONNECTIONS });
  };
  return {
    request: async (call, signal) => {
      pendingTransport ??= open();
      const transport = await pendingTransport.catch((error: unknown) => {
        // The file may be there at the next call.
        pendingTransport = null;
        throw error;
      });
      return await transport.request(call, signal);
    },
    close: async () => {
      const transport = await pendingTransport?.catch(() => undefined);
      await transport?.close();
    },
  };
}
