// Builds the calls to a cluster from a kubeconfig: credentials, transport and API of one process.
import { createApi, type KubeApi } from './api.ts';
import { type Credentials, type CredentialsOptions, loadCredentials } from './credentials.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface ClusterOptions extends CredentialsOptions, Omit<TransportOptions, 'credentials' | 'clock'> {
  /** Credentials that the caller already has. (Default: loaded by client-node.) */
  readonly credentials?: Credentials;
}

export interface Cluster {
  readonly api: KubeApi;
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Loads the configuration (which takes most of a second); does not call the server yet. @throws {Error} */
export async function connectCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const credentials = options.credentials ?? (await loadCredentials(options));
  const transport = createTransport({ ...options, credentials });
  return { api: createApi(transport), namespace: credentials.namespace, close: () => transport.close() };
}
