// `zonestead zones status`: which nodes and secondaries have a zone as it is stored, by the reports of nodes, and the
// serial that each name server answers with, by DNS.
import { Resolver } from 'node:dns/promises';
import { formatHostPort } from '#base/address.ts';
import { evenlyNote, isAnyCounted, NO_NODE_REPORTS, nodeProblems } from '#client/zone-nodes.ts';
import { secondaryProblem, secondarySerial } from '#client/zone-secondaries.ts';
import type { ZoneNode } from '#contract/feed.ts';
import { getZone, listZoneNodes } from '#contract/operations/zones.ts';
import { parseOverrides, resolveServers, type ServerVerdict, zoneServed } from '#nameserver/probe/probe.ts';
import { describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from '../rest/access.ts';
import { ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { withRest } from '../rest/with-rest.ts';
import { table } from '../table.ts';

const RESOLVE_MS = 2_000;

export const status = describeCommand({
  name: 'status',
  describe:
    'show which nodes and secondaries have a zone as it is stored, and the serial that each name server answers with',
  arguments: [ZONE],
  options: [OUTPUT_OPTION, CONTEXT_OPTION],
  settings: [...REST_SETTINGS, 'ZONESTEAD_NAMESERVER_ADDRESSES'],
  examples: ['zonestead zones status shop.example'],
  run: ([zone = ''], options: OutputOption & ContextOption, context) =>
    withRest(context, options, (session, config) => showStatus(session, zone, config.ZONESTEAD_NAMESERVER_ADDRESSES)),
});

/**
 * @param overrides ZONESTEAD_NAMESERVER_ADDRESSES
 * @throws Error if the API key cannot see the zone
 */
export async function showStatus(session: Session, nameOrId: string, overrides: string): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  // The serial is read before the answers, so that each answer must have this serial or a later one.
  const zone = await client.call(getZone, { params: { id } }, { signal });
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 });
  const resolving = { overrides: parseOverrides(overrides), resolver, signal };
  const [{ nodes, secondaries }, { servers, unresolved }] = await Promise.all([
    client.call(listZoneNodes, { params: { id } }, { signal }),
    resolveServers(zone.nameservers, resolving),
  ]);
  const expected = { zone: zone.zoneName, minSerial: zone.serial };
  const verdicts = await zoneServed(expected, servers, { attempts: 2, signal });
  const nameservers = [
    ...verdicts.map(nameserverOf),
    ...unresolved.map(({ name, problem }) => ({ name, address: null, node: null, serial: null, problem })),
  ];
  await show(session, { zoneName: zone.zoneName, serial: zone.serial, nodes, secondaries, nameservers }, () => {
    print(`zone    ${zone.zoneName}`);
    print(`serial  ${zone.serial}`);
    print('');
    printNodes(nodes, print);
    if (secondaries.length > 0) {
      print('');
      const shown = secondaries.map((each) => {
        const serial = secondarySerial(each, nameservers);
        const names = each.nameservers.length === 0 ? 'hidden' : each.nameservers.join(',');
        const problem = secondaryProblem(each, new Date()) ?? '';
        return [each.name, each.state, serial === null ? '-' : String(serial), names, problem];
      });
      table(['SECONDARY', 'STATE', 'SERIAL', 'NAME SERVERS', 'PROBLEM'], shown, print);
    }
    print('');
    table(
      ['NAME SERVER', 'ADDRESS', 'NODE', 'SERIAL', 'PROBLEM'],
      nameservers.map(({ name, address, node, serial, problem }) => [
        name,
        address ?? '-',
        node ?? '-',
        serial === null ? '-' : String(serial),
        problem ?? '',
      ]),
      print,
    );
  });
}

/** The nodes of a zone by their reports. */
export function printNodes(nodes: readonly ZoneNode[], print: (line: string) => void): void {
  const rows = nodes.map((node) => [node.node, stateOf(node), node.reportedAt, nodeProblems([node])[0] ?? '']);
  table(['NODE', 'STATE', 'LAST REPORT', 'PROBLEM'], rows, print);
  if (!isAnyCounted(nodes)) print(NO_NODE_REPORTS);
  const evenly = evenlyNote(nodes.flatMap((node) => (node.evenly ? [node.node] : [])));
  if (evenly !== null) print(evenly);
}

function nameserverOf({ server, node, serial, problem }: ServerVerdict) {
  const { name, address, port } = server;
  return {
    name,
    address: formatHostPort(address, port),
    node,
    serial,
    problem,
  };
}

function stateOf({ current, starting }: ZoneNode): string {
  if (starting) return 'starting';
  return current ? 'current' : 'behind';
}
