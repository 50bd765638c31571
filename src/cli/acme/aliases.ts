// Where the CNAME at a challenge name leads, as a CA would see it: the name servers of our own zones are asked directly,
// and a resolver for names elsewhere. It must not know what is written where.
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type { Zone } from '../../client/client.ts';
import { type AddressResolver, ask, type Endpoint, NoAnswer, resolveServers } from '../../nameserver/probe.ts';

export interface Aliases {
  /**
   * The target of the CNAME at a name, without final dot; null when there is none.
   * @param zone ours that encloses the name; null: it lies elsewhere
   * @throws the signal's reason when it aborts
   */
  targetOf(name: string, zone: Pick<Zone, 'nameservers'> | null, signal: AbortSignal): Promise<string | null>;
}

export interface AliasOptions {
  overrides: ReadonlyMap<string, Endpoint>;
  resolver: AddressResolver;
  /** Recursive ones, asked in this order. */
  resolvers: readonly Endpoint[];
}

const CNAME = 5;
const LIMITS = { timeoutMs: 1_500, attempts: 2 };

export function createAliases({ overrides, resolver, resolvers }: AliasOptions): Aliases {
  return {
    targetOf: async (name, zone, signal) => {
      const own = zone && (await resolveServers(zone.nameservers, { overrides, resolver, signal })).servers;
      for (const server of own ?? resolvers) {
        try {
          const answer = await ask(server, { name, type: 'CNAME', recursive: own === null }, { ...LIMITS, signal });
          const cname = answer.answers.find((record) => record.name === name && record.type === CNAME);
          if (answer.rcode === 0 || answer.rcode === 3) return cname === undefined ? null : nameOf(cname.rdata);
        } catch (error) {
          // The next one may answer.
          if (!(error instanceof NoAnswer)) throw error;
        }
      }
      return null;
    },
  };
}

/** Uncompressed wire form to text. */
function nameOf(wire: Uint8Array): string {
  const labels: string[] = [];
  for (let at = 0; at < wire.length && wire[at] !== 0; at += 1 + (wire[at] ?? 0)) {
    labels.push(Buffer.from(wire.subarray(at + 1, at + 1 + (wire[at] ?? 0))).toString('latin1'));
  }
  return labels.join('.').toLowerCase();
}

/** The resolvers that this machine is configured with. */
export function systemResolvers(): Endpoint[] {
  return getServers().flatMap((text) => (isIP(text) === 0 ? [] : [{ address: text, port: 53 }]));
}
