// Deleted zones: a zone with all its rows is kept until the quarantine of its name ends, and can come back with the
// same key. The private key stays in the database: no statement returns it.
import { columns, insertList, keysWithout, type Plain } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import type { Grant, Level } from './keys.ts';
import { statement } from './statement.ts';
import { deletedZones, ownedSets, records } from './tables.ts';
import { type PlainZone, ZONE_COLUMNS, type ZoneRow, zoneRow } from './zones.ts';

/** A deleted zone that can be restored. */
export interface DeletedZoneRow {
  id: string;
  name: string;
  tree: string;
  teamId: string | null;
  userId: string | null;
  /** DS RDATA, SHA-256 first. */
  ds: string[];
  /** The serial of the deletion. */
  serial: number;
  recordCount: number;
  storedBytes: number;
  deletedAt: Date;
  until: Date;
}

/** The columns that a zone gets back. */
const COLUMNS = insertList(
  deletedZones,
  keysWithout(deletedZones, ['serial', 'recordCount', 'storedBytes', 'deletedAt', 'until']),
);

const insertZone = statement(`
  insert into deleted_zones (${COLUMNS}, serial, record_count, stored_bytes, deleted_at, until)
  select ${COLUMNS}, $2::bigint, record_count, stored_bytes, $3::timestamptz, $4::timestamptz from zones where id = $1`);
const insertRows = statement(`
  insert into deleted_zone_rows (zone_id, origin, row)
  select $1, 'records', to_jsonb(r) from records r where r.zone_no = $2
  union all select $1, 'owned_sets', to_jsonb(s) from owned_sets s where s.zone_no = $2
  union all select $1, 'record_owners', to_jsonb(o) from owned_sets s join record_owners o on o.set_id = s.id where s.zone_no = $2
  union all select $1, 'key_zone_grants', to_jsonb(g) from key_zone_grants g where g.zone_id = $1
  union all select $1, 'trust_zone_grants', to_jsonb(g) from trust_zone_grants g where g.zone_id = $1
  union all select $1, 'zone_secondaries', to_jsonb(l) from zone_secondaries l where l.zone_id = $1
  union all select $1, 'zone_keys', to_jsonb(k) from zone_keys k where k.zone_id = $1`);

/**
 * Keeps a zone, whose row is locked, with its rows. Call it before the zone is deleted.
 * @param serial that of the deletion
 */
export async function keepDeletedZone(
  tx: Tx,
  zone: { id: string; no: number },
  { serial, at, until }: { serial: number; at: Date; until: Date },
): Promise<void> {
  await insertZone(tx, zone.id, serial, at.toISOString(), until.toISOString());
  await insertRows(tx, zone.id, zone.no);
}

interface KeptOwner {
  teamId: string | null;
  userId: string | null;
}

const dropOldest = statement(`
  delete from deleted_zones where id in (select id from (
      select id, row_number() over newest as zones, sum(record_count) over newest as records, sum(stored_bytes) over newest as bytes
      from deleted_zones where team_id is not distinct from $1 and user_id is not distinct from $2
      window newest as (order by deleted_at desc, id)) kept
    where records > $3::float8 or bytes > $4::float8 or zones > $5::float8)`);

/**
 * Drops the oldest deleted zones of an owner, so that there are at most so many, with at most so many records and
 * octets.
 */
export async function boundDeletedZones(
  tx: Tx,
  { teamId, userId }: KeptOwner,
  most: { zones: number; records: number; bytes: number },
): Promise<void> {
  await dropOldest(tx, teamId, userId, most.records, most.bytes, most.zones);
}

const shownColumns = columns(deletedZones, [
  'id',
  'name',
  'tree',
  'teamId',
  'userId',
  'ds',
  'serial',
  'recordCount',
  'storedBytes',
  'deletedAt',
  'until',
]);
const DELETED = `select ${shownColumns.list} from deleted_zones
  where name = $1 and (team_id = any($2::text[]) or user_id = any($3::text[]))
    and until > $4::timestamptz and ($5::text is null or id = $5)
  order by deleted_at desc limit 1`;
const selectDeleted = statement<Plain<DeletedZoneRow>>(DELETED);
const selectDeletedLocked = statement<Plain<DeletedZoneRow>>(`${DELETED} for update`);

interface WantedDeletedZone {
  name: string;
  owners: { teamIds: readonly string[]; userIds: readonly string[] };
  now: Date;
  /** Null: the one that was deleted last. */
  id: string | null;
}

/** The deleted zone of some owners with this name. */
export async function deletedZoneNamed(
  db: Db | Tx,
  { name, owners, now, id }: WantedDeletedZone,
): Promise<DeletedZoneRow | null> {
  const [row] = await selectDeleted(db, name, owners.teamIds, owners.userIds, now.toISOString(), id);
  return row === undefined ? null : shownColumns.read(row);
}

/** The same, locked until the transaction ends. */
export async function lockDeletedZone(
  tx: Db | Tx,
  { name, owners, now, id }: WantedDeletedZone,
): Promise<DeletedZoneRow | null> {
  const [row] = await selectDeletedLocked(tx, name, owners.teamIds, owners.userIds, now.toISOString(), id);
  return row === undefined ? null : shownColumns.read(row);
}

const selectOwned = statement<Plain<DeletedZoneRow>>(`
  select ${shownColumns.list} from deleted_zones z
  where (team_id = any($1::text[]) or user_id = any($2::text[])) and until > $3::timestamptz
    and not exists (select from deleted_zone_rows g where g.zone_id = z.id and g.row->>'records' = 'none'
      and ((g.origin = 'key_zone_grants' and g.row->>'key_id' = $5)
        or (g.origin = 'trust_zone_grants' and g.row->>'trust_id' = $6)))
  order by deleted_at desc, id limit $4`);

/**
 * The deleted zones of some owners that can be restored, those that were deleted last first.
 * @param deniedTo omits zones on which this key or trust had a grant of `none`
 */
export async function listOwnedDeletedZones(
  db: Db | Tx,
  owners: { teamIds: readonly string[]; userIds: readonly string[] },
  now: Date,
  { limit, deniedTo }: { limit: number; deniedTo: { keyId?: string; trustId?: string } },
): Promise<DeletedZoneRow[]> {
  const [key, trust] = [deniedTo.keyId ?? null, deniedTo.trustId ?? null];
  const rows = await selectOwned(db, owners.teamIds, owners.userIds, now.toISOString(), limit, key, trust);
  return rows.map((row) => shownColumns.read(row));
}

const namesBelow = statement<{ name: string; total: number }>(`
  select row->>'name' as name, (count(*) over ())::integer as total from deleted_zone_rows
  where zone_id = $1 and origin = 'records' and row->>'reverse_of' is null and (row->>'ordername' = $2
    or starts_with(row->>'ordername', $2 || ' ')
    or (row->>'type' = 'DNAME' and (row->>'ordername' = '' or starts_with($2, (row->>'ordername') || ' '))))
  limit 5`);

/** The first few names of records at or below a name, or of a DNAME above it, and how many records there are. */
export async function deletedNamesBelow(
  tx: Tx,
  id: string,
  ordername: string,
): Promise<{ names: string[]; total: number }> {
  const rows = await namesBelow(tx, id, ordername);
  return { names: [...new Set(rows.map(({ name }) => name))], total: rows[0]?.total ?? 0 };
}

// The zone keeps its number and id: caches and the history know it by them.
const returnZone = statement<PlainZone>(`
  insert into zones (${COLUMNS}, serial, owned_sets, updated_at) overriding system value
  select ${COLUMNS}, $2::bigint, (select count(*) from deleted_zone_rows where zone_id = $1 and origin = 'owned_sets'),
    $3::timestamptz from deleted_zones where id = $1
  returning ${ZONE_COLUMNS}`);

/** @throws with the constraint zones_… if there is such a zone again */
export async function insertDeletedZone(tx: Tx, id: string, serial: number, now: Date): Promise<ZoneRow> {
  const [row] = await returnZone(tx, id, serial, now.toISOString());
  return zoneRow(row as PlainZone);
}

const rowsOf = (table: string) =>
  `deleted_zone_rows d cross join lateral jsonb_populate_record(null::${table}, d.row) r where d.zone_id = $1 and d.origin = '${table}'`;

const RECORD = insertList(records, keysWithout(records, ['zoneNo', 'withdrawn', 'health']));
// A check may have been deleted meanwhile.
const HEALTH = `case when exists (select from checks k, deleted_zones z where z.id = $1
    and k.owner = coalesce(z.team_id, z.user_id) and k.name = r.health ->> 'check') then r.health
  else nullif(r.health - 'check', '{}') end`;
const SET = insertList(ownedSets, keysWithout(ownedSets, ['zoneNo']));
const ofRow = (list: string) => list.replace(/\w+/g, 'r.$&');

// A trigger corrects which records are withdrawn when their owners come back.
const returnRecords = statement(
  `insert into records (zone_no, ${RECORD}, health) select $2::integer, ${ofRow(RECORD)}, ${HEALTH} from ${rowsOf('records')}`,
);
const returnSets = statement(
  `insert into owned_sets (zone_no, ${SET}) select $2::integer, ${ofRow(SET)} from ${rowsOf('owned_sets')}`,
);
const returnOwners = statement(
  `insert into record_owners (record_id, set_id, digest) select r.record_id, r.set_id, r.digest from ${rowsOf('record_owners')}`,
);
// A person who changed the rights of a key or trust after the deletion did not see the grant, so it does not come back.
const isUnchanged = (holder: string) => `exists (select from ${holder} h, deleted_zones z where z.id = $1
    and h.id = r.${holder === 'trusts' ? 'trust_id' : 'key_id'} and coalesce(h.rights_changed_at <= z.deleted_at, true))`;
const returnGrants = statement<{ id: string; records: Level }>(`
  insert into key_zone_grants (key_id, zone_id, records) select r.key_id, r.zone_id, r.records from ${rowsOf('key_zone_grants')}
    and ${isUnchanged('api_keys')} returning key_id as id, records`);
const returnTrustGrants = statement<{ id: string; records: Level }>(`
  insert into trust_zone_grants (trust_id, zone_id, records)
  select r.trust_id, r.zone_id, r.records from ${rowsOf('trust_zone_grants')}
    and ${isUnchanged('trusts')} returning trust_id as id, records`);
const returnSecondaries = statement(`
  insert into zone_secondaries (zone_id, secondary, by_administrator, by_owner, listed_at)
  select r.zone_id, r.secondary, r.by_administrator, r.by_owner, r.listed_at from ${rowsOf('zone_secondaries')}
    and exists (select from secondaries s where s.name = r.secondary)`);
// A roll continues; its step begins again, because the servers did not serve the zone meanwhile.
const returnKeys = statement(`
  insert into zone_keys (zone_id, algorithm, public_key, private_key, state, since, look_at, created_at,
    roll_cancelled_at)
  select $1, r.algorithm, r.public_key, r.private_key, r.state, $2::timestamptz,
    case when r.look_at is not null then $2::timestamptz end, r.created_at, r.roll_cancelled_at from ${rowsOf('zone_keys')} order by r.id`);
const forget = statement('delete from deleted_zones where id = $1');

/** The keys and trusts that have a right on the zone again. */
export interface ReturnedGrants {
  keys: readonly { id: string; records: Level }[];
  trusts: readonly { id: string; records: Level }[];
}

/**
 * Gives a zone, which insertDeletedZone made, its rows back, and forgets that it was deleted. Grants of keys and trusts
 * whose rights were changed since the deletion stay away.
 */
export async function returnRows(tx: Tx, zone: { id: string; no: number }, now: Date): Promise<ReturnedGrants> {
  await returnRecords(tx, zone.id, zone.no);
  await returnSets(tx, zone.id, zone.no);
  await returnOwners(tx, zone.id);
  const keys = await returnGrants(tx, zone.id);
  const trusts = await returnTrustGrants(tx, zone.id);
  await returnSecondaries(tx, zone.id);
  await returnKeys(tx, zone.id, now.toISOString());
  await forget(tx, zone.id);
  return { keys, trusts };
}

const lockHolders = (holder: string) =>
  statement<{ id: string }>(`select id from ${holder} where id = any($1::text[]) order by id for share`);
const withdraw = (grants: string, column: string, holder: string) =>
  statement<{ id: string }>(`
    delete from ${grants} g using ${holder} h
    where g.zone_id = $1 and g.${column} = any($2::text[]) and h.id = g.${column} and h.rights_changed_at > $3
    returning h.id`);
const holders = {
  keys: { lock: lockHolders('api_keys'), withdraw: withdraw('key_zone_grants', 'key_id', 'api_keys') },
  trusts: { lock: lockHolders('trusts'), withdraw: withdraw('trust_zone_grants', 'trust_id', 'trusts') },
};

/**
 * Takes back the grants of keys and trusts whose rights another transaction changed after returnRows had read them. It
 * waits for the transactions that change them now, and those that come later wait for this one, so call it as late as
 * possible.
 * @returns the grants that stay
 */
export async function withdrawChanged(
  tx: Tx,
  zoneId: string,
  deletedAt: Date,
  returnedGrants: ReturnedGrants,
): Promise<ReturnedGrants> {
  const remainingGrants = { ...returnedGrants };
  for (const kind of ['keys', 'trusts'] as const) {
    const ids = returnedGrants[kind].map(({ id }) => id);
    if (ids.length === 0) continue;
    await holders[kind].lock(tx, ids);
    const withdrawnIds = new Set(
      (await holders[kind].withdraw(tx, zoneId, ids, deletedAt.toISOString())).map(({ id }) => id),
    );
    remainingGrants[kind] = returnedGrants[kind].filter(({ id }) => !withdrawnIds.has(id));
  }
  return remainingGrants;
}

const selectGrants = {
  keys: statement<{ id: string; grants: Grant[] }>(`
    select key_id as id, json_agg(json_build_object('zoneId', zone_id, 'records', records) order by zone_id) as grants
    from key_zone_grants where key_id = any($1::text[]) group by key_id`),
  trusts: statement<{ id: string; grants: Grant[] }>(`
    select trust_id as id, json_agg(json_build_object('zoneId', zone_id, 'records', records) order by zone_id) as grants
    from trust_zone_grants where trust_id = any($1::text[]) group by trust_id`),
};

/** All grants of these keys or trusts. */
export async function readGrants(
  tx: Tx,
  kind: 'keys' | 'trusts',
  ids: readonly string[],
): Promise<readonly { id: string; grants: Grant[] }[]> {
  return ids.length === 0 ? [] : selectGrants[kind](tx, ids);
}

const forgetNamed = statement('delete from deleted_zones where name = $1');

/** Forgets all deleted zones with this name. */
export async function forgetDeletedZones(tx: Tx, name: string): Promise<void> {
  await forgetNamed(tx, name);
}

const dropRows = statement(`
  delete from deleted_zone_rows where ctid = any(array(select r.ctid from deleted_zones z join deleted_zone_rows r on r.zone_id = z.id
    where z.until < $1::timestamptz limit $2)) returning 1 as one`);
const dropZones = statement(`
  delete from deleted_zones where id in (select id from deleted_zones z where z.until < $1::timestamptz
    and not exists (select from deleted_zone_rows r where r.zone_id = z.id) limit $2) returning 1 as one`);
const dropKeys = statement(`
  delete from deleted_zone_rows where ctid = any(array(select r.ctid from deleted_zones z join deleted_zone_rows r on r.zone_id = z.id
    where z.until < $1::timestamptz and r.origin = 'zone_keys' limit $2)) returning 1 as one`);

/**
 * Deletes the private keys of zones whose quarantine has ended.
 * @returns how many, at most `limit`, as the next ones
 */
export async function dropEndedZoneKeys(db: Db | Tx, now: Date, limit: number): Promise<number> {
  return (await dropKeys(db, now.toISOString(), limit)).length;
}

/** Deletes the rows of these zones. */
export async function dropEndedRows(db: Db | Tx, now: Date, limit: number): Promise<number> {
  return (await dropRows(db, now.toISOString(), limit)).length;
}

/** Deletes those of these zones that have no rows left. */
export async function dropEndedZones(db: Db | Tx, now: Date, limit: number): Promise<number> {
  return (await dropZones(db, now.toISOString(), limit)).length;
}

const lastDeletion = statement<{ id: string | null }>(
  `select max(id) as id from changes where zone_id = $1 and action = 'zone.delete'`,
);

/** The change that deleted the zone; null: the history is gone. */
export async function findDeletion(tx: Tx, zoneId: string): Promise<number | null> {
  const [row] = await lastDeletion(tx, zoneId);
  return row?.id == null ? null : Number(row.id);
}
