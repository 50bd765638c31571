// The quota of an owner, a team or a person, and how much of it is used. The rules are in service/accounts/quota.ts.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import type { Growth } from './zones.ts';

/** The owner of the quota: one of both is null. */
export interface QuotaOwner {
  teamId: string | null;
  userId: string | null;
}

/** A team's own numbers; null: the service's. */
export interface OwnQuota {
  zones: number | null;
  records: number | null;
  bytes: number | null;
  keys: number | null;
  members: number | null;
}

const QUOTA_COLUMNS = `quota_zones as zones, quota_records::float8 as records, quota_bytes::float8 as bytes, quota_keys as keys,
  quota_members as members`;

const selectTeamQuota = statement<OwnQuota & { name: string }>(
  `select name, ${QUOTA_COLUMNS} from teams where id = $1`,
);
const lockTeamQuota = statement<OwnQuota & { name: string }>(
  `select name, ${QUOTA_COLUMNS} from teams where id = $1 for no key update`,
);
const lockPersonRow = statement<{ name: string }>('select name from users where id = $1 for no key update');
const selectPersonRow = statement<{ name: string }>('select name from users where id = $1');

const NONE: OwnQuota = { zones: null, records: null, bytes: null, keys: null, members: null };

/** The name of the team, null for a person, and the team's own numbers. */
export type OwnerQuota = OwnQuota & { team: string | null };

export async function readOwnerQuota(db: Db | Tx, { teamId, userId }: QuotaOwner): Promise<OwnerQuota> {
  const [row] = teamId === null ? await selectPersonRow(db, userId) : await selectTeamQuota(db, teamId);
  return { ...NONE, ...row, team: teamId === null ? null : (row?.name ?? '') };
}

/**
 * The same with the owner's row locked until the transaction ends: one change at a time asks for more of a quota. A
 * transaction that holds a zone's row may take this lock, and one that holds this lock must not wait for the row of a
 * zone.
 */
export async function lockOwnerQuota(tx: Tx, { teamId, userId }: QuotaOwner): Promise<OwnerQuota> {
  const [row] = teamId === null ? await lockPersonRow(tx, userId) : await lockTeamQuota(tx, teamId);
  return { ...NONE, ...row, team: teamId === null ? null : (row?.name ?? '') };
}

/** The usage of all zones of an owner. */
interface ZoneUsage extends Growth {
  zones: number;
}

const selectUsage = statement<ZoneUsage>(`
  select count(*)::integer as zones, coalesce(sum(record_count), 0)::float8 as records,
    coalesce(sum(stored_bytes), 0)::float8 as bytes
  from zones where team_id = $1 or user_id = $2`);

export async function zoneUsage(db: Db | Tx, { teamId, userId }: QuotaOwner): Promise<ZoneUsage> {
  const [row] = await selectUsage(db, teamId, userId);
  return row as ZoneUsage;
}

/** The usage of the other zones of an owner. */
interface OtherZones {
  held: Growth;
  /** The usage that they have or may still reach without another check. */
  reserved: Growth;
}

const selectOthers = statement<Record<'records' | 'bytes' | 'reservedRecords' | 'reservedBytes', number>>(`
  select coalesce(sum(record_count), 0)::float8 as records, coalesce(sum(stored_bytes), 0)::float8 as bytes,
    coalesce(sum(greatest(record_count, record_room)), 0)::float8 as "reservedRecords",
    coalesce(sum(greatest(stored_bytes, byte_room)), 0)::float8 as "reservedBytes"
  from zones where (team_id = $1 or user_id = $2) and id <> $3`);

export async function otherZones(tx: Tx, { teamId, userId }: QuotaOwner, zoneId: string): Promise<OtherZones> {
  const [row] = await selectOthers(tx, teamId, userId, zoneId);
  const { records = 0, bytes = 0, reservedRecords = 0, reservedBytes = 0 } = row ?? {};
  return { held: { records, bytes }, reserved: { records: reservedRecords, bytes: reservedBytes } };
}

const takeBack = statement(`
  update zones z set record_room = z.record_count, byte_room = z.stored_bytes
  from (select id from zones where (team_id = $1 or user_id = $2) and id <> $3
      and (record_room > record_count or byte_room > stored_bytes)
    for no key update skip locked) spare
  where z.id = spare.id`);

/**
 * Takes back what other zones of the owner reserved and do not use. A zone that is being changed at this moment keeps
 * it.
 */
export async function takeBackRoom(tx: Tx, { teamId, userId }: QuotaOwner, zoneId: string): Promise<void> {
  await takeBack(tx, teamId, userId, zoneId);
}

const updateRoom = statement('update zones set record_room = $2, byte_room = $3 where id = $1');

/** How far the zone may grow from now on. Its row is locked. */
export async function setRoom(tx: Tx, zoneId: string, room: Growth): Promise<void> {
  await updateRoom(tx, zoneId, room.records, room.bytes);
}

const sumOctets = statement<{ octets: number }>(`
  select coalesce(sum(octet_length(name) + octet_length(content)
    + case when $3::boolean then coalesce(octet_length(comment), 0) else 0 end), 0)::float8 as octets
  from records where zone_no = $1 and id = any($2::text[])`);

/** Octets of the names and contents of some records of a zone, and of their comments if these go with them. */
export async function sumStoredOctets(
  tx: Tx,
  zoneNo: number,
  ids: readonly string[],
  { withComments }: { withComments: boolean },
): Promise<number> {
  return ids.length === 0 ? 0 : ((await sumOctets(tx, zoneNo, ids, withComments))[0]?.octets ?? 0);
}

const VALID = 'revoked_at is null and (expires_at is null or expires_at > $2)';
const selectKeys = statement<{ count: number }>(`
  select ((select count(*) from api_keys where team_id = $1 and trust_id is null and ${VALID})
    + (select count(*) from trusts where team_id = $1 and ${VALID}))::integer as count`);

/** App keys and trusts of a team that are neither revoked nor expired. */
export async function countKeys(db: Db | Tx, teamId: string, now: Date): Promise<number> {
  return (await selectKeys(db, teamId, now.toISOString()))[0]?.count ?? 0;
}

/** Keys of one holder that are revoked or expired and stay listed, the newest. */
const ENDED_KEYS = 1_000;
/** The same of trusts, whose subjects go with them. */
const ENDED_TRUSTS = 100;

const deleteEnded = statement(`
  delete from api_keys where id in (
    select id from api_keys
    where (team_id = $1 or user_id = $2) and trust_id is null and (revoked_at is not null or expires_at <= $3::timestamptz)
    order by coalesce(revoked_at, expires_at) desc offset ${ENDED_KEYS})`);
const deleteEndedTrusts = statement(`
  delete from trusts where id in (
    select id from trusts where team_id = $1 and (revoked_at is not null or expires_at <= $2::timestamptz)
    order by coalesce(revoked_at, expires_at) desc offset ${ENDED_TRUSTS})`);

/**
 * Deletes the oldest unusable keys of a team or a person, and trusts of a team, so that creating and revoking them does
 * not fill the tables.
 */
export async function dropUnusableKeys(tx: Tx, { teamId, userId }: QuotaOwner, now: Date): Promise<void> {
  await deleteEnded(tx, teamId, userId, now.toISOString());
  if (teamId !== null) await deleteEndedTrusts(tx, teamId, now.toISOString());
}

const selectMembers = statement<{ count: number }>(
  'select count(*)::integer as count from memberships where team_id = $1',
);

export async function countMembers(db: Db | Tx, teamId: string): Promise<number> {
  return (await selectMembers(db, teamId))[0]?.count ?? 0;
}

const updateQuota = statement(`
  update teams set quota_zones = $2, quota_records = $3, quota_bytes = $4, quota_keys = $5, quota_members = $6 where id = $1`);

export async function setOwnQuota(tx: Tx, teamId: string, quota: OwnQuota): Promise<void> {
  await updateQuota(tx, teamId, quota.zones, quota.records, quota.bytes, quota.keys, quota.members);
}
