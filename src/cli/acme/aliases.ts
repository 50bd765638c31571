// The target of the CNAME at a challenge name, as a CA sees it. For names in our own zones this asks the name servers
// directly, and a resolver for all other names.

import type { Zone } from '#contract/zone.ts';
import { readName } from '#dns/wire/name.ts';
import { type AddressResolver, ask, NoAnswer, type ProbeEndpoint, resolveServers } from '#nameserver/probe/probe.ts';

export interface ChallengeAliases {
  /**
   * The target of the CNAME at a name, without final dot; null if there is no CNAME.
   * @param zone our zone that contains the name; null if there is none
   * @throws the reason of the signal when it aborts
   */
  targetOf(name: string, zone: Pick<Zone, 'nameservers'> | null, signal: AbortSignal): Promise<string | null>;
}

export interface ChallengeAliasOptions {
  overrides: ReadonlyMap<string, ProbeEndpoint>;
  resolver: AddressResolver;
  /** Recursive resolvers in order of preference. */
  resolvers: readonly ProbeEndpoint[];
}

const CNAME = 5;
const LIMITS = { timeoutMs: 1_500, attempts: 2 };

export function createChallengeAliases({ overrides, resolver, resolvers }: ChallengeAliasOptions): ChallengeAliases {
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
          // The next server can answer.
          if (!(error instanceof NoAnswer)) throw error;
        }
      }
      return null;
    },
  };
}
