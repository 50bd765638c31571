// The way from a kubeconfig to calls: credentials, transport and API put together for a process. It must not know what
// they are used for.
import { createApi, type KubeApi } from './api.ts';
import { type Credentials, type CredentialsOptions, loadCredentials } from './credentials.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface ClusterOptions extends CredentialsOptions, Omit<TransportOptions, 'credentials' | 'clock'> {
  /** Found already. (Default: loaded by client-node.) */
  readonly credentials?: Credentials;
}

export interface Cluster {
  readonly api: KubeApi;
  /** The namespace of the kubeconfig's context, or of the pod. */
  readonly namespace: string;
  /** Drops every connection. */
  close(): Promise<void>;
}

/** Loads the configuration (which takes most of a second); nothing is asked of the server yet. @throws {Error} */
export async function connectCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const credentials = options.credentials ?? (await loadCredentials(options));
  const transport = createTransport({ ...options, credentials });
  return { api: createApi(transport), namespace: credentials.namespace, close: () => transport.close() };
}
