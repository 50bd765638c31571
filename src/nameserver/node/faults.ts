// The faults of a feed that the node tells apart.
import type { TlsPeer } from '#base/tls-fault.ts';

/** The api, in explanations of TLS. */
export const FEED_PEER: TlsPeer = {
  server: 'the api',
  authorities: 'ZONESTEAD_FEED_CA',
  address: 'ZONESTEAD_FEED_URL',
};

/** The api answered, but not as the contract says: a line that is too long, garbage, an answer that ends early. */
export class FeedFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FeedFault';
  }
}

/** The zone has more RRsets than the node reads together with other zones. */
export class LargeZone extends Error {
  constructor() {
    super('the zone is large and is read alone');
    this.name = 'LargeZone';
  }
}

/** The name server may be at long work, such as the first signatures of a large zone; it answers queries meanwhile. */
export class SlowEngine extends Error {
  constructor(seconds: number) {
    super(`The name server did not answer within ${seconds} s`);
    this.name = 'SlowEngine';
  }
}

/** The text of an error for reports and logs, at most `limit` characters. */
export function textOfError(error: unknown, limit = 500): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.slice(0, limit);
}
