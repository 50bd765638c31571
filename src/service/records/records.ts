// Reads the records of a zone: lists, pages and single records. writer.ts writes them.
import { orderName, parseOwnerName } from '#dns/names/name.ts';
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import { isStorable } from '#store/database.ts';
import { ownersOfRecords } from '#store/owner-pages.ts';
import { ANSWER, type RecordPageRow, recordPage, streamRecordPages } from '#store/record-pages.ts';
import { type RecordCursor, type RowFilter, recordById } from '#store/records.ts';
import { reverseOfRecords } from '#store/reverse.ts';
import { snapshotPages } from '#store/snapshot.ts';
import type { ZoneRow } from '#store/zones.ts';
import { type Actor, mayReadRecord, mustReadRecords, mustReadWholeZone, readableOnly } from '../accounts/actor.ts';
import { digestOf } from '../change/row-writes.ts';
import { recordsTag, recordTag } from '../conditions/tags.ts';
import type { ServiceContext } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { octetsOfEntries, readInSlot } from '../large-read.ts';
import { readAfterChange } from '../outage.ts';
import { refusal } from '../refusal.ts';
import {
  type ManagedRecord,
  type ManagedZone,
  managedRecord,
  managedZone,
  type RecordView,
  recordView,
} from '../zones/view.ts';
import { type Page, seeZone } from '../zones/zones.ts';

export interface RecordQuery extends Page {
  name?: string | undefined;
  /** Only records of one of these names. */
  names?: string[] | undefined;
  type?: RecordType | undefined;
  content?: string | undefined;
  /** Only records with one of these texts in their name or content. */
  texts?: string[] | undefined;
}

/** Gets the tag of the state that is about to be read. True: the caller has this state, so nothing more is read. */
export type IsKnown = (tag: string) => boolean;

/** The parts of a record in a list that a client asks for. */
interface Extras {
  etags?: boolean | undefined;
  owners?: boolean | undefined;
}

/** A record in a list, with its tag if it was asked for. */
export type ListedView = RecordView & { etag?: string };

/**
 * A page of the zone's records in a stable order: at most `limit`, and fewer if their contents reach a megabyte. A
 * filter that no record can match gives an empty list.
 * @returns null if the caller has this state already.
 * @throws Refusal no_zone, forbidden, bad_request (cursor)
 */
export async function readRecords(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: RecordQuery & { limit: number } & Extras,
  isKnown: IsKnown,
): Promise<{ records: ListedView[]; next?: string } | null> {
  const list = await prepareList(context, actor, zoneId, query);
  if (isKnown(recordsTag(list.zone))) return null;
  const { zone, rows, next } = await readRows(context, list, query);
  return { records: await listedViews(context, rows, zone, query), ...(next === null ? {} : { next }) };
}

/** One record. @throws Refusal no_zone, forbidden, not_found (also a record that the key may not read) */
export async function readRecord(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  recordId: string,
): Promise<RecordView> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  mustReadRecords(actor, zoneId);
  const row = await recordById(context.db, zone.no, recordId);
  if (!row || !mayReadRecord(actor, row)) throw refusal('no-record');
  const owners = (await ownersOfRecords(context.db, [row.id])).get(row.id);
  const reverse = (await reverseOfRecords(context.db, [row])).get(row.id);
  return { ...recordView(row, zone), ...(owners ? { owners: [...owners] } : {}), ...reverse };
}

/** A record that was just written, with the state of its PTR record if it wants one. */
export async function withReverse({ db }: ServiceContext, view: RecordView): Promise<RecordView> {
  if (view.reverse !== true) return view;
  const row = { id: view.id, type: view.type, health: { reverse: true } as const };
  const marks = await readAfterChange(() => reverseOfRecords(db, [row]));
  return { ...view, ...marks.get(view.id) };
}

async function readRows(
  context: ServiceContext,
  { zone, filter }: Awaited<ReturnType<typeof prepareList>>,
  query: { limit: number },
): Promise<{ zone: ZoneRow; rows: RecordPageRow[]; next: string | null }> {
  if (!filter) return { zone, rows: [], next: null };
  const { rows, more } = await recordPage(context.db, zone.id, filter, { rows: query.limit, octets: ANSWER.octets });
  const last = rows.at(-1);
  return { zone, rows, next: last && more ? writeCursor(last) : null };
}

/** One record for the console. @throws Refusal no_zone, forbidden, not_found */
export async function readManagedRecord(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  recordId: string,
): Promise<{ zone: ManagedZone; record: ManagedRecord }> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  mustReadWholeZone(actor, zoneId);
  const row = await recordById(context.db, zone.no, recordId);
  if (!row) throw refusal('no-record');
  const [record] = (await withOwners(context, [row])) as [ManagedRecord];
  return { zone: managedZone(zone, context.nameservers), record };
}

/**
 * Some records for the console, in the order of their ids here. Those that no longer exist are omitted.
 * @throws as readManagedRecord
 */
export async function readManagedRecordsById(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  recordIds: readonly string[],
): Promise<{ zone: ManagedZone; records: ManagedRecord[] }> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  mustReadWholeZone(actor, zoneId);
  const rows = await Promise.all(recordIds.map((id) => recordById(context.db, zone.no, id)));
  const presentRows = rows.filter((row) => row !== null);
  return { zone: managedZone(zone, context.nameservers), records: await withOwners(context, presentRows) };
}

/** The records with their owners. */
export async function withOwners(
  context: ServiceContext,
  rows: readonly Omit<ManagedRecord, 'managedBy'>[],
): Promise<ManagedRecord[]> {
  const ids = rows.map(({ id }) => id);
  const owners = await ownersOfRecords(context.db, ids);
  return rows.map((row) => managedRecord(row, owners.get(row.id) ?? []));
}

/**
 * The complete list, as one page or as several pages of one snapshot. Reading the pages uses a slot and a database
 * connection.
 * @returns null if the caller has this state already.
 * @throws as readRecords; Refusal busy when the first of several pages is read
 */
export async function readAllRecords(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: Omit<RecordQuery, 'limit'> & Extras,
  isKnown: IsKnown,
  signal: AbortSignal,
): Promise<{ whole: ListedView[] } | { pages: AsyncIterable<ListedView[]> } | null> {
  const { zone, filter } = await prepareList(context, actor, zoneId, query);
  // The zone is read before its records: if they change in between, the tag belongs to the older state, and a change
  // with it is refused.
  if (isKnown(recordsTag(zone))) return null;
  if (!filter) return { whole: [] };
  const { rows, more } = await recordPage(context.db, zone.id, filter, ANSWER);
  const view = (page: readonly RecordPageRow[]) => listedViews(context, page, zone, query);
  if (!more) return { whole: await view(rows) };
  async function* pages() {
    for await (const page of snapshotPages(context.db, (tx) => streamRecordPages(tx, zone.id, filter ?? {})))
      yield await view(page);
  }
  const countOctets = (page: readonly ListedView[]) => octetsOfEntries(page.map(({ content }) => content));
  return { pages: readInSlot(context, actor, signal, pages, countOctets) };
}

/** The views of the records in a list. One has `withdrawn` only if it is, and `owners` only if it has some. */
async function listedViews(
  context: ServiceContext,
  rows: readonly RecordPageRow[],
  zone: ZoneRow,
  { etags = false, owners = false }: Extras,
): Promise<ListedView[]> {
  const ids = owners ? rows.map(({ id }) => id) : [];
  const ownersById = await ownersOfRecords(context.db, ids);
  const reverseById = await reverseOfRecords(context.db, rows);
  return rows.map((row) => {
    const view = recordView(row, zone);
    const recordOwners = ownersById.get(row.id);
    return {
      ...view,
      ...(recordOwners ? { owners: [...recordOwners] } : {}),
      ...(row.withdrawn ? { withdrawn: true } : {}),
      ...(row.failing ? { failing: true } : {}),
      ...reverseById.get(row.id),
      ...(etags ? { etag: recordTag(view) } : {}),
    };
  });
}

/**
 * The owners of records that a client is about to change, by the id of the record. They are told after the change only,
 * because its rights were checked by then.
 */
export function readRecordOwners(
  { db }: ServiceContext,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  // No record has an id that the database cannot hold.
  return ownersOfRecords(db, recordIds.filter(isStorable));
}

/**
 * The filter for the requested records that the key may read; null: no record can match.
 * @throws Refusal no_zone, forbidden
 */
export async function prepareList(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: RecordQuery,
): Promise<{ zone: ZoneRow; filter: Omit<RowFilter, 'limit'> | null }> {
  const zone = await seeZone(context, actor, zoneId, 'no_zone');
  mustReadRecords(actor, zoneId);
  const only = readableOnly(actor);
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const name = query.name === undefined ? undefined : parseOwnerName(query.name, zone.name, 'TXT');
  const names = query.names?.flatMap((each) => {
    const parsed = parseOwnerName(each, zone.name, 'TXT');
    return parsed.ok ? [orderName(parsed.value)] : [];
  });
  const storable = [query.content ?? '', ...(query.texts ?? [])].every(isStorable);
  if ((name && !name.ok) || names?.length === 0 || !storable) return { zone, filter: null };
  const filter = {
    ...(name ? { ordername: orderName(name.value) } : {}),
    ...(names ? { ordernames: names } : {}),
    ...(query.type === undefined ? {} : { type: query.type }),
    ...(query.content === undefined ? {} : { content: contentFilter(query.type, query.content) }),
    ...(query.texts === undefined ? {} : { texts: query.texts }),
    ...(only === null ? {} : { only }),
    ...(after === undefined ? {} : { after }),
  };
  return { zone, filter };
}

/**
 * With a type, any spelling of the value matches. The value of an MX includes its priority, so its content is compared
 * as text.
 */
function contentFilter(type: RecordType | undefined, content: string): { content: string; digest: Uint8Array | null } {
  const parsed = type === undefined || type === 'MX' ? null : parseRdata(type, content, null);
  return { content, digest: parsed?.ok ? digestOf(parsed.value.wire) : null };
}

export function writeCursor({ ordername, type, id }: Pick<RecordPageRow, 'ordername' | 'type' | 'id'>): string {
  return encodeCursor([ordername, type, id]);
}

/** @throws Refusal bad_request */
export function readCursor(text: string): RecordCursor {
  const [ordername = '', type = '', id = ''] = decodeCursor(text, 3);
  return { ordername, type, id };
}
