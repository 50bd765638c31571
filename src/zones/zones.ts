// Reading zones, and the small changes of a zone's own life: park, unpark, delete.
import { parseLookupName, parseZoneName, suffixesOf } from '../dns/name.ts';
import { nextSerial } from '../dns/serial.ts';
import { insertChange } from '../store/changes.ts';
import { isStorable } from '../store/database.ts';
import { deleteZone, listZones, type ZoneRow, type ZoneState, zoneById, zonesNamed } from '../store/zones.ts';
import { type Actor, maySee, mustManageZones, teamsOfActor, visibleZoneIds } from './actor.ts';
import { type Caller, changeZone, type House, historyOf, inTurn, lockZoneFor, noZone } from './change.ts';
import { type CreationStatus, readStatus } from './delegation.ts';
import { parentOf, touchParent } from './parent.ts';
import { insist, Refusal } from './refusal.ts';
import { type ZoneView, zoneView } from './view.ts';

export interface Page {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** The zones that the key may see, by name. A name that no zone can have matches none. */
export async function readZones(
  house: House,
  actor: Actor,
  query: Page & { zoneName?: string | undefined },
): Promise<{ zones: ZoneView[]; next?: string }> {
  const { rows, next } = await readZoneRows(house, actor, query);
  return { zones: rows.map((zone) => zoneView(zone, house.nameservers)), ...(next === null ? {} : { next }) };
}

/**
 * The same as rows.
 * @param query.text only zones with it in their name
 */
export async function readZoneRows(
  house: House,
  actor: Actor,
  query: Page & { zoneName?: string | undefined; text?: string | undefined; state?: ZoneState | undefined },
): Promise<{ rows: ZoneRow[]; next: string | null }> {
  let name: string | undefined;
  if (query.zoneName !== undefined) {
    const parsed = parseZoneName(query.zoneName);
    if (!parsed.ok) return { rows: [], next: null };
    name = parsed.value;
  }
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  if (!isStorable(query.text ?? '')) return { rows: [], next: null };
  const rows = await listZones(house.db, {
    teamIds: teamsOfActor(actor),
    userId: actor.user?.id ?? null,
    ids: visibleZoneIds(actor),
    ...(name === undefined ? {} : { name }),
    ...(query.text === undefined ? {} : { text: query.text }),
    ...(query.state === undefined ? {} : { state: query.state }),
    ...(after === undefined ? {} : { after }),
    // One more than asked for tells whether there is a next page.
    ...(query.limit === undefined ? {} : { limit: query.limit + 1 }),
  });
  const page = query.limit === undefined ? rows : rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    rows: page.filter((zone) => maySee(actor, zone)),
    next: last && page.length < rows.length ? writeCursor(last.name) : null,
  };
}

/** The name of the zone that an earlier page ended with. @throws Refusal bad_request */
function readCursor(text: string): string {
  const name = parseZoneName(Buffer.from(text, 'base64url').toString());
  if (name.ok && writeCursor(name.value) === text) return name.value;
  throw new Refusal('bad_request', 'cursor: must be the "next" of an earlier answer.');
}

function writeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** The longest zone that encloses `name`, among those that the key may see. @throws Refusal bad_request, not_found */
export async function findZone(house: House, actor: Actor, name: string): Promise<ZoneView> {
  const canonical = insist(parseLookupName(name));
  // SPEC 4: a single-label zone is never meant.
  const rows = await zonesNamed(
    house.db,
    suffixesOf(canonical).filter((suffix) => suffix.includes('.')),
  );
  const zone = rows.find((row) => maySee(actor, row));
  if (!zone) throw new Refusal('not_found', `No zone of this account encloses ${canonical}.`);
  return zoneView(zone, house.nameservers);
}

/** The zone of a key that sees no other. @throws Refusal bad_request (none, or several) */
export async function onlyZoneOf(house: House, actor: Actor): Promise<ZoneView> {
  const { zones } = await readZones(house, actor, { limit: 2 });
  const [zone] = zones;
  if (zone && zones.length === 1) return zone;
  const found = zone ? 'more than one zone' : 'no zone';
  throw new Refusal(
    'bad_request',
    `This key sees ${found}: name the zone, or a name in one, as user name beside the key.`,
  );
}

/** @throws Refusal with the given code when the zone does not exist or is not visible to the key */
export async function seeZone(house: House, actor: Actor, id: string, code: 'not_found' | 'no_zone'): Promise<ZoneRow> {
  const zone = await zoneById(house.db, id);
  if (zone && maySee(actor, zone)) return zone;
  throw code === 'no_zone' ? noZone() : new Refusal('not_found', noZone().message);
}

/** One zone with its current creation status. @throws Refusal not_found */
export async function readZone(house: House, actor: Actor, id: string): Promise<ZoneView & { status: CreationStatus }> {
  const zone = await seeZone(house, actor, id, 'not_found');
  return { ...zoneView(zone, house.nameservers), status: await readStatus(house, zone) };
}

/** Park or unpark; repeating is fine. @throws Refusal no_zone, forbidden, busy */
export async function setZoneState(house: House, caller: Caller, id: string, state: ZoneState): Promise<ZoneView> {
  return changeZone(house, caller, id, async (_tx, zone) => {
    mustManageZones(caller.actor);
    const answer = (after: ZoneRow) => zoneView(after, house.nameservers);
    if (zone.state === state) return { answer, change: null };
    const action = state === 'parked' ? 'zone.park' : 'zone.unpark';
    return { answer, change: { action, before: { state: zone.state }, after: { state }, zone: { state } } };
  });
}

/** Sets the TTL of records that carry none. @throws Refusal no_zone, forbidden, busy */
export async function setDefaultTtl(house: House, caller: Caller, id: string, defaultTtl: number): Promise<ZoneView> {
  return changeZone(house, caller, id, async (_tx, zone) => {
    mustManageZones(caller.actor);
    const answer = (after: ZoneRow) => zoneView(after, house.nameservers);
    if (zone.defaultTtl === defaultTtl) return { answer, change: null };
    const before = { defaultTtl: zone.defaultTtl };
    return { answer, change: { action: 'zone.change', before, after: { defaultTtl }, zone: { defaultTtl } } };
  });
}

/** Deletes the zone with all its records, for good. @throws Refusal no_zone, forbidden, busy */
export async function removeZone(house: House, caller: Caller, id: string): Promise<void> {
  const { name } = await seeZone(house, caller.actor, id, 'no_zone');
  const parent = await parentOf(house.db, name);
  await inTurn(house, caller, parent ? [parent.id, id] : [id], async (tx) => {
    const zone = await lockZoneFor(tx, house, caller, id);
    mustManageZones(caller.actor);
    await deleteZone(tx, id);
    await touchParent(tx, house, zone.name);
    await insertChange(tx, {
      ...historyOf(zone, caller),
      action: 'zone.delete',
      before: zoneView(zone, house.nameservers),
      after: null,
      serial: nextSerial(zone.serial, Math.floor(house.now().getTime() / 1000)),
    });
    return null;
  });
}
