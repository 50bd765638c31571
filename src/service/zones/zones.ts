// Reads zones, and deletes them. properties.ts changes their properties.
import { parseLookupName, parseZoneName } from '#dns/names/name.ts';
import { insertChanges } from '#store/changes.ts';
import { beginDeparture } from '#store/child-zones.ts';
import type { Db, Tx } from '#store/database.ts';
import { snapshotPages } from '#store/snapshot.ts';
import { deleteZoneRow, listOwnedZones, type ZoneRow, zoneById } from '#store/zones.ts';
import { type Actor, maySee, mustManageZones, teamsOfActor, visibleZoneIds } from '../accounts/actor.ts';
import { buildHistoryHead, serialAfter } from '../change/history.ts';
import { inTurn, lockZoneFor } from '../change/locked.ts';
import { noZone } from '../change/standing.ts';
import { mustMatchZone } from '../conditions/condition.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readInSlot } from '../large-read.ts';
import { insist, refusal } from '../refusal.ts';
import { type CreationStatus, type DelegationState, judgeNewZone, lookAtDelegation } from './delegation.ts';
import { findEnclosingZone } from './lookup.ts';
import { findParentZone, touchParent } from './parent.ts';
import { keepName, quarantineZone } from './quarantine.ts';
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
 * The complete list, as one page or as several pages of one snapshot. Reading the pages uses a slot and a database
 * connection.
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
  async function* readPages(tx: Tx) {
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
  const pages = () => snapshotPages(context.db, readPages);
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
  return judgeNewZone(context, await seeZone(context, actor, id, 'no_zone'));
}

/** The delegation of a zone now. This may query the parent zone. @throws Refusal no_zone */
export async function readDelegation(context: ServiceContext, actor: Actor, id: string): Promise<DelegationState> {
  return lookAtDelegation(context, await seeZone(context, actor, id, 'no_zone'));
}

/** Whether a zone of this service encloses the zone with this name. */
export async function isParentHosted(context: ServiceContext, zoneName: string): Promise<boolean> {
  return (await findParentZone(context.db, zoneName)) !== null;
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
  const rows = await listOwnedZones(context.db, {
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
export async function readEnclosingZone(context: ServiceContext, actor: Actor, name: string): Promise<ZoneView> {
  const canonical = insist(parseLookupName(name));
  const zone = await findEnclosingZone(context, actor, canonical);
  if (!zone) throw refusal('no-enclosing-zone', { name: canonical });
  return zoneView(zone, context.nameservers);
}

/** The zone of a key that sees exactly one. @throws Refusal bad_request (no zone, or several) */
export async function requireOnlyZone(context: ServiceContext, actor: Actor): Promise<ZoneView> {
  const { zones } = await readZones(context, actor, { limit: 2 });
  const [zone] = zones;
  if (zone && zones.length === 1) return zone;
  const finding = zone ? 'more than one zone' : 'no zone';
  throw refusal('zone-not-named', { found: finding });
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
  return { ...zoneView(zone, context.nameservers), status: await judgeNewZone(context, zone) };
}

/**
 * Deletes the zone with all its records. For some time its name is reserved for the owner, who can restore the zone
 * (undo/zone.ts).
 * @throws Refusal no_zone, forbidden, precondition_failed, busy
 */
export async function removeZone(context: ServiceContext, caller: Caller, id: string): Promise<void> {
  const { name } = await seeZone(context, caller.actor, id, 'no_zone');
  const parent = await findParentZone(context.db, name);
  await inTurn(context, caller, parent ? [parent.id, id] : [id], async (tx) => {
    const zone = await lockZoneFor(tx, context, caller, id);
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    const serial = serialAfter(zone.serial, context.now());
    await quarantineZone(tx, context, zone, serial);
    if (parent) await beginDeparture(tx, id);
    await deleteZoneRow(tx, id);
    await keepName(tx, context, zone);
    await touchParent(tx, context, zone.name);
    await insertChanges(tx, [
      {
        ...buildHistoryHead(zone, caller),
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
