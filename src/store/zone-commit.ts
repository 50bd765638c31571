// The changes of one zone, written with one statement: records, counters and serial of the zone, the names that
// changed, history, stored answers. The statement is a transaction of its own, and writes nothing if the zone has
// changed since it was loaded.
import type { Action } from './changes.ts';
import { assignments, hexBytes, insertList, recordset, valueList } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { announcedNames } from './feed-changes.ts';
import { LINKED_ROWS, type OwnerRows, RELEASED_ROWS, SET_ROWS, UNLINKED_ROWS } from './owned-sets.ts';
import { RECORD_KEYS, type RecordRow } from './records.ts';
import { partialStatement } from './statement.ts';
import { changes, idempotency, records } from './tables.ts';
import type { Growth, ZoneRow } from './zones.ts';

export type InsertedRecord = RecordRow & { digest: Uint8Array };
export type UpdatedRecord = Pick<
  InsertedRecord,
  'id' | 'content' | 'rdata' | 'digest' | 'ttl' | 'priority' | 'comment'
>;

/** One change of a record as history tells it. */
export interface RecordedChange {
  keyId: string;
  requestId: string;
  /** The owner that applied or released the record; null: a change without an owner. */
  owner: string | null;
  action: Action;
  before: unknown;
  after: unknown;
  serial: number;
  /** The ids of the changes that this one undoes; null: none. */
  undoes: readonly number[] | null;
}

export interface NewKeptAnswer {
  keyId: string;
  token: string;
  requestHash: Uint8Array;
  answer: unknown;
}

/** Each record is in one of the three lists at most. */
interface ZoneCommit {
  /** As it was loaded. */
  zone: ZoneRow;
  /** The serial that the zone has afterwards; null: its answers do not change, only owners or comments. */
  serial: number | null;
  growth: Growth;
  /** The names whose records change, relative to the zone; told only if the zone itself changes. */
  changedNames: readonly string[];
  deleted: readonly string[];
  updated: readonly UpdatedRecord[];
  inserted: readonly InsertedRecord[];
  owners: OwnerRows;
  history: readonly RecordedChange[];
  kept: readonly NewKeptAnswer[];
  now: Date;
}

const INSERTED = [...RECORD_KEYS, 'digest'] as const;
const UPDATED = ['content', 'rdata', 'digest', 'ttl', 'priority', 'comment'] as const;
const HISTORY = ['keyId', 'action', 'before', 'after', 'serial', 'requestId', 'owner', 'undoes'] as const;
const KEPT = ['keyId', 'token', 'requestHash', 'answer'] as const;

// Skips a locked row: the rights were checked before, and would be outdated after a wait.
const LOCKED = `locked as (select id, no, name, team_id, user_id from zones where id = $1 and serial = $2 and owners_version = $13
    and ($3::bigint <= 0 or record_count + $3::bigint <= record_room)
    and ($4::bigint <= 0 or stored_bytes + $4::bigint <= byte_room)
    for no key update skip locked)`;
const TOUCHED = (sets: string) => `touched as (update zones z set serial = $6, updated_at = $5::timestamptz,
      changed_xid = pg_current_xact_id(), record_count = z.record_count + $3::bigint, stored_bytes = z.stored_bytes + $4::bigint${sets}
    from locked where z.id = locked.id),
  announced as (insert into feed_changes (kind, zone_id, names) select 'changed', id, $12::text[] from locked)`;
const COUNTED_SETS = ', owned_sets = z.owned_sets + $14::integer';
// Without a new serial, the version tells others who loaded the zone before that its owners or comments changed.
const VERSIONED = (sets: string) => `versioned as (update zones z set owners_version = z.owners_version + 1${sets}
    from locked where z.id = locked.id)`;
const COMMENTED = ', updated_at = $5::timestamptz, stored_bytes = z.stored_bytes + $4::bigint';
// The order matters to the constraints, and only a look at another part's rows makes Postgres keep it.
const DELETED = `deleted as (delete from records r using locked where r.zone_no = locked.no and r.id = any($7::text[]) returning 1)`;
const UPDATED_ROWS = (after: string) => `updated as (update records r set ${assignments(records, 'u', UPDATED)}
    from locked, json_to_recordset($8::text::json) as u(id text, ${recordset(records, UPDATED)})
    where r.zone_no = locked.no and r.id = u.id${after} returning 1)`;
const INSERTED_ROWS = (
  after: string,
) => `inserted as (insert into records (zone_no, created_at, ${insertList(records, INSERTED)})
    select locked.no, $5::timestamptz, ${valueList<typeof records>('i', INSERTED)}
    from locked, json_to_recordset($9::text::json) as i(${recordset(records, INSERTED)}) where true${after})`;
const HISTORY_ROWS = `history as (insert into changes (zone_id, zone_name, team_id, user_id, ${insertList(changes, HISTORY)})
    select locked.id, locked.name, locked.team_id, locked.user_id, ${valueList<typeof changes>('h', HISTORY)}
    from locked, json_to_recordset($10::text::json) as h(${recordset(changes, HISTORY)}))`;
const KEPT_ROWS = `kept as (insert into idempotency (created_at, ${insertList(idempotency, KEPT)})
    select $5::timestamptz, ${valueList<typeof idempotency>('k', KEPT)}
    from locked, json_to_recordset($11::text::json) as k(${recordset(idempotency, KEPT)}))`;

type Commit = ReturnType<typeof partialStatement<{ committed: number }>>;
const texts = new Map<string, Commit>();

/** The statement has only the parts that the changes need: Postgres prepares each part for every execution. */
function commitOf(parts: readonly boolean[]): Commit {
  const key = parts.join();
  const known = texts.get(key);
  if (known !== undefined) return known;
  const [touched, deleted, updated, inserted, history, kept, owners, sets, released, linked, unlinked] = parts;
  const after = (names: readonly (string | false | undefined)[]) =>
    names.flatMap((name) => (name ? [` and (select count(*) from ${name}) >= 0`] : [])).join('');
  const all = [
    LOCKED,
    ...(touched ? [TOUCHED(owners ? COUNTED_SETS : '')] : []),
    ...(!touched && (owners || updated) ? [VERSIONED(`${owners ? COUNTED_SETS : ''}${updated ? COMMENTED : ''}`)] : []),
    ...(deleted ? [DELETED] : []),
    ...(updated ? [UPDATED_ROWS(after([deleted && 'deleted']))] : []),
    ...(inserted ? [INSERTED_ROWS(after([deleted && 'deleted', updated && 'updated']))] : []),
    ...(sets ? [SET_ROWS] : []),
    ...(released ? [RELEASED_ROWS] : []),
    ...(unlinked ? [UNLINKED_ROWS] : []),
    ...(linked ? [LINKED_ROWS] : []),
    ...(history ? [HISTORY_ROWS] : []),
    ...(kept ? [KEPT_ROWS] : []),
  ];
  const made = partialStatement<{ committed: number }>(
    `with ${all.join(', ')} select count(*)::integer as committed from locked`,
  );
  texts.set(key, made);
  return made;
}

/**
 * @returns false if the zone changed since it was loaded, if another transaction holds its row, or if the growth does not fit
 * its room: then nothing is written
 * @throws SQLSTATE 23505 (records_rdata_key, records_one_cname_idx, idempotency_pkey) or 23P01 (records_cname_alone)
 */
export async function commitZone(on: Db | Tx, change: ZoneCommit): Promise<boolean> {
  const { zone, serial, growth, changedNames, deleted, updated, inserted, owners, history, kept, now } = change;
  const { sets, released, linked, unlinked } = owners;
  const rows = [sets, released, linked, unlinked].map(({ length }) => length > 0);
  const parts = [
    serial !== null,
    ...[deleted, updated, inserted, history, kept].map(({ length }) => length > 0),
    rows.includes(true),
    ...rows,
  ];
  const [row] = await commitOf(parts)(on, [
    () => zone.id,
    () => zone.serial,
    () => growth.records,
    () => growth.bytes,
    () => now.toISOString(),
    () => serial,
    () => deleted,
    () => JSON.stringify(updated.map(withHex)),
    () => JSON.stringify(inserted.map(withHex)),
    () => JSON.stringify(history),
    () => JSON.stringify(kept.map((each) => ({ ...each, requestHash: hexBytes(each.requestHash) }))),
    () => announcedNames(changedNames),
    () => zone.ownersVersion,
    () => owners.growth,
    () => JSON.stringify(sets.map(withHex)),
    () => released,
    () => JSON.stringify(linked.map(withHex)),
    () => JSON.stringify(unlinked),
  ]);
  return row?.committed === 1;
}

function withHex<T extends { digest: Uint8Array }>(row: T) {
  return { ...row, digest: hexBytes(row.digest) };
}
