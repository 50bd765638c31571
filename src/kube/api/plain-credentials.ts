// The same credentials that client-node finds, for the two forms that need no library: a pod's service account, and a
// kubeconfig file with certificates or a token. client-node costs 70 MB and most of a second, more than the rest of a
// process. It still handles everything else that a kubeconfig may contain (exec plugins, proxies, impersonation).
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { formatHostPort } from '#base/address.ts';
import { type Clock, realClock } from '#base/clock.ts';
import type { KubeCredentials, KubeProof, TlsSettings } from './credentials.ts';

/** Host and port of the API server as kubelet sets them in KUBERNETES_SERVICE_HOST and _PORT. */
export interface Pod {
  readonly host: string;
  readonly port: string;
}

interface PlainOptions {
  /** One file. (Default: the pod's service account.) */
  readonly kubeconfig?: string | undefined;
  readonly pod?: Pod | undefined;
  /** (Default: the folder where kubelet mounts it.) */
  readonly serviceAccount?: string;
  readonly clock?: Clock;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const REREAD_MS = 10_000;
const KNOWN_CLUSTER: ReadonlySet<string> = new Set([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
]);
const KNOWN_USER: ReadonlySet<string> = new Set([
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'token',
  'tokenFile',
]);

type Fields = Readonly<Record<string, unknown>>;

/**
 * @returns undefined when only client-node can read it
 * @throws when a file that is named cannot be read
 */
export async function plainCredentials(options: PlainOptions): Promise<KubeCredentials | undefined> {
  const { kubeconfig, pod, clock = realClock } = options;
  if (kubeconfig === undefined) return pod && podCredentials(pod, options.serviceAccount ?? SERVICE_ACCOUNT, clock);
  if (kubeconfig.includes(':')) return undefined;
  const file = parse(await readFile(kubeconfig, 'utf8')) as Fields;
  const context = named(file.contexts, file['current-context'], 'context');
  const cluster = named(file.clusters, context?.cluster, 'cluster');
  const user = named(file.users, context?.user, 'user');
  if (cluster === undefined || user === undefined) return undefined;
  if (!isKnown(cluster, KNOWN_CLUSTER) || !isKnown(user, KNOWN_USER)) return undefined;
  const folder = dirname(kubeconfig);
  return {
    server: String(cluster.server).replace(/\/+$/, ''),
    namespace: String(context?.namespace ?? 'default'),
    read: remembered(clock, async () => {
      const token = user.token ?? (await content(user, 'tokenFile', folder, false));
      const tls: TlsSettings = {
        ca: await content(cluster, 'certificate-authority', folder),
        cert: await content(user, 'client-certificate', folder),
        key: await content(user, 'client-key', folder),
        servername: cluster['tls-server-name'] as string | undefined,
        rejectUnauthorized: cluster['insecure-skip-tls-verify'] === true ? false : undefined,
      };
      return { headers: bearer(token), tls };
    }),
  };
}

async function podCredentials({ host, port }: Pod, folder: string, clock: Clock) {
  const text = (name: string) => readFile(resolve(folder, name), 'utf8');
  return {
    server: `https://${formatHostPort(host, port)}`,
    namespace: (await text('namespace').catch(() => 'default')).trim(),
    // Both are renewed in place: the token every hour, the certificate authority when the cluster's changes.
    read: remembered(clock, async () => ({ headers: bearer(await text('token')), tls: { ca: await text('ca.crt') } })),
  };
}

function remembered(clock: Clock, read: () => Promise<KubeProof>): KubeCredentials['read'] {
  let last: { proof: KubeProof; at: number } | undefined;
  return async (isFresh = false) => {
    if (isFresh || last === undefined || clock.now() - last.at >= REREAD_MS)
      last = { proof: await read(), at: clock.now() };
    return last.proof;
  };
}

function bearer(token: unknown): Record<string, string> {
  // A token file may end in a newline, which no header may contain.
  return typeof token === 'string' && token.trim() !== '' ? { authorization: `Bearer ${token.trim()}` } : {};
}

/** A field given as base64 data, or as a file next to the kubeconfig; the data wins (client-go clientcmd). */
async function content(fields: Fields, name: string, folder: string, data = true): Promise<string | undefined> {
  const inline = fields[`${name}-data`];
  if (data && typeof inline === 'string') return Buffer.from(inline, 'base64').toString('utf8');
  const file = fields[name];
  return typeof file === 'string' ? await readFile(resolve(folder, file), 'utf8') : undefined;
}

function named(list: unknown, name: unknown, field: string): Fields | undefined {
  if (!Array.isArray(list)) return undefined;
  const entry = list.find((each: Fields) => each.name === name) as Fields | undefined;
  return entry?.[field] as Fields | undefined;
}

function isKnown(fields: Fields, knownFields: ReadonlySet<string>): boolean {
  return Object.keys(fields).every((name) => knownFields.has(name));
}
