// `zonestead zones list`, `get` and `ds`: zones as the service has them.
import { fetchZones } from '#client/lists.ts';
import * as zoneApi from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

export const list = describeRestCommand({
  name: 'list',
  describe: 'list the zones that the API key can see',
  examples: ['zonestead zones list', 'zonestead zones list -o json'],
  run: listZones,
});

export const get = describeRestCommand({
  name: 'get',
  describe: 'show a zone with the records for its parent zone',
  arguments: [ZONE],
  run: (session, [zone = '']) => getZone(session, zone),
});

interface DsOptions {
  trustAnchor?: boolean;
}

export const ds = describeRestCommand({
  name: 'ds',
  describe: 'print the DS records for the parent zone',
  arguments: [ZONE],
  options: [
    {
      flags: '--trust-anchor',
      describe: 'print the form that delv and BIND read, to verify answers without a parent zone',
    },
  ],
  examples: ['zonestead zones ds shop.example', 'zonestead zones ds shop.example --trust-anchor'],
  run: (session, [zone = ''], options: DsOptions) => showDs(session, zone, options),
});

async function listZones(session: Session): Promise<void> {
  const zones = await fetchZones(session.client, {}, { signal: session.signal });
  await show(session, { zones }, () =>
    table(
      ['ZONE', 'STATE', 'OWNER', 'SERIAL', 'ID', 'COMMENT'],
      zones.map((zone) => [zone.zoneName, zone.state, zone.owner, String(zone.serial), zone.id, zone.comment ?? '-']),
      session.print,
    ),
  );
}

async function getZone(session: Session, nameOrId: string): Promise<void> {
  const found = await zoneOf(session, nameOrId);
  // The entries of a list have no status.
  const zone =
    found.status === undefined
      ? await session.client.call(zoneApi.getZone, { params: { id: found.id } }, { signal: session.signal })
      : found;
  await show(session, zone, () => printZone(zone, session.print));
}

async function showDs(session: Session, nameOrId: string, { trustAnchor = false }: DsOptions): Promise<void> {
  const { client, signal, print } = session;
  if (trustAnchor && session.format !== 'table') throw new Error('--trust-anchor has one form; remove --output');
  const { id, zoneName } = await zoneOf(session, nameOrId);
  const { ds } = await client.call(zoneApi.listDsRecords, { params: { id } }, { signal });
  await show(session, { ds }, () => {
    if (trustAnchor) print(formatTrustAnchor(zoneName, ds));
    // Lines for the zone file of the parent.
    else for (const each of ds) print(each.record);
  });
}

/** The statement `trust-anchors` of BIND, which delv reads from a file. */
function formatTrustAnchor(zoneName: string, ds: Zone['ds']): string {
  const anchors = ds.map(
    ({ keyTag, algorithm, digestType, digest }) =>
      `${zoneName}. static-ds ${keyTag} ${algorithm} ${digestType} "${digest}";`,
  );
  return `trust-anchors { ${anchors.join(' ')} };`;
}

/** Prints the facts of a zone for people. */
export function printZone(zone: Zone, print: (line: string) => void): void {
  print(`zone         ${zone.zoneName}`);
  print(`id           ${zone.id}`);
  print(`owner        ${zone.owner}`);
  print(`state        ${zone.state}`);
  if (zone.status !== undefined) print(`status       ${zone.status}`);
  print(`default ttl  ${zone.defaultTtl}`);
  print(`denial       ${zone.denial}`);
  print(`serial       ${zone.serial}`);
  print(`nameservers  ${zone.nameservers.join(', ')}`);
  if (zone.comment !== undefined) print(`comment      ${zone.comment}`);
  for (const ds of zone.ds) print(`ds           ${ds.record}`);
}
