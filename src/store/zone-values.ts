// All records of a zone in a slim form, for comparing a zone with a zone file; and writing the difference together with
// its history. Contents travel once: a record goes to Postgres in one piece of JSON, and Postgres writes its history
// from the row. Everything goes in pieces that are bounded in rows and bytes. No rule and no right is known here.
import type { RecordHealth } from '#dns/members.ts';
import type { ReverseScope } from '#dns/reverse.ts';
import type { Db, Tx } from './database.ts';
import { pages, statement } from './statement.ts';

/** A stored record without its content. */
export interface StoredValue {
  id: string;
  ordername: string;
  type: string;
  /** SHA-256 of the wire form, base64. */
  digest: string;
  ttl: number | null;
  /** The first owner of the record; null if it has none. */
  managedBy: string | null;
}

/** Rows that are read at a time. */
const PAGE = 2_000;
/** Rows and characters of contents that are written at a time. */
const CHUNK = { rows: 1_000, characters: 1024 * 1024 };

// `lateral … offset 0`: by keys, also before Postgres has statistics (owner-pages.ts).
const VALUES = `select id, ordername, type, encode(digest, 'base64') as digest, ttl,
    (select min(s.owner) from record_owners o cross join lateral (select owner from owned_sets where id = o.set_id offset 0) s
      where o.record_id = records.id) as "managedBy"
  from records where zone_no = $1 order by ordername, type, digest`;

/** By name, type and digest, so that equal zones come alike. @throws the reason of the signal */
export async function zoneValues(tx: Tx, zoneNo: number, signal?: AbortSignal): Promise<StoredValue[]> {
  const values: StoredValue[] = [];
  for await (const rows of pages<StoredValue>(tx, PAGE, VALUES, [zoneNo])) {
    signal?.throwIfAborted();
    values.push(...rows);
  }
  return values;
}

/** The beginning of the contents of some records, by id, for people to look at. */
export async function readContents(
  db: Db | Tx,
  ids: readonly string[],
  characters: number,
): Promise<ReadonlyMap<string, { content: string; priority: number | null }>> {
  const rows = ids.length === 0 ? [] : await selectContents(db, ids, characters);
  return new Map(rows.map(({ id, ...rest }) => [id, rest]));
}

const selectContents = statement<{ id: string; content: string; priority: number | null }>(
  'select id, left(content, $2) as content, priority from records where id = any($1::text[])',
);

/** The values that all entries of one change have in common. */
export interface History {
  zoneId: string;
  zoneName: string;
  teamId: string | null;
  userId: string | null;
  keyId: string;
  serial: number;
  requestId: string;
}

export interface ZoneWrite {
  zone: { no: number; defaultTtl: number };
  history: History;
  /** When new records were made. */
  at: Date;
  /** Where the writer may write the PTR of a record with `reverse`. */
  reverseScope: ReverseScope;
  /** The history's mark of a change that puts records back. (Default: an ordinary change.) */
  mark?: { restoredTo: Date | null; undoes: readonly number[] | null };
}

/** A value as it is stored. */
interface NewValue {
  id: string;
  content: string;
  rdata: string;
  digest: string;
  ttl: number | null;
  priority: number | null;
  /** Empty: none. (Default: a stored record keeps its own, and a new one has none.) */
  comment?: string;
  /** Empty: none. (Default: as with the comment.) */
  health?: RecordHealth;
}

/** The history of rows, as the API shows records: `alias` names a CTE with their columns. */
const view = (alias: string) => `jsonb_build_object('id', ${alias}.id, 'name', ${alias}.name, 'type', ${alias}.type,
  'content', ${alias}.content, 'ttl', coalesce(${alias}.ttl, $3), 'priority', ${alias}.priority)
  || case when ${alias}.comment is null then '{}' else jsonb_build_object('comment', ${alias}.comment) end
  || coalesce(${alias}.health, '{}')`;
const HISTORY = `insert into changes (action, before, after, zone_id, zone_name, team_id, user_id, key_id, serial, request_id,
  restored_to, undoes)`;
const COMMON = `$4::text, $5::text, $6::text, $7::text, $8::text, $9::bigint, $10::text, $11::timestamptz, $12::bigint[]`;

type Write = (tx: Tx, given: unknown, write: ZoneWrite) => Promise<unknown>;

/**
 * $1 the rows or ids, $2 the zone's number, $3 its default TTL, $4 to $12 the history, $13 the scope, $14 the time.
 * @param hasScope whether the text has $13. (Default: false.)
 * @param hasTime whether it has $14. (Default: false.)
 */
function writer(text: string, { hasScope = false, hasTime = false } = {}): Write {
  const run = statement(text);
  return (tx, rowsOrIds, { zone, history, at, reverseScope, mark }) => {
    const { zoneId, zoneName, teamId, userId, keyId, serial, requestId } = history;
    const { restoredTo = null, undoes = null } = mark ?? {};
    const marks = [restoredTo?.toISOString() ?? null, undoes];
    const common = [zoneId, zoneName, teamId, userId, keyId, serial, requestId, ...marks];
    const scope = hasScope ? [JSON.stringify(reverseScope)] : [];
    return run(tx, rowsOrIds, zone.no, zone.defaultTtl, ...common, ...scope, ...(hasTime ? [at.toISOString()] : []));
  };
}

const removeChunk = writer(`
  with gone as (delete from records where zone_no = $2 and id = any($1::text[]) returning *)
  ${HISTORY} select 'record.delete', ${view('gone')}, null, ${COMMON} from gone`);

/** Every record of the zone with one of these ids is deleted. */
export async function removeValues(tx: Tx, write: ZoneWrite, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += CHUNK.rows) await removeChunk(tx, ids.slice(at, at + CHUNK.rows), write);
}

// A statement sees the rows as they were before it, so "old" is the row that "new" replaces.
const updateChunk = writer(
  `
  with given as (select * from json_to_recordset($1::text::json)
      as u(id text, content text, rdata text, digest text, ttl integer, priority integer, comment text,
        health jsonb)),
    old as (select r.* from records r join given using (id) where r.zone_no = $2),
    new as (update records r set content = coalesce(u.content, r.content), rdata = coalesce(u.rdata, u.content, r.rdata),
        digest = coalesce(decode(u.digest, 'base64'), r.digest), ttl = u.ttl,
        priority = case when u.digest is null then r.priority else u.priority end,
        comment = case when u.comment is null then r.comment else nullif(u.comment, '') end,
        health = case when u.health is null then r.health else nullif(u.health, '{}') end,
        reverse_scope = case when (coalesce(u.health, r.health) -> 'reverse') is not null then $13::text::jsonb end
      from given u where r.id = u.id and r.zone_no = $2 returning r.*)
  ${HISTORY} select 'record.update', ${view('old')}, ${view('new')}, ${COMMON} from new join old using (id)`,
  { hasScope: true },
);

/**
 * Each record gets the value, or only the TTL. The rows are made when they are sent.
 * @throws as commitZone in zone-commit.ts; also when two rows exchange their values, see releaseValues
 */
export async function updateValues(
  tx: Tx,
  write: ZoneWrite,
  values: Iterable<NewValue | { id: string; ttl: number | null }>,
): Promise<void> {
  await inChunks(values, (chunk) => updateChunk(tx, chunk, write));
}

const insertChunk = writer(
  `
  with made as (insert into records (id, zone_no, name, ordername, type, content, rdata, digest, ttl, priority, comment, health,
        reverse_scope, created_at)
      select id, $2, name, coalesce(ordername, name), type, content, coalesce(rdata, content), decode(digest, 'base64'), ttl,
        priority, nullif(comment, ''), nullif(health, '{}'), case when (health -> 'reverse') is not null then $13::text::jsonb end, $14::timestamptz
      from json_to_recordset($1::text::json) as r(id text, name text, ordername text, type text, content text, rdata text,
        digest text, ttl integer, priority integer, comment text, health jsonb)
      returning *)
  ${HISTORY} select 'record.create', null, ${view('made')}, ${COMMON} from made`,
  { hasScope: true, hasTime: true },
);

/** The rows are made when they are sent. @throws as commitZone in zone-commit.ts */
export async function insertValues(
  tx: Tx,
  write: ZoneWrite,
  values: Iterable<NewValue & { name: string; ordername: string; type: string }>,
): Promise<void> {
  await inChunks(values, (chunk) => insertChunk(tx, chunk, write));
}

/**
 * Takes rows that are about to be updated out of the uniqueness of values (records_rdata_key): it is checked row by
 * row, and one row may get the value that another one still has.
 */
export async function releaseValues(tx: Tx, ids: readonly string[]): Promise<void> {
  await release(tx, ids);
}

const release = statement(`update records set digest = sha256(convert_to(id, 'UTF8')) where id = any($1::text[])`);

type Piece = Partial<NewValue> & { id: string; name?: string; ordername?: string };

/** The next piece is made while Postgres works at the one before. */
async function inChunks(values: Iterable<Piece>, send: (json: string) => Promise<unknown>): Promise<void> {
  let pendingSend: Promise<unknown> = Promise.resolve();
  for (const json of jsonChunks(values)) {
    await pendingSend;
    pendingSend = send(json);
    // It is awaited in the next round; until then no caller sees a failure.
    pendingSend.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await pendingSend;
}

/** JSON arrays of bounded length. Texts that equal another one of their row are omitted. */
function* jsonChunks(values: Iterable<Piece>): Generator<string> {
  let parts: string[] = [];
  let characters = 0;
  for (const { rdata, ordername, ...value } of values) {
    const part = JSON.stringify({
      ...value,
      ...(rdata === value.content ? {} : { rdata }),
      ...(ordername === value.name ? {} : { ordername }),
    });
    if (parts.length === CHUNK.rows || (parts.length > 0 && characters + part.length > CHUNK.characters)) {
      yield `[${parts.join()}]`;
      parts = [];
      characters = 0;
    }
    parts.push(part);
    characters += part.length;
  }
  if (parts.length > 0) yield `[${parts.join()}]`;
}
