// The address of the API server and the credentials for it: client-node's KubeConfig read as plain data. client-node
// handles kubeconfig files, in-cluster tokens and exec plugins; connections.ts opens the sockets. client-node takes 0.8
// s to load and 70 MB of memory, so it is imported when the first credentials are read.
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Clock, realClock } from '#base/clock.ts';

export interface TlsSettings {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

export interface KubeProof {
  /** Authorization and impersonation. Must never be logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsSettings;
}

export interface KubeCredentials {
  /** The server's base address, without a slash at the end. */
  readonly server: string;
  /** An HTTP proxy to the server, from the kubeconfig's `proxy-url`. */
  readonly proxy?: string | undefined;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string;
  /** The current token and certificates; files are read again at most every 10 s, or at once with `fresh`. */
  read(fresh?: boolean): Promise<KubeProof>;
}

export interface KubeCredentialsOptions {
  /**
   * A kubeconfig file, or several with colons between them. (Default: KUBECONFIG, then the home directory, then the
   * pod's service account.)
   */
  readonly kubeconfig?: string | undefined;
  /** The context. (Default: the current one of the kubeconfig.) */
  readonly context?: string | undefined;
  readonly clock?: Clock;
}

// The object that applyToHTTPSOptions fills in: the fields of https.RequestOptions that are used here.
interface HttpsSettings extends TlsSettings {
  headers?: Record<string, string>;
  auth?: string;
  pfx?: unknown;
}

const REREAD_MS = 10_000;

/**
 * Loads the configuration.
 * @throws {Error} when no cluster is configured, or its server is behind a SOCKS proxy, which is not supported
 */
export async function loadCredentials(options: KubeCredentialsOptions = {}): Promise<KubeCredentials> {
  const clock = options.clock ?? realClock;
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (options.kubeconfig === undefined) config.loadFromDefault();
  else loadFiles(config, options.kubeconfig, () => new KubeConfig());
  if (options.context !== undefined) chooseContext(config, options.context);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('The kubeconfig names no current cluster');
  if (cluster.proxyUrl?.startsWith('socks')) throw new Error('A SOCKS proxy to the API server is not supported');

  let last: { proof: KubeProof; at: number } | undefined;
  return {
    server: cluster.server.replace(/\/+$/, ''),
    proxy: cluster.proxyUrl,
    namespace: config.getContextObject(config.currentContext)?.namespace?.trim() || 'default',
    read: async (isFresh = false) => {
      if (!isFresh && last !== undefined && clock.now() - last.at < REREAD_MS) return last.proof;
      const settings: HttpsSettings = {};
      await config.applyToHTTPSOptions(settings as Parameters<typeof config.applyToHTTPSOptions>[0]);
      last = { proof: toProof(settings), at: clock.now() };
      return last.proof;
    },
  };
}

/** Loads the files as kubectl does: it merges the files that KUBECONFIG names, and ignores those that do not exist. */
function loadFiles(config: KubeConfig, kubeconfig: string, create: () => KubeConfig): void {
  const namedFiles = kubeconfig.split(delimiter).filter((file) => file !== '');
  const presentFiles = namedFiles.filter((file) => existsSync(file));
  const [first = kubeconfig, ...others] = presentFiles;
  config.loadFromFile(first);
  for (const file of others) {
    const other = create();
    other.loadFromFile(file);
    config.mergeConfig(other, Boolean(config.currentContext));
  }
}

/** @throws {Error} that names the contexts of the kubeconfig */
function chooseContext(config: KubeConfig, context: string): void {
  if (config.getContextObject(context) === null) {
    const names = config.getContexts().map(({ name }) => name);
    throw new Error(`There is no context ${context}; the contexts are ${names.join(', ') || 'none'}`);
  }
  config.setCurrentContext(context);
}

function toProof(settings: HttpsSettings): KubeProof {
  const headers: Record<string, string> = {};
  // A token file may end in a newline, which no header may contain.
  for (const [name, value] of Object.entries(settings.headers ?? {})) headers[name.toLowerCase()] = `${value}`.trim();
  if (settings.auth) headers.authorization = `Basic ${Buffer.from(settings.auth).toString('base64')}`;
  const { ca, cert, key, servername, rejectUnauthorized } = settings;
  return { headers, tls: { ca, cert, key, servername, rejectUnauthorized } };
}
