// `zonestead nodes …`: the name servers of a zone with the state of each, over the REST API.
import { listZoneNodes } from '#contract/operations/zones.ts';
import type { CommandGroup } from '../command.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { printNodes } from '../zones/status.ts';

const list = describeRestCommand({
  name: 'list',
  describe: 'list the name servers that have a zone, and whether each has its last change',
  arguments: [ZONE],
  notes:
    'It lists the nodes of one zone. An administrator lists all nodes with "zonestead admin nodes list". "zones status" also asks each name server by DNS.',
  run: (session, [zone = '']) => listNodes(session, zone),
});

export const command: CommandGroup = {
  name: 'nodes',
  describe: 'list the name servers of a zone (over the REST API)',
  examples: ['zonestead nodes list shop.example'],
  commands: [list],
};

/** @throws Error if the API key cannot see the zone */
async function listNodes(session: Session, nameOrId: string): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const { nodes } = await client.call(listZoneNodes, { params: { id } }, { signal });
  await show(session, { nodes }, () => printNodes(nodes, print));
}
