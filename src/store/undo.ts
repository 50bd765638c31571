// The history of a zone for undo and restore: selected changes, the changes of some RRsets since then, and the records
// as they were before a change.
import type { RecordHealth } from '#dns/members.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { Action } from './changes.ts';
import type { Tx } from './database.ts';
import { RECORD_COLUMNS, type RecordRow } from './records.ts';
import { pages, statement } from './statement.ts';

/** A change of a zone or of a record, without its values. */
export interface SelectedChange {
  id: number;
  action: Action;
  /** Null: a change of the zone itself. */
  name: string | null;
  type: RecordType | null;
}

type Found<T extends { id: number }> = Omit<T, 'id'> & { id: string };

const SIDE = 'coalesce(c.after, c.before)';
// The service's own PTR records follow the records that want them, so their changes are not undone.
const NOT_DERIVED = `not coalesce(${SIDE} ? 'reverseOf', false)`;
const SELECTED = `select c.id, c.action, case when c.action like 'record.%' then ${SIDE}->>'name' end as name,
    case when c.action like 'record.%' then ${SIDE}->>'type' end as type from changes c where c.zone_id = $1 and ${NOT_DERIVED}`;
const byIds = statement<Found<SelectedChange>>(`${SELECTED} and c.id = any($2::text[]::bigint[]) order by c.id`);
const byRequest = statement<Found<SelectedChange>>(`${SELECTED} and c.request_id = $2 order by c.id limit $3`);
const byKey = statement<Found<SelectedChange>>(
  `${SELECTED} and c.key_id = $2 and c.at >= $3::timestamptz order by c.id limit $4`,
);

export type Selection = { changes: readonly number[] } | { requestId: string } | { keyId: string; since: Date };

/** The selected changes of a zone, the oldest first. A selection by request or key ends after `limit`. */
export async function selectedChanges(
  tx: Tx,
  zoneId: string,
  selection: Selection,
  limit: number,
): Promise<SelectedChange[]> {
  const rows =
    'changes' in selection
      ? await byIds(tx, zoneId, selection.changes.map(String))
      : 'requestId' in selection
        ? await byRequest(tx, zoneId, selection.requestId, limit)
        : await byKey(tx, zoneId, selection.keyId, selection.since.toISOString(), limit);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/** A record as the history shows it. */
export interface RecordedValue {
  id: string;
  content: string;
  /** Null: the default of the zone. */
  ttl: number | null;
  priority: number | null;
  comment: string | null;
  health: RecordHealth | null;
}

/** One change of a record with its values. */
export interface RecordedStep {
  id: number;
  keyId: string;
  /** The owner that applied or released the record; null: a change without an owner. */
  owner: string | null;
  name: string;
  type: RecordType;
  recordId: string;
  before: RecordedValue | null;
  after: RecordedValue | null;
}

/** The changes of one read are bounded in rows that Postgres looks at, and in octets of values. */
export const STEPS = { rows: 200_000, octets: 32 * 1024 * 1024 };

// The history has the TTL in effect: one that was the default of the zone at that time stands for the default. Every
// change of the default says what it was before.
const DEFAULTS = `defaults as (select id, (before->>'defaultTtl')::integer as ttl from changes
    where zone_id = $1 and id >= $2::bigint and action = 'zone.change' and before ? 'defaultTtl')`;
const healthOf = (side: string) => `nullif(jsonb_strip_nulls(jsonb_build_object('check', ${side}->'check',
    'tier', ${side}->'tier', 'whenAllFail', ${side}->'whenAllFail', 'weight', ${side}->'weight',
    'reverse', ${side}->'reverse', 'reverseIn', ${side}->'reverseIn')), '{}')`;
const value = (side: string) => `case when jsonb_typeof(${side}) = 'object' then json_build_object('id', ${side}->>'id',
    'content', ${side}->>'content', 'ttl', nullif((${side}->>'ttl')::integer, d.ttl), 'priority', (${side}->>'priority')::integer,
    'comment', ${side}->>'comment', 'health', ${healthOf(side)}) end`;
const defaultAt = (id: string, current: string) => `cross join lateral (select coalesce(
    (select ttl from defaults where defaults.id > ${id} order by defaults.id limit 1), ${current}::integer) as ttl) d`;

const PLACES = 'select * from unnest($4::text[], $5::text[]) as p(name, type)';
const STEPS_SINCE = `
  with ${DEFAULTS}, places as (${PLACES})
  select c.id, c.key_id as "keyId", c.owner, p.name, p.type, ${SIDE}->>'id' as "recordId", ${value('c.before')} as before,
    ${value('c.after')} as after
  from changes c join places p on p.name = ${SIDE}->>'name' and p.type = ${SIDE}->>'type' ${defaultAt('c.id', '$3')}
  where c.zone_id = $1 and c.id >= $2::bigint and c.action like 'record.%' and ${NOT_DERIVED} order by c.id desc`;
const countSince = statement<{ rows: number; octets: string }>(`
  with places as (select * from unnest($3::text[], $4::text[]) as p(name, type)),
    since as (select * from changes where zone_id = $1 and id >= $2::bigint order by id limit ${STEPS.rows + 1})
  select (select count(*)::integer from since) as rows, coalesce(sum(octet_length(c.before::text)), 0)
    + coalesce(sum(octet_length(c.after::text)), 0) as octets
  from since c join places p on p.name = ${SIDE}->>'name' and p.type = ${SIDE}->>'type' where c.action like 'record.%'`);

interface Place {
  name: string;
  type: string;
}

/**
 * The changes at some names and types since a change, the newest first.
 * @returns null if there are more changes in the zone than STEPS.rows, or if those at the places are larger than
 * STEPS.octets
 */
export async function stepsSince(
  tx: Tx,
  zone: { id: string; defaultTtl: number },
  from: number,
  places: readonly Place[],
): Promise<RecordedStep[] | null> {
  const [names, types] = [places.map(({ name }) => name), places.map(({ type }) => type)];
  const [countRow] = await countSince(tx, zone.id, from, names, types);
  if ((countRow?.rows ?? 0) > STEPS.rows || Number(countRow?.octets ?? 0) > STEPS.octets) return null;
  const steps: RecordedStep[] = [];
  for await (const rows of pages<Found<RecordedStep>>(tx, 2_000, STEPS_SINCE, [
    zone.id,
    from,
    zone.defaultTtl,
    names,
    types,
  ]))
    for (const row of rows) steps.push({ ...row, id: Number(row.id) });
  return steps;
}

/** A record that is not as it was before the oldest of some changes. */
export interface PastRecord {
  recordId: string;
  name: string;
  type: RecordType;
  /** The newest of those changes. */
  change: number;
  /** The owners that made some of them. */
  owners: readonly string[];
  /** Null: there was no such record. */
  value: RecordedValue | null;
}

const BEFORE = `
  with ${DEFAULTS},
    since as materialized (select c.id, c.at, c.owner, ${SIDE}->>'id' as record from changes c
      where c.zone_id = $1 and c.id >= $2::bigint and c.action like 'record.%' and ${NOT_DERIVED}),
    touched as (select record, min(id) as first, max(id) as last,
      coalesce(json_agg(distinct owner) filter (where owner is not null), '[]') as owners from since group by record)
  select t.record as "recordId", ${SIDE}->>'name' as name, ${SIDE}->>'type' as type, t.last as change, t.owners,
    ${value('c.before')} as value
  from touched t join since s on s.id = t.first join changes c on c.id = s.id and c.at = s.at left join records r on r.id = t.record and r.zone_no = $4
    ${defaultAt('c.id', '$3')}
  where (r.content, r.priority, r.comment, r.health, r.ttl) is distinct from (c.before->>'content', (c.before->>'priority')::integer,
    c.before->>'comment', ${healthOf('c.before')}, nullif((c.before->>'ttl')::integer, d.ttl))
  order by t.first`;

/** The records that are not as they were before the change `from`, in pages. */
export function recordsBefore(
  tx: Tx,
  zone: { id: string; no: number; defaultTtl: number },
  from: number,
): AsyncIterable<PastRecord[]> {
  const rowPages = pages<Omit<PastRecord, 'change'> & { change: string }>(tx, 2_000, BEFORE, [
    zone.id,
    from,
    zone.defaultTtl,
    zone.no,
  ]);
  return (async function* () {
    for await (const rows of rowPages) yield rows.map((row) => ({ ...row, change: Number(row.change) }));
  })();
}

/** A stored record with its owners. */
export type PresentRecord = RecordRow & { owners: readonly string[] };

const AT = `select ${RECORD_COLUMNS}, coalesce((select json_agg(s.owner order by s.owner) from record_owners o
      cross join lateral (select owner from owned_sets where id = o.set_id offset 0) s where o.record_id = records.id), '[]') as owners
  from unnest($2::text[], $3::text[]) as p(at, kind) cross join lateral (
    select * from records where zone_no = $1 and ordername = p.at and type = p.kind offset 0) records order by records.id`;

/** The records at some names (as ordernames) and types, with their owners, in pages. */
export function ownedRecordsAt(
  tx: Tx,
  zoneNo: number,
  places: readonly { ordername: string; type: string }[],
): AsyncIterable<readonly PresentRecord[]> {
  return pages<PresentRecord>(tx, 2_000, AT, [
    zoneNo,
    places.map(({ ordername }) => ordername),
    places.map(({ type }) => type),
  ]);
}

// The time of a change is that of the beginning of its transaction, which lasts less than a minute. So the ids of
// changes within a minute may be in another order than their times. The API shows times in milliseconds.
const firstAfter = statement<{ id: string | null }>(`
  select min(id) as id from changes where zone_id = $1 and date_trunc('milliseconds', at) > $2::timestamptz
    and id > coalesce((select id from changes where zone_id = $1 and at < $2::timestamptz - interval '1 minute'
      order by id desc limit 1), 0)`);

/**
 * The first change of a zone after a time; null: there is none. All later ids are to be undone to get the zone of that
 * time.
 */
export async function firstChangeAfter(tx: Tx, zoneId: string, at: Date): Promise<number | null> {
  const [row] = await firstAfter(tx, zoneId, at.toISOString());
  return row?.id == null ? null : Number(row.id);
}

const selectPruned = statement<{ at: string | null }>(`
  select max(at) as at from history_pruned where kind = 'zones' and owner = any(array['', $1])`);
const selectBeginning = statement<{ at: string }>(`
  select at from (select action, at from changes where zone_id = $1 order by id limit 1) c where action = 'zone.create'`);

/** The time of the creation in the history of a zone; null: the history does not have it any more. */
export async function findBeginning(tx: Tx, zoneId: string): Promise<Date | null> {
  const [row] = await selectBeginning(tx, zoneId);
  return row === undefined ? null : new Date(row.at);
}

/** The time up to which changes of the zone may be deleted from the history; null: the history of the zone is whole. */
export async function prunedUntil(
  tx: Tx,
  zone: { id: string; teamId: string | null; userId: string | null },
): Promise<Date | null> {
  if ((await findBeginning(tx, zone.id)) !== null) return null;
  const [row] = await selectPruned(tx, zone.teamId ?? zone.userId);
  return row?.at == null ? null : new Date(row.at);
}
