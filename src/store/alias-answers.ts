// The answers of ALIAS targets: takes the due ones, stores the addresses that they resolved to, and marks the zones
// that serve them. A trigger on records creates the rows.
import type { Db } from './database.ts';
import { type OwnedTarget, takesDue } from './due-targets.ts';
import { statement } from './statement.ts';
import { milliseconds } from './times.ts';
import { zoneMarker } from './zone-marks.ts';

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

const markZones = zoneMarker(`r.type = 'ALIAS' and r.rdata = $4`);
const endMark = statement(`
  update alias_answers set unmarked_since = null where target = $1 and owner = $2 and unmarked_since = $3::timestamptz`);

/**
 * Marks the owner's zones that serve a target as changed.
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
  const total = await markZones(db, owner, nowSeconds, target);
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
