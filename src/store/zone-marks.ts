// Marks zones as changed because something changed that their answers depend on and that is not in their rows: the
// addresses of an ALIAS target, the state of a checked address. Name servers then read the names again, and secondaries
// see a new serial.
import type { Db } from './database.ts';
import { MAX_NAMES } from './feed-changes.ts';
import { statement } from './statement.ts';

/** A few hundred a transaction: a change that concerns thousands of zones must not hold them all locked. */
const ZONES_AT_ONCE = 200;

interface MarkedZones {
  seen: number;
  marked: number;
  last: number | null;
  /** The numbers of zones that another transaction has locked. */
  locked: number[] | null;
}

/** @param own the values of $4 and the following parameters of the condition @returns how many zones were marked */
type MarkZones = (db: Db, owner: string, nowSeconds: number, ...own: readonly unknown[]) => Promise<number>;

/**
 * @param condition SQL about the records `r` whose answers change, of the zones of one team or person
 * @returns a function that marks the zones with such records. Zones that are being changed meanwhile are marked last,
 * each with a wait; it throws SQLSTATE 55P03 if one stays locked
 */
export function zoneMarker(condition: string): MarkZones {
  const [markFreeZones, markZone] = [statementFor(condition, '>', 'skip locked'), statementFor(condition, '=', '')];
  return async (db, owner, nowSeconds, ...own) => {
    let total = 0;
    const lockedNos: number[] = [];
    for (let after = 0; ; ) {
      const [zones] = (await markFreeZones(db, owner, nowSeconds, after, ...own)) as readonly [MarkedZones];
      total += zones.marked;
      lockedNos.push(...(zones.locked ?? []));
      if (zones.seen < ZONES_AT_ONCE) break;
      after = zones.last ?? after;
    }
    for (const no of lockedNos) {
      const [zone] = await markZone(db, owner, nowSeconds, no, ...own);
      total += zone?.marked ?? 0;
    }
    return total;
  };
}

/**
 * @param which the zones among those with such records
 * @param lockClause how to treat a zone that is locked
 */
const statementFor = (condition: string, which: string, lockClause: 'skip locked' | '') =>
  statement<MarkedZones>(`
  with wanted as (
    select r.zone_no as no, array_agg(distinct r.name) as names from records r join zones z on z.no = r.zone_no
    where ${condition} and r.zone_no ${which} $3::integer and coalesce(z.team_id, z.user_id) = $1
    group by r.zone_no order by r.zone_no limit ${ZONES_AT_ONCE}
  ), free as (
    select z.no, z.id, wanted.names from zones z join wanted using (no) for no key update of z ${lockClause}
  ), marked as (
    update zones z set changed_xid = pg_current_xact_id(),
      serial = case when z.serial < $2::bigint then $2::bigint else z.serial % 4294967295 + 1 end
    from free where z.no = free.no returning 1
  ), announced as (
    insert into feed_changes (kind, zone_id, names)
    select 'changed', id, case when cardinality(names) <= ${MAX_NAMES} then names end from free
  )
  select (select max(no) from wanted) as last, (select count(*)::integer from marked) as marked,
    (select count(*)::integer from wanted) as seen,
    (select array_agg(no) from wanted where no not in (select no from free)) as locked`);
