// Targets of records that the api looks up by itself, each when it is due: those of ALIAS records, whose addresses are
// served, and those that the search for dangling names judges. A row is a target and an owner (team or person),
// because the targets of different owners are resolved independently.
import type { Db } from './database.ts';
import { statement } from './statement.ts';
import { milliseconds } from './times.ts';

export interface OwnedTarget {
  /** Absolute, lower case, with final dot. */
  target: string;
  owner: string;
}

export interface DueQuery {
  limit: number;
  /** Targets at once for one owner. */
  each: number;
  /** Targets under way here, by owner. */
  taken: Readonly<Record<string, number>>;
  /** For this time no other replica takes the targets, in ms. */
  leaseMs: number;
}

interface DueTable {
  /** Its columns include target, owner, due_at and created_at; it has an index on (owner, due_at). */
  table: string;
  /** Whether a record wants the target, as a condition on the row `a`. */
  wanted: string;
  /** The columns of a taken row `a`. */
  returning: string;
  /**
   * A column of which each value is taken once only, by an owner at random: an owner with thousands of due targets of
   * one value delays its own. Absent: each target is taken by its turn alone.
   */
  once?: string;
}

/**
 * Returns the function that takes due targets, at most `limit`. Owners take turns, the one with the fewest targets
 * under way first, and within an owner the target that has been due for longest: an owner with ten thousand slow
 * targets delays its own. A target that no record has had for a minute is dropped instead.
 */
export function takesDue<Row extends OwnedTarget>({ table, wanted, returning, once }: DueTable) {
  const turns = 'turns where turn <= $2::integer';
  const candidates =
    once === undefined ? turns : `(select distinct on (${once}) * from ${turns} order by ${once}, turn, random()) t`;
  const take = statement<Row>(`
  with recursive owners(owner) as (
    -- The distinct owners, one index probe each; none when nothing is due.
    (select owner from ${table} where exists (select from ${table} d where d.due_at <= now()) order by owner limit 1)
    union all
    select (select a.owner from ${table} a where a.owner > o.owner order by a.owner limit 1)
    from owners o where o.owner is not null
  ), turns as (
    select d.*, d.place + coalesce(($1::jsonb ->> d.owner)::int, 0) as turn
    from owners o cross join lateral (
      select a.*, row_number() over (order by a.due_at) as place from (
        select * from ${table} where owner = o.owner and due_at <= now() order by due_at limit $2::integer
      ) a
    ) d where o.owner is not null
  ), chosen as (
    select target, owner from ${candidates} order by turn, due_at limit $3::integer
  ), due as (
    select a.target, a.owner, exists (${wanted}) as wanted
    from ${table} a join chosen using (target, owner) where a.due_at <= now() for update of a skip locked
  ), dropped as (
    -- The delay spares a row that was made ahead of its record.
    delete from ${table} a using due where a.target = due.target and a.owner = due.owner and not due.wanted
      and a.created_at < now() - interval '1 minute'
  )
  update ${table} a set due_at = now() + $4::interval
  from due where a.target = due.target and a.owner = due.owner
    and (due.wanted or a.created_at >= now() - interval '1 minute')
  returning ${returning}`);
  return async (db: Db, { limit, each, taken, leaseMs }: DueQuery): Promise<Row[]> => [
    ...(await take(db, JSON.stringify(taken), each, limit, milliseconds(leaseMs))),
  ];
}

export interface HostedZone {
  no: number;
  name: string;
  owner: string;
}

const selectHostedZone = statement<HostedZone>(`
  select no, name, coalesce(team_id, user_id) as owner from zones
  where name = any ($1::text[]) order by length(name) desc limit 1`);

/** The longest hosted zone among `names`, which are a name and its suffixes; null when none is hosted. */
export async function hostedZone(db: Db, names: readonly string[]): Promise<HostedZone | null> {
  return (await selectHostedZone(db, names))[0] ?? null;
}
