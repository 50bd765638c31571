// Builds the calls to a cluster from a kubeconfig: credentials, transport and API of one process.
import { createApi, type KubeApi } from './api.ts';
import { type KubeCredentials, type KubeCredentialsOptions, loadCredentials } from './credentials.ts';
import { type Pod, plainCredentials } from './plain-credentials.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

export interface ClusterOptions extends KubeCredentialsOptions, Omit<TransportOptions, 'credentials' | 'clock'> {
  /** Credentials that the caller already has. (Default: those of `kubeconfig`, or of the pod.) */
  readonly credentials?: KubeCredentials;
  /**
   * The address of the API server in a pod, from the variables that kubelet sets. Without it and without a kubeconfig,
   * client-node looks for a cluster.
   */
  readonly pod?: Pod | undefined;
}

export interface KubeCluster {
  readonly api: KubeApi;
  /** A call that concerns no object. */
  readonly request: Transport['request'];
  readonly clockDifference: Transport['clockDifference'];
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string;
  /** Closes every connection. */
  close(): Promise<void>;
}

/**
 * Loads the configuration; does not call the server yet. A configuration that only client-node can read takes most of a
 * second, and 70 MB of memory.
 * @throws {Error}
 */
export async function connectCluster(options: ClusterOptions = {}): Promise<KubeCluster> {
  const { kubeconfig, context, pod } = options;
  const plain = context === undefined ? plainCredentials({ kubeconfig, pod }) : undefined;
  const credentials = options.credentials ?? (await plain) ?? (await loadCredentials(options));
  const transport = createTransport({ ...options, credentials });
  return {
    api: createApi(transport),
    request: (call, signal) => transport.request(call, signal),
    clockDifference: () => transport.clockDifference(),
    namespace: credentials.namespace,
    close: () => transport.close(),
  };
}
