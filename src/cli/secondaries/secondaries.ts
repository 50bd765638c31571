// `zonestead secondaries …`: the secondaries that are offered to the teams of the key, over the REST API.
import { listSecondaries } from '#contract/operations/secondaries.ts';
import type { CommandGroup } from '../command.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { table } from '../table.ts';

const list = describeRestCommand({
  name: 'list',
  describe: 'list the secondaries that you may choose for your zones with "zones secondaries"',
  notes: 'An administrator lists all secondaries with their state: "zonestead admin secondaries list".',
  run: listOffered,
});

export const command: CommandGroup = {
  name: 'secondaries',
  describe: 'list the secondaries that are offered to you (over the REST API)',
  examples: ['zonestead secondaries list'],
  commands: [list],
};

async function listOffered(session: Session): Promise<void> {
  const { client, signal, print } = session;
  const { secondaries } = await client.call(listSecondaries, {}, { signal });
  const rows = secondaries.map(({ name, nameservers, allZones, namespaces }) => [
    name,
    nameservers.join(' ') || 'hidden',
    allZones ? 'all zones' : 'chosen zones',
    namespaces?.join(' ') ?? 'any',
  ]);
  await show(session, { secondaries }, () => {
    if (rows.length === 0) print('no secondary is offered');
    else table(['SECONDARY', 'NAME SERVERS', 'HAS', 'NAMESPACES'], rows, print);
  });
}
