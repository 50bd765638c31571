// The operations on records: list, create, update, delete.
import { orderName, parseOwnerName } from '../dns/name.ts';
import { type ParsedRecord, parseRecord, type RecordInput } from '../dns/record.ts';
import { judgeDelete, judgeWrite } from '../dns/rrset.ts';
import { parseRdata, type RecordType } from '../dns/types/index.ts';
import { isStorable, type Tx } from '../store/database.ts';
import {
  deleteRecord,
  eachRecord,
  insertRecord,
  listRecords,
  type RecordCursor,
  type RecordFilter,
  type RecordRow,
  recordById,
  recordsAt,
  updateRecord,
} from '../store/records.ts';
import type { ZoneRow } from '../store/zones.ts';
import {
  type Actor,
  mustReadRecords,
  mustReadWholeZone,
  mustWriteRecord,
  mustWriteRecords,
  readableOnly,
} from './actor.ts';
import { prepareAliases } from './alias-target.ts';
import { type Caller, changeZone, type House } from './change.ts';
import { insist, Refusal } from './refusal.ts';
import { neighbour, surroundingsOf } from './surroundings.ts';
import { type RecordView, recordView } from './view.ts';
import { constraintMessage, constraintOf, digestOf, newRecordId } from './write-records.ts';
import { type Page, seeZone } from './zones.ts';

export const NO_RECORD = 'No such record in this zone.';

export interface RecordQuery extends Page {
  name?: string | undefined;
  type?: RecordType | undefined;
  content?: string | undefined;
  /** Only records that have one of these texts in their name or content. */
  texts?: string[] | undefined;
}

/** A page of the zone's records in a stable order. Filters that no record can match give an empty list. @throws Refusal no_zone, forbidden, bad_request (cursor) */
export async function readRecords(
  house: House,
  actor: Actor,
  zoneId: string,
  query: RecordQuery & { limit: number },
): Promise<{ records: RecordView[]; next?: string }> {
  const { zone, rows, next } = await readRows(house, actor, zoneId, query);
  return { records: rows.map((row) => recordView(row, zone)), ...(next === null ? {} : { next }) };
}

/** The same as rows, with their zone. @throws as readRecords */
export async function readRows(
  house: House,
  actor: Actor,
  zoneId: string,
  query: RecordQuery & { limit: number },
): Promise<{ zone: ZoneRow; rows: RecordRow[]; next: string | null }> {
  const { zone, filter } = await listOf(house, actor, zoneId, query);
  if (!filter) return { zone, rows: [], next: null };
  // One more than asked for tells whether there is a next page.
  const rows = await listRecords(house.db, zone.id, { ...filter, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return { zone, rows: page, next: last && page.length < rows.length ? writeCursor(last) : null };
}

/** One record as a row. @throws Refusal no_zone, forbidden, not_found */
export async function readRow(
  house: House,
  actor: Actor,
  zoneId: string,
  recordId: string,
): Promise<{ zone: ZoneRow; row: RecordRow }> {
  const zone = await seeZone(house, actor, zoneId, 'no_zone');
  mustReadWholeZone(actor, zoneId);
  const row = await recordById(house.db, zone.no, recordId);
  if (!row) throw new Refusal('not_found', NO_RECORD);
  return { zone, row };
}

/** All of the list, some records at a time, because a zone may have very many. @throws as readRecords */
export async function readAllRecords(
  house: House,
  actor: Actor,
  zoneId: string,
  query: Omit<RecordQuery, 'limit'>,
  take: (records: RecordView[]) => void,
): Promise<void> {
  const { zone, filter } = await listOf(house, actor, zoneId, query);
  if (filter) await eachRecord(house.db, zone.id, filter, (rows) => take(rows.map((row) => recordView(row, zone))));
}

/** Which records are meant, among those that the key may read; null: none can be. */
async function listOf(
  house: House,
  actor: Actor,
  zoneId: string,
  query: RecordQuery,
): Promise<{ zone: ZoneRow; filter: Omit<RecordFilter, 'limit'> | null }> {
  const zone = await seeZone(house, actor, zoneId, 'no_zone');
  mustReadRecords(actor, zoneId);
  const only = readableOnly(actor);
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const name = query.name === undefined ? undefined : parseOwnerName(query.name, zone.name, 'TXT');
  const storable = [query.content ?? '', ...(query.texts ?? [])].every(isStorable);
  if ((name && !name.ok) || !storable) return { zone, filter: null };
  const filter = {
    ...(name ? { ordername: orderName(name.value) } : {}),
    ...(query.type === undefined ? {} : { type: query.type }),
    ...(query.content === undefined ? {} : { content: contentFilter(query.type, query.content) }),
    ...(query.texts === undefined ? {} : { texts: query.texts }),
    ...(only === null ? {} : { only }),
    ...(after === undefined ? {} : { after }),
  };
  return { zone, filter };
}

/** With a type, any spelling of the value finds it. MX needs its priority to be compared so, and is found by the text. */
function contentFilter(type: RecordType | undefined, content: string): { content: string; digest: Uint8Array | null } {
  const parsed = type === undefined || type === 'MX' ? null : parseRdata(type, content, null);
  return { content, digest: parsed?.ok ? digestOf(parsed.value.wire) : null };
}

function writeCursor(row: RecordRow): string {
  return Buffer.from(JSON.stringify([row.ordername, row.type, row.id])).toString('base64url');
}

function readCursor(text: string): RecordCursor {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string' && isStorable(part))) {
      const [ordername, type, id] = parts as (string | undefined)[];
      if (ordername !== undefined && type !== undefined && id !== undefined) return { ordername, type, id };
    }
  } catch {
    // Falls through: not ours.
  }
  throw new Refusal('bad_request', 'cursor: must be the "next" of an earlier answer.');
}

/** @throws Refusal no_zone, forbidden, bad_request, conflict, busy */
export async function createRecord(
  house: House,
  caller: Caller,
  zoneId: string,
  input: RecordInput,
): Promise<RecordView> {
  await prepareAliases(house, caller.actor, zoneId, [input]);
  return changeZone(house, caller, zoneId, async (tx, zone) => {
    const record = await judge(tx, caller, zone, input, null);
    const id = newRecordId(house);
    const { name, ordername, type, content, rdata, ttl, priority } = record;
    const digest = digestOf(record.wire);
    const managedBy = caller.managedBy ?? null;
    const row = { id, zoneNo: zone.no, name, ordername, type, content, rdata, digest, ttl, priority, managedBy };
    const write = () => orConflict(insertRecord(tx, { ...row, createdAt: house.now() }));
    const answer = recordView({ id, ...record }, zone);
    return { answer: () => answer, write, change: { action: 'record.create', before: null, after: answer } };
  });
}

/** Replaces content, ttl and priority; a record that is the same already stays untouched. @throws as createRecord, and not_found */
export async function replaceRecord(
  house: House,
  caller: Caller,
  zoneId: string,
  recordId: string,
  input: RecordInput,
): Promise<RecordView> {
  await prepareAliases(house, caller.actor, zoneId, [input]);
  return changeZone(house, caller, zoneId, async (tx, zone) => {
    mustWriteRecords(caller.actor, zone.id);
    const stored = await recordById(tx, zone.no, recordId);
    if (!stored) throw new Refusal('not_found', NO_RECORD);
    mustWriteRecord(caller.actor, zone.id, stored);
    const record = await judge(tx, caller, zone, input, stored);
    const { content, rdata, ttl, priority } = record;
    const before = recordView(stored, zone);
    const answer = recordView({ id: stored.id, ...record }, zone);
    const managedBy = caller.managedBy ?? null;
    const set = { content, rdata, digest: digestOf(record.wire), ttl, priority, managedBy };
    if (content === stored.content && ttl === stored.ttl && priority === stored.priority) {
      // Whose it is, is no change of the zone.
      if (managedBy !== null && managedBy !== stored.managedBy) await updateRecord(tx, stored.id, set);
      return { answer: () => answer, change: null };
    }
    const write = () => orConflict(updateRecord(tx, stored.id, set));
    return { answer: () => answer, write, change: { action: 'record.update', before, after: answer } };
  });
}

/** @throws Refusal no_zone, not_found, forbidden, conflict, busy */
export async function removeRecord(house: House, caller: Caller, zoneId: string, recordId: string): Promise<void> {
  await changeZone(house, caller, zoneId, async (tx, zone) => {
    // Who may not write must not learn which ids exist; a key that is held to some names is told that the record is gone.
    mustWriteRecords(caller.actor, zone.id);
    const stored = await recordById(tx, zone.no, recordId);
    if (!stored) throw new Refusal('not_found', NO_RECORD);
    mustWriteRecord(caller.actor, zone.id, stored);
    const at = await recordsAt(tx, zone.no, [stored.ordername]);
    insist(judgeDelete(stored, at.filter((row) => row.id !== stored.id).map(neighbour)));
    const write = () => deleteRecord(tx, stored.id);
    return {
      answer: () => null,
      write,
      change: { action: 'record.delete', before: recordView(stored, zone), after: null },
    };
  });
}

/** All rules in their order: the record alone, rights, then what stands around it. */
async function judge(
  tx: Tx,
  caller: Caller,
  zone: ZoneRow,
  input: RecordInput,
  stored: RecordRow | null,
): Promise<ParsedRecord> {
  const record = insist(parseRecord(input, zone.name));
  mustWriteRecord(caller.actor, zone.id, record);
  if (stored) mustKeepPlace(record, stored);
  insist(judgeWrite(record, await surroundingsOf(tx, zone, record, stored?.id ?? null)));
  return record;
}

/** @throws Refusal bad_request */
export function mustKeepPlace(record: ParsedRecord, stored: Pick<RecordRow, 'name' | 'type'>): void {
  if (record.name === stored.name && record.type === stored.type) return;
  throw new Refusal(
    'bad_request',
    `name, type: an update keeps both, and the stored record is ${stored.name} ${stored.type}. Create another record and delete this one instead.`,
  );
}

/** The constraints behind the rules; reached only when a rule let something through. */
async function orConflict(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const constraint = constraintOf(error);
    throw constraint === null ? error : new Refusal('conflict', constraintMessage(constraint));
  }
}
