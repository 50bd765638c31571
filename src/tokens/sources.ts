// The documents with the keys of an issuer: which address has them, for each kind of key source.
import { hash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { FetchProblem, fetchJson, KEYS_TYPE } from './fetch-json.ts';
import type { TokenIssuer } from './issuer.ts';

/**
 * A call to the API server of the cluster that the process runs in, with the service account of the process. It returns
 * the JSON of the answer, and throws if there is no successful one.
 */
export type ClusterCall = (
  call: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown; readonly accept?: string },
  signal: AbortSignal,
) => Promise<unknown>;

/** The limit of a call to the API server, in ms. */
export const CLUSTER_LIMIT_MS = 5_000;
/** The role `system:service-account-issuer-discovery`, which all service accounts have, allows this path. */
const CLUSTER_KEYS = { method: 'GET', path: '/openid/v1/jwks', accept: KEYS_TYPE } as const;

export interface SourcePorts {
  readonly clock: Clock;
  /** Absent: the process does not run in a cluster. */
  readonly cluster?: ClusterCall | undefined;
}

/** A short text that is equal for two issuers exactly if their keys come from the same place. */
export function sourceId({ issuer, keySource, ca, privateAddresses }: TokenIssuer): string {
  const place = keySource.kind === 'discovery' ? { ...keySource, issuer } : keySource;
  const terms = isFetchedByAddress(keySource.kind) ? { ca, privateAddresses } : {};
  return hash('sha256', JSON.stringify({ place, ...terms }), 'base64');
}

function isFetchedByAddress(kind: string): boolean {
  return kind === 'discovery' || kind === 'jwks';
}

/**
 * @returns a document that is not checked
 * @throws FetchProblem
 */
export async function fetchKeys(source: TokenIssuer, ports: SourcePorts): Promise<unknown> {
  const { keySource } = source;
  switch (keySource.kind) {
    case 'pinned':
      return keySource.jwks;
    case 'jwks':
      return await fetchJson(keySource.url, source, ports.clock);
    case 'discovery':
      return await fetchJson(await discover(source, ports.clock), source, ports.clock);
    case 'cluster':
      return await callCluster(CLUSTER_KEYS, ports);
    case 'token-review':
      throw new FetchProblem('tokens of this issuer are judged by the API server of the cluster');
  }
}

/** The address of the keys (OpenID Connect Discovery 1.0 sections 4 and 4.3). */
async function discover(source: TokenIssuer, clock: Clock): Promise<string> {
  const address = `${source.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = (await fetchJson(address, source, clock)) as Readonly<Record<string, unknown>> | null;
  // Otherwise the owner of one path of a host could speak for the issuer at another path.
  if (document?.issuer !== source.issuer) throw new FetchProblem('its discovery document is of another issuer');
  if (typeof document.jwks_uri !== 'string') throw new FetchProblem('its discovery document names no keys (jwks_uri)');
  return document.jwks_uri;
}

/** @throws FetchProblem; its cause is the error of the call, which is for the log */
export async function callCluster(
  call: Parameters<ClusterCall>[0],
  { cluster, clock }: SourcePorts,
  signal?: AbortSignal,
): Promise<unknown> {
  if (cluster === undefined) throw new FetchProblem('this service does not run in a cluster');
  const limit = deadline(clock, CLUSTER_LIMIT_MS, signal);
  try {
    return await cluster(call, limit.signal);
  } catch (cause) {
    const seconds = CLUSTER_LIMIT_MS / 1000;
    const why = limit.expired() ? `does not answer within ${seconds} s` : 'does not answer as expected';
    throw new FetchProblem(`the API server of the cluster ${why}`, { cause });
  } finally {
    limit.clear();
  }
}
