// What ALIAS targets resolve to: taking due targets in hand, keeping what they resolved to, and telling the zones that
// serve it. Rows are made by a trigger on records (migration 0003). Knows no resolver.
import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';

/** The answer as it is stored and served. */
export interface AliasAnswer {
  ipv4: string[];
  ipv6: string[];
  /** Seconds. */
  ttl: number;
}

export interface DueTarget extends AliasAnswer {
  /** Absolute, lower case, with final dot. */
  target: string;
  /** Whether it was ever resolved. */
  known: boolean;
  /** In a row. */
  failures: number;
}

/**
 * Takes targets in hand that are due, the longest due first, at most `limit`: for `leaseMs` no other replica takes them.
 * Targets that no record has had for a while are dropped instead.
 */
export async function takeDueTargets(db: Db, limit: number, leaseMs: number): Promise<DueTarget[]> {
  const rows = await db.execute(sql`
    with due as (
      select target, exists (select from records r where r.type = 'ALIAS' and r.rdata = a.target) as wanted
      from alias_answers a where due_at <= now() order by due_at limit ${limit} for update skip locked
    ), dropped as (
      -- The delay spares a row that was made ahead of its record.
      delete from alias_answers a using due where a.target = due.target and not due.wanted
        and a.created_at < now() - interval '1 minute'
    )
    update alias_answers a set due_at = now() + ${`${leaseMs} milliseconds`}::interval
    from due where a.target = due.target and (due.wanted or a.created_at >= now() - interval '1 minute')
    returning a.target, a.ipv4, a.ipv6, a.ttl, a.resolved_at is not null as known, a.failures`);
  return rows as unknown as DueTarget[];
}

/** Makes the row of a target whose record is about to be written, and takes it in hand. Null: the row was there already. */
export async function takeNewTarget(db: Db, target: string, leaseMs: number): Promise<DueTarget | null> {
  const rows = await db.execute(sql`
    insert into alias_answers (target, due_at) values (${target}, now() + ${`${leaseMs} milliseconds`}::interval)
    on conflict do nothing returning target, ipv4, ipv6, ttl, false as known, failures`);
  return (rows[0] as unknown as DueTarget | undefined) ?? null;
}

export interface Resolution extends AliasAnswer {
  /** Null after a success. */
  error: string | null;
  failures: number;
  /** Until the next resolution, in ms. */
  nextMs: number;
}

/** Keeps what a resolution brought. */
export async function keepAliasAnswer(db: Db, target: string, resolution: Resolution): Promise<void> {
  const { ipv4, ipv6, ttl, error, failures, nextMs } = resolution;
  await db.execute(sql`
    update alias_answers set ipv4 = ${array(ipv4)}, ipv6 = ${array(ipv6)}, ttl = ${ttl}, error = ${error},
      failures = ${failures}, due_at = now() + ${`${nextMs} milliseconds`}::interval,
      resolved_at = case when ${error}::text is null then now() else resolved_at end
    where target = ${target}`);
}

// The driver would write a JavaScript array as a list of parameters.
const array = (values: string[]) => sql`${`{${values.join(',')}}`}::text[]`;

const ZONES_AT_ONCE = 200;

/**
 * Marks the zones that serve a target as changed, so that name servers drop them from their caches and secondaries see a
 * new serial. A few hundred a transaction: a target that thousands of zones share must not hold them all locked.
 * @returns how many zones were marked
 */
export async function touchZonesOf(db: Db, target: string, nowSeconds: number): Promise<number> {
  let touched = 0;
  for (let after = 0; ; ) {
    // A zone that is locked is being changed, and will be marked by that change, later than this.
    const rows = await db.execute(sql`
      with wanted as (
        select distinct zone_no as no from records where type = 'ALIAS' and rdata = ${target} and zone_no > ${after}
        order by zone_no limit ${ZONES_AT_ONCE}
      ), free as (
        select z.no from zones z join wanted using (no) for no key update of z skip locked
      ), marked as (
        update zones z set changed_xid = pg_current_xact_id(),
          serial = case when z.serial < ${nowSeconds} then ${nowSeconds}::bigint else z.serial % 4294967295 + 1 end
        from free where z.no = free.no returning 1
      )
      select (select max(no) from wanted) as last, (select count(*) from marked) as marked,
        (select count(*) from wanted) as seen`);
    const [row] = rows;
    touched += Number(row?.marked ?? 0);
    if (Number(row?.seen ?? 0) < ZONES_AT_ONCE) return touched;
    after = Number(row?.last);
  }
}

/** Makes rows that are missing though a record wants them: dropping a row and writing its record can cross. */
export async function addMissingTargets(db: Db): Promise<void> {
  await db.execute(sql`
    insert into alias_answers (target)
    select distinct r.rdata from records r where r.type = 'ALIAS'
      and not exists (select from alias_answers a where a.target = r.rdata)
    on conflict do nothing`);
}

export interface AliasCounts {
  targets: number;
  /** Whose last resolution did not work. */
  failing: number;
}

export async function countTargets(db: Db): Promise<AliasCounts> {
  const rows = await db.execute(
    sql`select count(*)::int as targets, count(*) filter (where failures > 0)::int as failing from alias_answers`,
  );
  return rows[0] as unknown as AliasCounts;
}
