// The answers of ALIAS targets: takes the due ones, stores the addresses that they resolved to, and marks the zones
// that serve them. A trigger on records creates the rows.
import type { Db } from './database.ts';
import { milliseconds, type OwnedTarget, takesDue } from './due-targets.ts';
import { MAX_NAMES } from './feed-changes.ts';
import { statement } from './statement.ts';

/** The answer as it is stored and served. */
export interface AliasAnswer {
  ipv4: string[];
  ipv6: string[];
  /** Seconds. */
  ttl: number;
}

export interface DueTarget extends OwnedTarget, AliasAnswer {
  /** Whether it was ever resolved. */
  known: boolean;
  /** In a row. */
  failures: number;
}

/** Takes due targets. */
export const takeDueTargets = takesDue<DueTarget>({
  table: 'alias_answers',
  wanted: `select from records r join zones z on z.no = r.zone_no
      where r.type = 'ALIAS' and r.rdata = a.target and coalesce(z.team_id, z.user_id) = a.owner`,
  returning: 'a.target, a.owner, a.ipv4, a.ipv6, a.ttl, a.resolved_at is not null as known, a.failures',
});

const takeNew = statement<DueTarget>(`
  insert into alias_answers (target, owner, due_at) values ($1, $2, now() + $3::interval)
  on conflict do nothing returning target, owner, ipv4, ipv6, ttl, false as known, failures`);

/** Makes the row of a target whose record is about to be written, and takes it. Null: the row was there already. */
export async function takeNewTarget(
  db: Db,
  { target, owner }: OwnedTarget,
  leaseMs: number,
): Promise<DueTarget | null> {
  return (await takeNew(db, target, owner, milliseconds(leaseMs)))[0] ?? null;
}

export interface Resolution extends AliasAnswer {
  /** Null after a success. */
  error: string | null;
  failures: number;
  /** Until the next resolution, in ms. */
  nextMs: number;
}

const keep = statement<{ mark: string | null }>(`
  update alias_answers set ipv4 = $3::text[], ipv6 = $4::text[], ttl = $5, error = $6::text, failures = $7,
    due_at = now() + $8::interval, resolved_at = case when $6::text is null then now() else resolved_at end,
    unmarked_since = case when $9::boolean then clock_timestamp() else unmarked_since end
  where target = $1 and owner = $2 returning unmarked_since::text as mark`);

/**
 * Stores the result of a resolution.
 * @param isChanged whether the addresses or the TTL change
 * @returns with a change, its mark for {@link markOwnedZones}: until that is done for all zones, the row says so, also
 * after a crash
 */
export async function keepAliasAnswer(
  db: Db,
  { target, owner }: OwnedTarget,
  resolution: Resolution,
  isChanged: boolean,
): Promise<string | null> {
  const { ipv4, ipv6, ttl, error, failures, nextMs } = resolution;
  const [row] = await keep(db, target, owner, ipv4, ipv6, ttl, error, failures, milliseconds(nextMs), isChanged);
  return isChanged ? (row?.mark ?? null) : null;
}

const ZONES_AT_ONCE = 200;

interface MarkedZones {
  seen: number;
  marked: number;
  last: number | null;
  /** The numbers of zones that another transaction has locked. */
  locked: number[] | null;
}

/**
 * @param which the zones among those with the target
 * @param lockClause how to treat a zone that is locked
 */
const markZones = (which: string, lockClause: 'skip locked' | '') =>
  statement<MarkedZones>(`
  with wanted as (
    select r.zone_no as no, array_agg(distinct r.name) as names from records r join zones z on z.no = r.zone_no
    where r.type = 'ALIAS' and r.rdata = $1 and r.zone_no ${which} $4::integer and coalesce(z.team_id, z.user_id) = $2
    group by r.zone_no order by r.zone_no limit ${ZONES_AT_ONCE}
  ), free as (
    select z.no, z.id, wanted.names from zones z join wanted using (no) for no key update of z ${lockClause}
  ), marked as (
    update zones z set changed_xid = pg_current_xact_id(),
      serial = case when z.serial < $3::bigint then $3::bigint else z.serial % 4294967295 + 1 end
    from free where z.no = free.no returning 1
  ), announced as (
    insert into feed_changes (kind, zone_id, names)
    select 'changed', id, case when cardinality(names) <= ${MAX_NAMES} then names end from free
  )
  select (select max(no) from wanted) as last, (select count(*)::integer from marked) as marked,
    (select count(*)::integer from wanted) as seen,
    (select array_agg(no) from wanted where no not in (select no from free)) as locked`);
const markFreeZones = markZones('>', 'skip locked');
const markZone = markZones('=', '');
const endMark = statement(`
  update alias_answers set unmarked_since = null where target = $1 and owner = $2 and unmarked_since = $3::timestamptz`);

/**
 * Marks the owner's zones that serve a target as changed, so that name servers read the new addresses and secondaries
 * see a new serial. A few hundred a transaction: a target that thousands of zones share must not hold them all locked.
 * Zones that are being changed meanwhile are marked last, each with a wait.
 * @param mark the result of keepAliasAnswer
 * @returns how many zones were marked
 * @throws SQLSTATE 55P03 if a zone stays locked; {@link unmarkedTargets} has the target then
 */
export async function markOwnedZones(
  db: Db,
  { target, owner }: OwnedTarget,
  mark: string,
  nowSeconds: number,
): Promise<number> {
  let total = 0;
  const lockedNos: number[] = [];
  for (let after = 0; ; ) {
    const [zones] = (await markFreeZones(db, target, owner, nowSeconds, after)) as readonly [MarkedZones];
    total += zones.marked;
    lockedNos.push(...(zones.locked ?? []));
    if (zones.seen < ZONES_AT_ONCE) break;
    after = zones.last ?? after;
  }
  for (const no of lockedNos) {
    const [zone] = await markZone(db, target, owner, nowSeconds, no);
    total += zone?.marked ?? 0;
  }
  await endMark(db, target, owner, mark);
  return total;
}

const selectUnmarked = statement<OwnedTarget & { mark: string }>(`
  select target, owner, unmarked_since::text as mark from alias_answers
  where unmarked_since < now() - $1::interval order by unmarked_since limit 100`);

/**
 * Targets whose zones are not completely marked for `olderMs`, because a process ended or a zone stayed locked; at most
 * 100.
 */
export async function unmarkedTargets(db: Db, olderMs: number): Promise<(OwnedTarget & { mark: string })[]> {
  return [...(await selectUnmarked(db, milliseconds(olderMs)))];
}

const insertMissing = statement(`
  insert into alias_answers (target, owner)
  select distinct r.rdata, coalesce(z.team_id, z.user_id) from records r join zones z on z.no = r.zone_no
  where r.type = 'ALIAS' and not exists (
    select from alias_answers a where a.target = r.rdata and a.owner = coalesce(z.team_id, z.user_id))
  on conflict do nothing`);

/** Makes rows that are missing though a record wants them: dropping a row and writing its record can cross. */
export async function addMissingTargets(db: Db): Promise<void> {
  await insertMissing(db);
}

interface AliasCounts {
  targets: number;
  /** The number of targets whose last resolution failed. */
  failing: number;
}

const count = statement<AliasCounts>(
  'select count(*)::int as targets, count(*) filter (where failures > 0)::int as failing from alias_answers',
);

export async function countTargets(db: Db): Promise<AliasCounts> {
  return (await count(db))[0] ?? { targets: 0, failing: 0 };
}
