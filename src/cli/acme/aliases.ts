// Where the CNAME at a challenge name leads, as a CA would see it: the name servers of our own zones are asked directly,
// and a resolver for names elsewhere. It must not know what is written where.
import type { Zone } from '../../client/client.ts';
import {
  type AddressResolver,
  ask,
  type Endpoint,
  NoAnswer,
  readName,
  resolveServers,
} from '../../nameserver/probe.ts';

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
          if (answer.rcode === 0 || answer.rcode === 3)
            return cname === undefined ? null : readName(cname.rdata, 0).name;
        } catch (error) {
          // The next one may answer.
          if (!(error instanceof NoAnswer)) throw error;
        }
      }
      return null;
    },
  };
}
