// The changes of one zone, written with one statement: records, counters and serial of the zone, the names that
// changed, history, stored answers. The statement is a transaction of its own, and writes nothing if the zone has
// changed since it was loaded.
import type { ReverseScope } from '#dns/reverse.ts';
import type { Action } from './changes.ts';
import { assignments, hexBytes, insertList, recordset, valueList } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { announcedNames } from './feed-changes.ts';
import { LINKED_ROWS, type OwnerRows, RELEASED_ROWS, SET_ROWS, UNLINKED_ROWS } from './owned-sets.ts';
import { RECORD_KEYS, type RecordRow } from './records.ts';
import { namedStatement } from './statement.ts';
import { changes, idempotency, records } from './tables.ts';
import type { Growth, ZoneRow } from './zones.ts';

export type InsertedRecord = RecordRow & { digest: Uint8Array; reverseScope: ReverseScope | null };
export type UpdatedRecord = Pick<
  InsertedRecord,
  'id' | 'content' | 'rdata' | 'digest' | 'ttl' | 'priority' | 'comment' | 'health' | 'reverseScope'
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

const INSERTED = [...RECORD_KEYS, 'digest', 'reverseScope'] as const;
const UPDATED = ['content', 'rdata', 'digest', 'ttl', 'priority', 'comment', 'health', 'reverseScope'] as const;
const HISTORY = ['keyId', 'action', 'before', 'after', 'serial', 'requestId', 'owner', 'undoes'] as const;
const KEPT = ['keyId', 'token', 'requestHash', 'answer'] as const;

/** The kinds of rows that a change writes. */
interface Kinds {
  /** A new serial: answers of the zone change. */
  serial: boolean;
  deleted: boolean;
  updated: boolean;
  inserted: boolean;
  sets: boolean;
  released: boolean;
  unlinked: boolean;
  linked: boolean;
  history: boolean;
  kept: boolean;
}

type ParameterName =
  | Exclude<keyof ZoneCommit, 'zone' | 'growth' | 'changedNames' | 'owners'>
  | Exclude<keyof OwnerRows, 'growth'>
  | 'id'
  | 'loadedSerial'
  | 'loadedVersion'
  | 'records'
  | 'bytes'
  | 'names'
  | 'ownedSets';

/** A part of the statement: `name as (text)`. */
interface Part {
  name: string;
  when(kinds: Kinds): boolean;
  text(kinds: Kinds): string;
}

const hasOwners = ({ sets, released, linked, unlinked }: Kinds) => sets || released || linked || unlinked;
const countSets = (kinds: Kinds) => (hasOwners(kinds) ? ', owned_sets = z.owned_sets + $ownedSets::integer' : '');
/** Only a look at the rows of another part makes Postgres keep the order, which matters to the constraints. */
const after = (kinds: Kinds, parts: readonly ('deleted' | 'updated')[]) =>
  parts.map((part) => (kinds[part] ? ` and (select count(*) from ${part}) >= 0` : '')).join('');

const PARTS: readonly Part[] = [
  {
    // A locked row is skipped: the rights were judged before, and would be stale after a wait.
    name: 'locked',
    when: () => true,
    text: () => `select id, no, name, team_id, user_id from zones
      where id = $id and serial = $loadedSerial and owners_version = $loadedVersion
        and ($records::bigint <= 0 or record_count + $records::bigint <= record_room)
        and ($bytes::bigint <= 0 or stored_bytes + $bytes::bigint <= byte_room)
      for no key update skip locked`,
  },
  {
    name: 'touched',
    when: ({ serial }) => serial,
    text: (
      kinds,
    ) => `update zones z set serial = $serial, updated_at = $now::timestamptz, changed_xid = pg_current_xact_id(),
        record_count = z.record_count + $records::bigint, stored_bytes = z.stored_bytes + $bytes::bigint${countSets(kinds)}
      from locked where z.id = locked.id`,
  },
  {
    name: 'announced',
    when: ({ serial }) => serial,
    text: () => `insert into feed_changes (kind, zone_id, names) select 'changed', id, $names::text[] from locked`,
  },
  {
    // Without a new serial, the version tells others who loaded the zone before that its owners or comments changed.
    name: 'versioned',
    when: (kinds) => !kinds.serial && (hasOwners(kinds) || kinds.updated),
    text: (kinds) =>
      `update zones z set owners_version = z.owners_version + 1${countSets(kinds)}${
        kinds.updated ? ', updated_at = $now::timestamptz, stored_bytes = z.stored_bytes + $bytes::bigint' : ''
      } from locked where z.id = locked.id`,
  },
  {
    name: 'deleted',
    when: ({ deleted }) => deleted,
    text: () => `delete from records r using locked
      where r.zone_no = locked.no and r.id = any($deleted::text[]) returning 1`,
  },
  {
    name: 'updated',
    when: ({ updated }) => updated,
    text: (kinds) => `update records r set ${assignments(records, 'u', UPDATED)}
      from locked, json_to_recordset($updated::text::json) as u(id text, ${recordset(records, UPDATED)})
      where r.zone_no = locked.no and r.id = u.id${after(kinds, ['deleted'])} returning 1`,
  },
  {
    name: 'inserted',
    when: ({ inserted }) => inserted,
    text: (kinds) => `insert into records (zone_no, created_at, ${insertList(records, INSERTED)})
      select locked.no, $now::timestamptz, ${valueList<typeof records>('i', INSERTED)}
      from locked, json_to_recordset($inserted::text::json) as i(${recordset(records, INSERTED)})
      where true${after(kinds, ['deleted', 'updated'])}`,
  },
  { name: 'sets', when: ({ sets }) => sets, text: () => SET_ROWS },
  { name: 'released', when: ({ released }) => released, text: () => RELEASED_ROWS },
  { name: 'unlinked', when: ({ unlinked }) => unlinked, text: () => UNLINKED_ROWS },
  { name: 'linked', when: ({ linked }) => linked, text: () => LINKED_ROWS },
  {
    name: 'history',
    when: ({ history }) => history,
    text: () => `insert into changes (zone_id, zone_name, team_id, user_id, ${insertList(changes, HISTORY)})
      select locked.id, locked.name, locked.team_id, locked.user_id, ${valueList<typeof changes>('h', HISTORY)}
      from locked, json_to_recordset($history::text::json) as h(${recordset(changes, HISTORY)})`,
  },
  {
    name: 'kept',
    when: ({ kept }) => kept,
    text: () => `insert into idempotency (created_at, ${insertList(idempotency, KEPT)})
      select $now::timestamptz, ${valueList<typeof idempotency>('k', KEPT)}
      from locked, json_to_recordset($kept::text::json) as k(${recordset(idempotency, KEPT)})`,
  },
];

type Commit = ReturnType<typeof namedStatement<{ committed: number }, ParameterName>>;
const texts = new Map<string, Commit>();

function buildCommit(kinds: Kinds): Commit {
  const key = Object.values(kinds).join();
  const knownCommit = texts.get(key);
  if (knownCommit !== undefined) return knownCommit;
  const parts = PARTS.filter(({ when }) => when(kinds)).map(({ name, text }) => `${name} as (${text(kinds)})`);
  const newCommit: Commit = namedStatement(
    `with ${parts.join(', ')} select count(*)::integer as committed from locked`,
  );
  texts.set(key, newCommit);
  return newCommit;
}

/**
 * @returns false if the zone changed since it was loaded, if another transaction holds its row, or if the growth does
 * not fit its room: then nothing is written
 * @throws SQLSTATE 23505 (records_rdata_key, records_one_cname_idx, idempotency_pkey) or 23P01 (records_cname_alone)
 */
export async function commitZone(on: Db | Tx, change: ZoneCommit): Promise<boolean> {
  const { zone, serial, growth, changedNames, deleted, updated, inserted, owners, history, kept, now } = change;
  const { sets, released, linked, unlinked } = owners;
  const kinds: Kinds = {
    serial: serial !== null,
    deleted: deleted.length > 0,
    updated: updated.length > 0,
    inserted: inserted.length > 0,
    sets: sets.length > 0,
    released: released.length > 0,
    unlinked: unlinked.length > 0,
    linked: linked.length > 0,
    history: history.length > 0,
    kept: kept.length > 0,
  };
  const [row] = await buildCommit(kinds)(on, {
    id: () => zone.id,
    loadedSerial: () => zone.serial,
    loadedVersion: () => zone.ownersVersion,
    serial: () => serial,
    now: () => now.toISOString(),
    records: () => growth.records,
    bytes: () => growth.bytes,
    names: () => announcedNames(changedNames),
    ownedSets: () => owners.growth,
    deleted: () => deleted,
    updated: () => JSON.stringify(updated.map(withHex)),
    inserted: () => JSON.stringify(inserted.map(withHex)),
    sets: () => JSON.stringify(sets.map(withHex)),
    released: () => released,
    linked: () => JSON.stringify(linked.map(withHex)),
    unlinked: () => JSON.stringify(unlinked),
    history: () => JSON.stringify(history),
    kept: () => JSON.stringify(kept.map((each) => ({ ...each, requestHash: hexBytes(each.requestHash) }))),
  });
  return row?.committed === 1;
}

function withHex<T extends { digest: Uint8Array }>(row: T) {
  return { ...row, digest: hexBytes(row.digest) };
}
