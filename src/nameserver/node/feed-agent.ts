// The connections of a node to the api.
import { EnvHttpProxyAgent } from 'undici';
import { AuthoritiesAgent } from '#client/authorities.ts';

interface FeedAgentOptions {
  /** A PEM file with the authorities that are trusted instead of those of the machine. */
  readonly caFile?: string | undefined;
  readonly connectMs: number;
}

/** Opens nothing before the first request. A request throws ApiUnavailable if the file has no authorities. */
export function createFeedAgent({ caFile, connectMs }: FeedAgentOptions): AuthoritiesAgent {
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
        headersTimeout: 0,
        bodyTimeout: 0,
      });
    },
  });
}
