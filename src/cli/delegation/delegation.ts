// `zonestead delegation`: looks at the parent and at the resolvers of this machine, and prints the next step of a move.
import { getZone } from '#contract/operations/zones.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { createParentLookup, type ParentLookup } from '#nameserver/probe/parent.ts';
import { ask, NoAnswer, type ProbeEndpoint, resolversOf } from '#nameserver/probe/probe.ts';
import { show } from '../output.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { type DelegationStep, nextStep, type Records } from './step.ts';

const NEEDS =
  'The command needs a resolver (ZONESTEAD_RESOLVER, by default those of this machine) and the name servers of the parent at port 53. Run it again, or on a machine that reaches both';
const ATTEMPT = { timeoutMs: 1_500, attempts: 2 };

interface DelegationOptions {
  /** The setting ZONESTEAD_RESOLVER. */
  resolvers: readonly { host: string; port: number }[] | undefined;
  /** (Default: name servers of the parent at port 53.) */
  lookUp?: ParentLookup;
}

/** @throws Error if the parent cannot be queried */
export async function showDelegation(session: Session, nameOrId: string, options: DelegationOptions): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const zone = await client.call(getZone, { params: { id } }, { signal });
  const resolvers = resolversOf(options.resolvers);
  const lookUp = options.lookUp ?? createParentLookup({ resolvers, overrides: new Map(), mayQuery: () => true });
  const seen = await lookUp(zone, signal);
  if (typeof seen === 'string')
    throw new Error(`the parent zone of ${zone.zoneName} cannot be queried: ${seen}. ${NEEDS}`);
  const parent = {
    name: seen.parent,
    ns: { values: seen.ns, ttl: seen.nsTtl ?? 0 },
    ds: { values: seen.ds, ttl: seen.dsTtl ?? 0 },
  };
  const found = nextStep(zone, parent, await cachedAt(resolvers, zone.zoneName, signal));
  await show(session, { zone: zone.zoneName, parent: seen.parent, ...found }, () => print(found.text));
}

/** The records that the first resolver has which answers; null if none does. */
async function cachedAt(
  resolvers: readonly ProbeEndpoint[],
  zone: string,
  signal: AbortSignal,
): Promise<DelegationStep | null> {
  for (const resolver of resolvers) {
    try {
      const [ns, ds] = await Promise.all(
        (['NS', 'DS'] as const).map(async (type): Promise<Records> => {
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
