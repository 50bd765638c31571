// `zonestead zones …`: the zone operations of the REST API. A zone is given by its name or its id.
import type { Client } from '#client/client.ts';
import { readRecords, readZones } from '#client/lists.ts';
import { getAccount } from '#contract/operations/account.ts';
import * as zoneFileApi from '#contract/operations/zone-files.ts';
import * as zoneApi from '#contract/operations/zones.ts';
import type { CreatedKey, Zone } from '#contract/zone.ts';
import { confirm } from '../confirm.ts';
import type { DryRunOption, ForceOption, YesOption } from '../options.ts';
import { show } from '../output.ts';
import { confirmOwned, ownedLines } from '../rest/owned.ts';
import { showEffect } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

export async function listZones(session: Session): Promise<void> {
  const zones = await readZones(session.client, {}, { signal: session.signal });
  await show(session, { zones }, () =>
    table(
      ['ZONE', 'STATE', 'OWNER', 'SERIAL', 'ID', 'COMMENT'],
      zones.map((zone) => [zone.zoneName, zone.state, zone.owner, String(zone.serial), zone.id, zone.comment ?? '-']),
      session.print,
    ),
  );
}

interface Properties {
  defaultTtl?: number;
  comment?: string;
}

/** @param options without an owner, the zone belongs to the team or the user of the API key */
export async function createZone(
  session: Session,
  name: string,
  options: Properties & DryRunOption & { owner?: string; newKey?: boolean },
): Promise<void> {
  const { client, signal, print } = session;
  const owner = options.owner ?? (await newZoneOwner(client, signal));
  const body = { zoneName: name, owner, ...propertiesOf(options), ...(options.newKey ? { newKey: true } : {}) };
  if (options.dryRun)
    return showEffect(session, { zone: body }, `would create the zone ${name} for the owner ${owner}`);
  const zone = await client.call(zoneApi.createZone, { body }, { signal });
  await show(session, zone, () => {
    print(`${zone.zoneName} is created (${zone.status}).`);
    if (zone.key !== undefined) print(keySentence(zone.key));
    if (!zone.zoneName.includes('.'))
      print(`${zone.zoneName} is a single label, which the public DNS has as a top-level domain only.`);
    describe(zone, print);
  });
}

/** Says whether DS records at the parent zone stay valid. */
function keySentence({ keyTag, kept, formerKeyTag }: CreatedKey): string {
  if (kept) return `It has the DNSSEC key ${keyTag} of the deleted zone, so a DS record for this key stays valid.`;
  if (formerKeyTag === undefined) return `It has the new DNSSEC key ${keyTag}.`;
  return `It has the new DNSSEC key ${keyTag}: replace DS records for the former key ${formerKeyTag} at the parent zone.`;
}

/** @throws Error without any property */
export async function updateZone(
  session: Session,
  nameOrId: string,
  options: Properties & DryRunOption,
): Promise<void> {
  const { client, signal, print } = session;
  const changes = propertiesOf(options);
  if (Object.keys(changes).length === 0) throw new Error('nothing to change; give --default-ttl, --comment or both');
  const { id, zoneName } = await zoneOf(session, nameOrId);
  if (options.dryRun) {
    const words = Object.entries(changes).map(([field, value]) => `${field} to ${JSON.stringify(value)}`);
    return showEffect(session, { changes }, `would set ${words.join(' and ')} of ${zoneName}`);
  }
  const zone = await client.call(zoneApi.updateZone, { params: { id }, body: changes }, { signal });
  await show(session, zone, () => describe(zone, print));
}

function propertiesOf({ defaultTtl, comment }: Properties): Properties {
  return { ...(defaultTtl === undefined ? {} : { defaultTtl }), ...(comment === undefined ? {} : { comment }) };
}

/** The owner of a new zone: the team or the user of the API key. */
export async function newZoneOwner(client: Client, signal: AbortSignal): Promise<string> {
  const { team } = await client.call(getAccount, {}, { signal });
  return team === undefined ? 'personal' : `org:${team.id}`;
}

export async function getZone(session: Session, nameOrId: string): Promise<void> {
  const found = await zoneOf(session, nameOrId);
  // The entries of a list have no status.
  const zone =
    found.status === undefined
      ? await session.client.call(zoneApi.getZone, { params: { id: found.id } }, { signal: session.signal })
      : found;
  await show(session, zone, () => describe(zone, session.print));
}

/**
 * @throws Error unless it is confirmed, because all records are deleted with the zone. Records that have owners need
 * `force`.
 */
export async function deleteZone(
  session: Session,
  nameOrId: string,
  options: YesOption & ForceOption & DryRunOption,
): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const records = await readRecords(client, zone.id, { owners: true }, { signal });
  const owned = ownedLines(records).length;
  if (options.dryRun) {
    const { length } = records;
    const words = `${length} records${owned === 0 ? '' : `, of which ${owned} have owners`}`;
    return showEffect(
      session,
      { delete: zone.id, records: length, owned },
      `would delete ${zone.zoneName} with ${words}`,
    );
  }
  if (owned === 0) await confirm(`this deletes ${zone.zoneName} with all its records`, options, signal);
  else await confirmOwned(records, options, signal, `deletes ${zone.zoneName} with`);
  await client.call(zoneApi.deleteZone, { params: { id: zone.id } }, { signal });
  await show(session, { deleted: zone.id }, () => print(`${zone.zoneName} (${zone.id}) is deleted`));
}

export async function setParked(
  session: Session,
  nameOrId: string,
  parked: boolean,
  { dryRun }: DryRunOption,
): Promise<void> {
  const { client, signal, print } = session;
  const { id, zoneName } = await zoneOf(session, nameOrId);
  if (dryRun) return showEffect(session, { parked }, `would ${parked ? 'park' : 'unpark'} ${zoneName}`);
  const zone = await client.call(parked ? zoneApi.parkZone : zoneApi.unparkZone, { params: { id } }, { signal });
  await show(session, zone, () => print(`${zone.zoneName} is ${zone.state}`));
}

/** Prints the zone file of the service. */
export async function exportZoneFile(session: Session, nameOrId: string): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  print((await client.call(zoneFileApi.exportZoneFile, { params: { id } }, { signal })).trimEnd());
}

export async function showDs(session: Session, nameOrId: string): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const { ds } = await client.call(zoneApi.listDsRecords, { params: { id } }, { signal });
  // Lines for the zone file of the parent.
  await show(session, { ds }, () => {
    for (const each of ds) print(each.record);
  });
}

function describe(zone: Zone, print: (line: string) => void): void {
  print(`zone         ${zone.zoneName}`);
  print(`id           ${zone.id}`);
  print(`owner        ${zone.owner}`);
  print(`state        ${zone.state}`);
  if (zone.status !== undefined) print(`status       ${zone.status}`);
  print(`default ttl  ${zone.defaultTtl}`);
  print(`serial       ${zone.serial}`);
  print(`nameservers  ${zone.nameservers.join(', ')}`);
  if (zone.comment !== undefined) print(`comment      ${zone.comment}`);
  for (const ds of zone.ds) print(`ds           ${ds.record}`);
}
