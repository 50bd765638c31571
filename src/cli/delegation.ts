// `zonestead delegation`: looks at the parent and at the resolvers of this machine, and prints the next step of a move.
import type { ParentLookup } from '#nameserver/probe/parent.ts';
import { describeCommand } from './command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from './output.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from './rest/access.ts';
import type { Session } from './rest/session.ts';
import { withRest } from './rest/with-rest.ts';

interface DelegationOptions {
  /** The setting ZONESTEAD_RESOLVER. */
  resolvers: readonly { host: string; port: number }[] | undefined;
  /** Absent: queries name servers of the parent at port 53. */
  lookUp?: ParentLookup;
}

export const command = describeCommand({
  name: 'delegation',
  describe: 'look at the parent of a zone, and print the next step of its move to this service, with DNSSEC',
  arguments: [{ usage: '<zone>', describe: 'name or id of the zone' }],
  options: [OUTPUT_OPTION, CONTEXT_OPTION],
  settings: [...REST_SETTINGS, 'ZONESTEAD_RESOLVER'],
  examples: ['zonestead delegation shop.example'],
  run: ([zone = ''], options: OutputOption & ContextOption, context) =>
    withRest(context, options, (session, config) =>
      showDelegation(session, zone, { resolvers: config.ZONESTEAD_RESOLVER }),
    ),
});

/** @throws Error if the parent cannot be queried */
export async function showDelegation(session: Session, nameOrId: string, options: DelegationOptions): Promise<void> {
  const { zoneOf } = await import('./rest/session.ts');
  const { getZone } = await import('#contract/operations/zones.ts');
  const { planMove } = await import('#diagnosis/move.ts');
  const { readMove } = await import('#diagnosis/read-move.ts');
  const { createParentLookup } = await import('#nameserver/probe/parent.ts');
  const { chooseResolvers } = await import('#nameserver/probe/probe.ts');
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const zone = await client.call(getZone, { params: { id } }, { signal });
  const resolvers = chooseResolvers(options.resolvers);
  const lookUp = options.lookUp ?? createParentLookup({ resolvers, overrides: new Map(), mayQuery: () => true });
  const { parent, cached } = await readMove({ lookUp, resolvers }, zone, signal);
  const next = planMove(zone, parent, cached);
  await show(session, { zone: zone.zoneName, parent: parent.name, ...next }, () => print(next.text));
}
