// Reads zones, and changes the zone itself: parks, unparks and deletes it, and sets its default TTL and its comment.
import { parseComment } from '#dns/comment.ts';
import { parseLookupName, parseZoneName, suffixesOf } from '#dns/names/name.ts';
import { nextSerial } from '#dns/serial.ts';
import { insertChanges } from '#store/changes.ts';
import { beginDeparture } from '#store/child-zones.ts';
import type { Db, Tx } from '#store/database.ts';
import { snapshotPages } from '#store/snapshot.ts';
import { deleteZone, listZones, type ZoneRow, type ZoneState, zoneById, zonesNamed } from '#store/zones.ts';
import { type Actor, maySee, mustManageZones, teamsOfActor, visibleZoneIds } from '../accounts/actor.ts';
import { changeZone, historyOf, inTurn, lockZoneFor, noZone } from '../change.ts';
import { mustBeAsSeen, mustMatchZone } from '../conditions/condition.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readInSlot } from '../large-read.ts';
import { insist, refusal } from '../refusal.ts';
import { type CreationStatus, statusOf } from './delegation.ts';
import { parentOf, touchParent } from './parent.ts';
import { keepName, keepZone } from './quarantine.ts';
import { type ManagedZone, managedZone, type ZoneView, zoneView } from './view.ts';

/** The context of operations that only read. In a transaction they read its snapshot. */
type ReadingContext = Pick<ServiceContext, 'nameservers'> & { db: Db | Tx };

export interface Page {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** The zones that the key may see, ordered by name. An invalid `zoneName` matches no zone. */
export async function readZones(
  context: ReadingContext,
  actor: Actor,
  query: Page & { zoneName?: string | undefined },
): Promise<{ zones: ZoneView[]; next?: string }> {
  const { rows, next } = await readZoneRows(context, actor, query);
  return { zones: rows.map((zone) => zoneView(zone, context.nameservers)), ...(next === null ? {} : { next }) };
}

/** About the octets of a zone in a list. */
const ZONE_OCTETS = 600;
/** The number of zones on a page. */
const PAGE = 500;

/**
 * The complete list, as one page or as several pages of one snapshot. Reading the pages uses a slot and a database connection.
 * @throws Refusal bad_request (cursor); busy when the first of several pages is read
 */
export async function readAllZones(
  context: ServiceContext,
  actor: Actor,
  query: { cursor?: string | undefined },
  signal: AbortSignal,
): Promise<{ whole: ZoneView[] } | { pages: AsyncIterable<ZoneView[]> }> {
  const first = await readZones(context, actor, { ...query, limit: PAGE });
  if (first.next === undefined) return { whole: first.zones };
  async function* pagesOf(tx: Tx) {
    let cursor = query.cursor;
    do {
      const page: { zones: ZoneView[]; next?: string } = await readZones({ ...context, db: tx }, actor, {
        cursor,
        limit: PAGE,
      });
      yield page.zones;
      cursor = page.next;
    } while (cursor !== undefined);
  }
  const pages = () => snapshotPages(context.db, pagesOf);
  return { pages: readInSlot(context, actor, signal, pages, (page) => page.length * ZONE_OCTETS) };
}

/** One zone for the console. @throws Refusal no_zone */
export async function readManagedZone(context: ServiceContext, actor: Actor, id: string): Promise<ManagedZone> {
  return managedZone(await seeZone(context, actor, id, 'no_zone'), context.nameservers);
}

/** The DS records of a zone, for its parent. @throws Refusal no_zone */
export async function readDs(context: ServiceContext, actor: Actor, id: string): Promise<ZoneView['ds']> {
  return zoneView(await seeZone(context, actor, id, 'no_zone'), context.nameservers).ds;
}

/** The creation status of a zone now. This may query the parent zone. @throws Refusal no_zone */
export async function readStatus(context: ServiceContext, actor: Actor, id: string): Promise<CreationStatus> {
  return statusOf(context, await seeZone(context, actor, id, 'no_zone'));
}

/** Whether a zone of this service encloses the zone with this name. */
export async function isParentHosted(context: ServiceContext, zoneName: string): Promise<boolean> {
  return (await parentOf(context.db, zoneName)) !== null;
}

/** The rows of a page. */
async function readZoneRows(
  context: ReadingContext,
  actor: Actor,
  query: Page & { zoneName?: string | undefined },
): Promise<{ rows: ZoneRow[]; next: string | null }> {
  let name: string | undefined;
  if (query.zoneName !== undefined) {
    const parsed = parseZoneName(query.zoneName);
    if (!parsed.ok) return { rows: [], next: null };
    name = parsed.value;
  }
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const rows = await listZones(context.db, {
    teamIds: teamsOfActor(actor),
    userId: actor.user?.id ?? null,
    ids: visibleZoneIds(actor),
    ...(name === undefined ? {} : { name }),
    ...(after === undefined ? {} : { after }),
    // One row more shows whether there is a next page.
    ...(query.limit === undefined ? {} : { limit: query.limit + 1 }),
  });
  const page = query.limit === undefined ? rows : rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    rows: page.filter((zone) => maySee(actor, zone)),
    next: last && page.length < rows.length ? writeCursor(last.name) : null,
  };
}

/** The name of the last zone on an earlier page. @throws Refusal bad_request */
function readCursor(text: string): string {
  const name = parseZoneName(Buffer.from(text, 'base64url').toString());
  if (name.ok && writeCursor(name.value) === text) return name.value;
  throw refusal('bad-cursor');
}

function writeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** The longest zone that encloses `name` and that the key may see. @throws Refusal bad_request, not_found */
export async function findZone(context: ServiceContext, actor: Actor, name: string): Promise<ZoneView> {
  const canonical = insist(parseLookupName(name));
  // The result is never a single-label zone (contract Z4).
  const rows = await zonesNamed(
    context.db,
    suffixesOf(canonical).filter((suffix) => suffix.includes('.')),
  );
  const zone = rows.find((row) => maySee(actor, row));
  if (!zone) throw refusal('no-enclosing-zone', { name: canonical });
  return zoneView(zone, context.nameservers);
}

/** The zone of a key that sees exactly one. @throws Refusal bad_request (no zone, or several) */
export async function onlyZoneOf(context: ServiceContext, actor: Actor): Promise<ZoneView> {
  const { zones } = await readZones(context, actor, { limit: 2 });
  const [zone] = zones;
  if (zone && zones.length === 1) return zone;
  const found = zone ? 'more than one zone' : 'no zone';
  throw refusal('zone-not-named', { found });
}

/** @throws Refusal with the given code when the zone does not exist or is not visible to the key */
export async function seeZone(
  context: ReadingContext,
  actor: Actor,
  id: string,
  code: 'not_found' | 'no_zone',
): Promise<ZoneRow> {
  const zone = await zoneById(context.db, id);
  if (zone && maySee(actor, zone)) return zone;
  throw code === 'no_zone' ? noZone() : refusal('zone-not-found');
}

/** One zone with its current creation status. @throws Refusal not_found */
export async function readZone(
  context: ServiceContext,
  actor: Actor,
  id: string,
): Promise<ZoneView & { status: CreationStatus }> {
  const zone = await seeZone(context, actor, id, 'not_found');
  return { ...zoneView(zone, context.nameservers), status: await statusOf(context, zone) };
}

/**
 * Parks or unparks a zone. Repeated calls have no further effect.
 * @param seen the state and comment that a person saw: if one is another now, the change is refused. (Default: any.)
 * @throws Refusal no_zone, forbidden, precondition_failed, busy
 */
export async function setZoneState(
  context: ServiceContext,
  caller: Caller,
  id: string,
  state: ZoneState,
  seen: { state?: string; comment?: string } = {},
): Promise<ZoneView> {
  return changeZone(context, caller, id, async (_tx, zone) => {
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    mustBeAsSeen('state', seen.state, zone.state);
    mustBeAsSeen('comment', seen.comment, zone.comment);
    const answer = (after: ZoneRow) => zoneView(after, context.nameservers);
    if (zone.state === state) return { answer, change: null };
    const action = state === 'parked' ? 'zone.park' : 'zone.unpark';
    return { answer, change: { action, before: { state: zone.state }, after: { state }, zone: { state } } };
  });
}

/** The properties of a zone that can change, except its state. An absent one stays as it is. */
export interface ZoneProperties {
  /** The TTL in seconds of records that have none. */
  defaultTtl?: number | undefined;
  /** Null: none. */
  comment?: string | null | undefined;
}

/**
 * @param seen the values that a person saw: one that is another now refuses the change. (Default: any.)
 * @throws Refusal no_zone, forbidden, precondition_failed, bad_request (comment), busy
 */
export async function changeProperties(
  context: ServiceContext,
  caller: Caller,
  id: string,
  properties: ZoneProperties,
  seen: ZoneProperties = {},
): Promise<ZoneView> {
  return changeZone(context, caller, id, async (_tx, zone) => {
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    const answer = (after: ZoneRow) => zoneView(after, context.nameservers);
    mustBeAsSeen('defaultTtl', seen.defaultTtl, zone.defaultTtl);
    mustBeAsSeen('comment', seen.comment, zone.comment);
    const { defaultTtl = zone.defaultTtl } = properties;
    const comment = properties.comment === undefined ? zone.comment : insist(parseComment(properties.comment));
    const isComment = defaultTtl === zone.defaultTtl;
    if (isComment && comment === zone.comment) return { answer, change: null };
    const after = { ...(isComment ? {} : { defaultTtl }), ...(comment === zone.comment ? {} : { comment }) };
    const before = {
      ...(isComment ? {} : { defaultTtl: zone.defaultTtl }),
      ...(comment === zone.comment ? {} : { comment: zone.comment }),
    };
    return { answer, change: { action: 'zone.change', before, after, zone: after, isComment } };
  });
}

/**
 * Deletes the zone with all its records. For some time its name is reserved for the owner, who can restore the zone
 * (undo/zone.ts). @throws Refusal no_zone, forbidden, precondition_failed, busy
 */
export async function removeZone(context: ServiceContext, caller: Caller, id: string): Promise<void> {
  const { name } = await seeZone(context, caller.actor, id, 'no_zone');
  const parent = await parentOf(context.db, name);
  await inTurn(context, caller, parent ? [parent.id, id] : [id], async (tx) => {
    const zone = await lockZoneFor(tx, context, caller, id);
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    const serial = nextSerial(zone.serial, Math.floor(context.now().getTime() / 1000));
    await keepZone(tx, context, zone, serial);
    if (parent) await beginDeparture(tx, id);
    await deleteZone(tx, id);
    await keepName(tx, context, zone);
    await touchParent(tx, context, zone.name);
    await insertChanges(tx, [
      {
        ...historyOf(zone, caller),
        action: 'zone.delete',
        before: zoneView(zone, context.nameservers),
        after: null,
        serial,
      },
    ]);
    return null;
  });
  if (parent) context.childZones?.changed();
}
