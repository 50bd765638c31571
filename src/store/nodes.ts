// The reports of name server nodes as rows. Times are those of the database, because replicas of the api share the
// rows.
import type { Db } from './database.ts';
import { ENDINGS_VERSION } from './endings.ts';
import { EPOCH } from './feed-changes.ts';
import { statement } from './statement.ts';
import { nodeComparisons } from './tables.ts';

/** A node that was silent for this long, in seconds, is not living. */
export const LIVING_SECONDS = 30;
const LIVING = `reported_at > statement_timestamp() - interval '${LIVING_SECONDS} s'`;
const MAX_NODES = 1_000;
/** A node without a volume is a new instance after each restart; this many of one name are remembered. */
const INSTANCES = 8;

/** Zones that a node keeps although the list lacks them. */
export interface HeldZones {
  count: number;
  /** The first of them. */
  zones: readonly { name: string; since: string }[];
  /** The names of the next ones. Not all of them if there are very many. */
  more?: readonly string[] | undefined;
}

export interface NodeReportRow {
  name: string;
  instance: string;
  keyId: string;
  version: string;
  engine: string;
  cursor: string | null;
  epoch: string | null;
  /** A pg_snapshot: the transactions that the node has applied. */
  position: string | null;
  zones: number;
  failingCount: number;
  failing: readonly { id: string; error: string }[];
  held: HeldZones | null;
  startedAt: Date;
  /** The answers since the start of the name server, by result. Null: the node does not say. */
  answers: Readonly<Record<string, number>> | null;
  /** Whether the process ends in an orderly way, and this is its last report. */
  isLeaving: boolean;
}

export interface Reported {
  /** Another instance reported under this name lately. */
  isDuplicate: boolean;
  compare: string | null;
  /** The version of the plan of transfers. */
  transfers: string | null;
  /** The epoch of the database whose removals an administrator accepts. */
  removals: string | null;
  /** The zones that an administrator brings back. */
  salvage: { token: string; zones: string[]; endings: boolean; keysOnly: boolean } | null;
  /** The version of the endings. */
  endings: string;
  /**
   * The age of the oldest change that the node has not applied, in seconds: 0 if it has applied all; null before its
   * first list.
   */
  lagSeconds: number | null;
  /** The age in seconds of each change that the node has applied since its last report, at most 1,000. */
  appliedSeconds: readonly number[];
}

/** `o` is a living node with another key and an earlier claim on the name than the instance $2 with key $3. */
const CLAIMED = (since: string) => `exists (
  select from nodes o join node_keys k on k.id = o.key_id
  where o.name = $1 and o.instance <> $2 and o.key_id <> $3 and o.${LIVING}
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())
    and (o.first_at, o.instance) < (${since}, $2))`;

/** A node that was silent for long has more; the oldest of them count. */
const MAX_APPLIED = 1_000;

const ANSWER = `
  exists (select from nodes o where o.name = $1 and o.instance <> $2 and o.${LIVING}) as "isDuplicate",
  (select token from node_comparisons) as compare, (select version::text from transfer_plan) as transfers,
  (select epoch from accepted_removals) as removals,
  (select json_build_object('token', token, 'zones', zones, 'endings', endings, 'keysOnly', keys_only) from salvage_requests where until > statement_timestamp()) as salvage,
  ${ENDINGS_VERSION} as endings,
  case when $7::pg_snapshot is null then null else coalesce((
    select extract(epoch from statement_timestamp() - f.at)::float8 from feed_changes f
    where f.xid >= pg_snapshot_xmin($7::pg_snapshot) and not pg_visible_in_snapshot(f.xid, $7::pg_snapshot)
    order by f.xid, f.no limit 1), 0) end as "lagSeconds"`;

/**
 * A report under a name that another node holds changes no row. The list of failing zones is written only if it
 * changed. The commit waits neither for the disk nor for a standby, because the next report follows within a second.
 */
const FIRST_AT = `case when n.${LIVING} then n.first_at else statement_timestamp() end`;
/** A node that was restored, or that lost its state, applies a list instead of changes. */
const APPLIED = `select n.applied + count(*), n.applied_seconds + coalesce(sum(extract(epoch from statement_timestamp() - f.at)), 0)
    from feed_changes f where n.epoch = $8 and f.xid >= pg_snapshot_xmin(n.position)
      and not pg_visible_in_snapshot(f.xid, n.position) and pg_visible_in_snapshot(f.xid, $7::pg_snapshot)`;
/** A transaction is one change, however many names it has. */
const AGES = `
  select a.age from nodes n cross join lateral (
    select max(extract(epoch from statement_timestamp() - f.at)::float8) as age from feed_changes f
    where n.epoch = $8 and f.xid >= pg_snapshot_xmin(n.position)
      and not pg_visible_in_snapshot(f.xid, n.position) and pg_visible_in_snapshot(f.xid, $7::pg_snapshot)
    group by f.xid order by f.xid limit ${MAX_APPLIED}) a
  where n.name = $1 and n.instance = $2`;
const updateNode = statement<Reported>(`
  with ages as (${AGES})
  update nodes n set answers = coalesce($13::jsonb, n.answers), (applied, applied_seconds) = (${APPLIED}), key_id = $3, version = $4, engine = $5, cursor = $6, position = $7::pg_snapshot, epoch = $8, zones = $9,
    failing_count = $10, failing = case when n.failing = $11::jsonb then n.failing else $11::jsonb end,
    held = case when n.held = $14::jsonb then n.held else $14::jsonb end,
    started_at = $12::timestamptz, first_at = ${FIRST_AT}, reported_at = statement_timestamp(),
    left_at = case when $15::boolean and n.key_id = $3 then statement_timestamp() end
  where n.name = $1 and n.instance = $2 and not ${CLAIMED(`(${FIRST_AT})`)}
    and set_config('synchronous_commit', 'off', true) = 'off'
  returning ${ANSWER}, to_jsonb(array(select age from ages)) as "appliedSeconds"`);

const insertNode = statement<Reported>(`
  insert into nodes (name, instance, key_id, version, engine, cursor, position, epoch, zones, failing_count, failing, started_at,
    first_at, reported_at, answers, held)
  select $1, $2, $3, $4, $5, $6, $7::pg_snapshot, $8, $9::integer, $10::integer, $11::jsonb, $12::timestamptz,
    statement_timestamp(), statement_timestamp(), $13::jsonb, $14::jsonb
  where not ${CLAIMED('statement_timestamp()')} and (select count(*) from nodes) < ${MAX_NODES}
  on conflict do nothing
  returning ${ANSWER}, '[]'::jsonb as "appliedSeconds"`);

/** The oldest instances of a name beyond the newest ones. */
const dropInstances = statement(`
  delete from nodes where (name, instance) in (
    select name, instance from nodes where name = $1 order by reported_at desc offset ${INSTANCES})`);

/**
 * A node that leaves counts as living for as long as one that falls silent: most come back within seconds, and their
 * name servers may keep answering meanwhile. Only the key of the last report can say that an instance leaves.
 * @returns null if another key holds the name, or there are too many nodes; nothing is written then
 */
export async function writeReport(db: Db, report: NodeReportRow): Promise<Reported | null> {
  const { name, instance, keyId, version, engine, cursor, position, epoch, zones, failingCount, startedAt } = report;
  const failingText = JSON.stringify(report.failing);
  const values = [name, instance, keyId, version, engine, cursor, position, epoch, zones, failingCount, failingText];
  const answers = report.answers === null ? null : JSON.stringify(report.answers);
  const held = report.held === null ? null : JSON.stringify(report.held);
  const parameters = [...values, startedAt.toISOString(), answers, held];
  const [updatedReport] = await updateNode(db, ...parameters, report.isLeaving);
  if (updatedReport) return updatedReport;
  const [insertedReport] = await insertNode(db, ...parameters);
  if (insertedReport) await dropInstances(db, name);
  return insertedReport ?? null;
}

/** Whether the name has a row of another key that is living: the reason why a report was not written. */
const selectHolder = statement<{ keyId: string }>(`
  select key_id as "keyId" from nodes where name = $1 and key_id <> $2 and ${LIVING} order by first_at limit 1`);

export async function holderOfName(db: Db, name: string, keyId: string): Promise<string | null> {
  return (await selectHolder(db, name, keyId))[0]?.keyId ?? null;
}

/**
 * The instances that report. An instance that was replaced does not count: another one of its name began after its last
 * report. Two that take turns do not replace each other.
 */
export const LIVING_NODES = `
  select n.* from nodes n where n.${LIVING}
    and not exists (select from nodes o where o.name = n.name and o.instance <> n.instance and o.first_at > n.reported_at)`;

export interface LivingRow {
  node: string;
  instance: string;
  /** Its DNS server (base/engine-text.ts). */
  engine: string;
  reportedAt: Date;
  /** Whether the position belongs to this database and its current timeline. */
  isHere: boolean;
  /**
   * A pg_snapshot: the transactions that the node has applied, except for failing zones. Null before its first list.
   */
  position: string | null;
  failingCount: number;
  /** Not all of them if there are many. */
  failing: { id: string; error: string }[];
}

const selectLiving = statement<Omit<LivingRow, 'reportedAt'> & { reportedAt: string }>(`
  select n.name as node, n.instance, n.engine, n.reported_at as "reportedAt", coalesce(n.epoch = ${EPOCH}, false) as "isHere",
    n.position::text as position, n.failing_count as "failingCount", n.failing
  from (${LIVING_NODES}) n order by n.name, n.first_at`);

/** The instances that report, by name. */
export async function livingRows(db: Db): Promise<LivingRow[]> {
  const rows = await selectLiving(db);
  return rows.map((row) => ({ ...row, reportedAt: new Date(row.reportedAt) }));
}

const selectChanged = statement<{ zone: string; settings: string }>(`
  select z.changed_xid::text as zone, s.changed_xid::text as settings from zones z cross join service s where z.id = $1`);

/**
 * The transactions that changed the answers of a zone last: one of the zone, and one of the settings of the service. A
 * node that has the one with the higher number may lack the other, which may have committed later. Null: there is no
 * such zone.
 */
export async function changedXids(db: Db, zoneId: string): Promise<bigint[] | null> {
  const [row] = await selectChanged(db, zoneId);
  return row === undefined ? null : [BigInt(row.zone), BigInt(row.settings)];
}

const OLDEST_OPEN = `select f.at from feed_changes f
      where f.xid >= pg_snapshot_xmin(n.position) and not pg_visible_in_snapshot(f.xid, n.position)
      order by f.xid, f.no limit 1`;

const selectBehind = statement<{ node: string; instance: string; since: string; seconds: number }>(`
  select b.* from (select n.name as node, n.instance, o.at as since,
      extract(epoch from statement_timestamp() - o.at)::float8 as seconds
    from (${LIVING_NODES}) n cross join lateral (${OLDEST_OPEN}) o where n.epoch = ${EPOCH}) b`);

/**
 * For each living instance that is behind: when the oldest change was made that it has not applied, and its age in
 * seconds.
 */
export async function behindSince(db: Db): Promise<{ node: string; instance: string; since: Date; seconds: number }[]> {
  return (await selectBehind(db)).map((row) => ({ ...row, since: new Date(row.since) }));
}

export interface NodeRow {
  name: string;
  instance: string;
  keyId: string;
  version: string;
  engine: string;
  isLiving: boolean;
  isDuplicate: boolean;
  /** Whether the last report said that the process ends in an orderly way. */
  isLeft: boolean;
  /** Seconds since the last report. */
  age: number;
  /** As in `Reported`. */
  lagSeconds: number | null;
  zones: number;
  failingCount: number;
  failing: { id: string; error: string }[];
  /** Zones that the list lacks, and that the node keeps. Null: none. */
  held: HeldZones | null;
  /** When its key ends, in seconds since 1970. Null: never. */
  keyExpiresAt: number | null;
}

const selectNodes = statement<NodeRow>(`
  select n.name, n.instance, n.key_id as "keyId", n.version, n.engine, n.zones, n.left_at is not null as "isLeft", n.failing_count as "failingCount", n.failing, n.held,
    l.name is not null as "isLiving",
    (count(l.name) over (partition by n.name)) > 1 and l.name is not null as "isDuplicate",
    extract(epoch from statement_timestamp() - n.reported_at)::float8 as age,
    (select extract(epoch from k.expires_at)::float8 from node_keys k where k.id = n.key_id) as "keyExpiresAt",
    case when n.position is null then null else coalesce((
      select extract(epoch from statement_timestamp() - f.at)::float8 from feed_changes f
      where f.xid >= pg_snapshot_xmin(n.position) and not pg_visible_in_snapshot(f.xid, n.position)
      order by f.xid, f.no limit 1), 0) end as "lagSeconds"
  from nodes n left join (${LIVING_NODES}) l on l.name = n.name and l.instance = n.instance
  order by n.name, n.first_at`);

/** Every instance that is not forgotten. */
export async function allNodes(db: Db): Promise<NodeRow[]> {
  return [...(await selectNodes(db))];
}

/** Forgets the nodes that were silent for a day. */
export const forgetNodes = statement("delete from nodes where reported_at < statement_timestamp() - interval '1 day'");

export async function setComparison(db: Db, token: string, at: Date): Promise<void> {
  await db.build
    .insert(nodeComparisons)
    .values({ token, at })
    .onConflictDoUpdate({ target: nodeComparisons.one, set: { token, at } });
}

const writeAcceptance = statement(`
  insert into accepted_removals (epoch, at) values (${EPOCH}, $1::timestamptz)
  on conflict (one) do update set epoch = excluded.epoch, at = excluded.at`);

/** Accepts the removals by the database as it runs now: not those after a restart or a restore. */
export async function acceptRemovals(db: Db, at: Date): Promise<void> {
  await writeAcceptance(db, at.toISOString());
}

/** Forgets the silent instances of a name. @returns a row for each */
export const forgetNode = statement<{ instance: string }>(
  `delete from nodes where name = $1 and not (${LIVING}) returning instance`,
);
