// The connections of a node to the api.
import { EnvHttpProxyAgent } from 'undici';
import { matchNetworks } from '#base/networks.ts';
import { AuthoritiesAgent } from '#client/authorities.ts';
import { parseNetwork } from '#dns/network.ts';

interface FeedAgentOptions {
  /** A PEM file with the authorities that are trusted instead of those of the machine. */
  readonly caFile?: string | undefined;
  readonly connectMs: number;
  /** The address of the api. */
  readonly url: string;
  /** The hosts and networks that need no proxy. */
  readonly noProxy?: string | undefined;
}

/** Opens nothing before the first request. A request throws ApiUnavailable if the file has no authorities. */
export function createFeedAgent({ caFile, connectMs, url, noProxy }: FeedAgentOptions): AuthoritiesAgent {
  const exceptions = listExceptions(url, noProxy ?? '');
  return new AuthoritiesAgent({
    caFile,
    setting: 'ZONESTEAD_FEED_CA',
    create: (ca) => {
      const connect = { timeout: connectMs, keepAlive: true, ...(ca === undefined ? {} : { ca }) };
      // HTTP/1.1 only, like the other clients: a half-open HTTP/2 session goes unnoticed.
      return new EnvHttpProxyAgent({
        connections: 32,
        allowH2: false,
        connect,
        requestTls: connect,
        ...(exceptions === null ? {} : { noProxy: exceptions }),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
    },
  });
}

/**
 * NO_PROXY with the host of the api, if that is an address in one of its networks, which undici does not know.
 * @returns null if undici's own reading is right
 */
export function listExceptions(url: string, noProxy: string): string | null {
  const host = new URL(url).hostname.replace(/^\[(.+)\]$/, '$1');
  const networks = noProxy.split(/[,\s]+/).flatMap((entry) => {
    const network = entry.includes('/') ? parseNetwork(entry, 'NO_PROXY') : null;
    return network?.ok ? network.value : [];
  });
  return matchNetworks(networks)(host) ? `${noProxy},${host}` : null;
}
