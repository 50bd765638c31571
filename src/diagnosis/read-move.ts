// Reads the facts about the move of a zone to this service: its records at the parent, and in the caches of resolvers.
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import type { ParentLookup } from '#nameserver/probe/parent.ts';
import { ask, NoAnswer, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { withLimit } from './limit.ts';
import type { DelegationSets, RecordSet } from './move.ts';

const NEEDS =
  'The command needs a resolver (ZONESTEAD_RESOLVER, by default those of this machine) and the name servers of the parent at port 53. Run it again, or on a machine that reaches both';
const ATTEMPT = { timeoutMs: 1_500, attempts: 2 };
const LIMIT_MS = 60_000;

interface MoveFacts {
  readonly parent: DelegationSets & { name: string };
  /** Null if no resolver answers. */
  readonly cached: DelegationSets | null;
}

interface MovePorts {
  readonly lookUp: ParentLookup;
  readonly resolvers: readonly ProbeEndpoint[];
}

/** @throws Error if the parent cannot be queried */
export function readMove(
  { lookUp, resolvers }: MovePorts,
  zone: Parameters<ParentLookup>[0],
  caller: AbortSignal,
): Promise<MoveFacts> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const seen = await lookUp(zone, signal);
    if (typeof seen === 'string')
      throw new Error(`the parent zone of ${zone.zoneName} cannot be queried: ${seen}. ${NEEDS}`);
    const parent = {
      name: seen.parent,
      ns: { values: seen.ns, ttl: seen.nsTtl ?? 0 },
      ds: { values: seen.ds, ttl: seen.dsTtl ?? 0 },
    };
    return { parent, cached: await readCached(resolvers, zone.zoneName, signal) };
  });
}

/** The records that the first resolver has which answers; null if none does. */
async function readCached(
  resolvers: readonly ProbeEndpoint[],
  zone: string,
  signal: AbortSignal,
): Promise<DelegationSets | null> {
  for (const resolver of resolvers) {
    try {
      const [ns, ds] = await Promise.all(
        (['NS', 'DS'] as const).map(async (type): Promise<RecordSet> => {
          const { answers } = await ask(resolver, { name: zone, type, recursive: true }, { ...ATTEMPT, signal });
          const own = answers.filter((each) => each.name === zone && each.type === TYPE_NUMBERS[type]);
          const values = own.map(({ rdata }) => Buffer.from(rdata).toString('hex'));
          return { values, ttl: Math.max(0, ...own.map(({ ttl }) => ttl)) };
        }),
      );
      if (ns !== undefined && ds !== undefined) return { ns, ds };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
  }
  return null;
}
