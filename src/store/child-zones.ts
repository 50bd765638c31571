// The order in which name servers get a child zone and its delegation. A new child zone is not delegated before every
// name server answers it, and a deleted one is answered until no name server delegates it any more:
//
//     created    zones.delegation_xid, delegation_due are set  nodes get the zone; the parent does not delegate it
//     delegated  both are null                                 the parent delegates it
//     deleted    a row of departing_zones                      the parent does not delegate it; nodes still have the
//                                                              zone
//     gone       the row is deleted, and the feed says `gone`  nodes remove the zone
//
// Without a living node there is nothing to wait for: a zone is delegated, or gone, in the transaction that creates or
// deletes it.
import type { Db, Tx } from './database.ts';
import { LIVING_NODES } from './nodes.ts';
import { statement } from './statement.ts';

/** A new child zone is delegated after so many seconds in any case: a silent node is not living after the same time. */
const MAX_DELEGATION_SECONDS = 30;
/** A deleted child zone is gone after so many seconds in any case. */
const MAX_DEPARTURE_SECONDS = 5;
const HAS_LIVING = `exists (select from (${LIVING_NODES}) living)`;

const setAwaiting = statement<{ id: string }>(`
  update zones set delegation_xid = pg_current_xact_id(),
    delegation_due = statement_timestamp() + interval '${MAX_DELEGATION_SECONDS} s'
  where id = $1 and ${HAS_LIVING} returning id`);

/**
 * Keeps the parent of a new zone from delegating it.
 * @returns false if no node is living, and the zone is delegated now
 */
export async function awaitDelegation(tx: Tx, zoneId: string): Promise<boolean> {
  return (await setAwaiting(tx, zoneId)).length > 0;
}

const insertDeparture = statement<{ id: string }>(`
  insert into departing_zones (zone_id, zone_name, due)
  select id, name, statement_timestamp() + interval '${MAX_DEPARTURE_SECONDS} s' from zones where id = $1 and ${HAS_LIVING}
  returning zone_id as id`);

/** Lets nodes keep a zone that this transaction deletes after this call. @returns false if no node is living */
export async function beginDeparture(tx: Tx, zoneId: string): Promise<boolean> {
  return (await insertDeparture(tx, zoneId)).length > 0;
}

const END_DEPARTURES = `insert into feed_changes (kind, zone_id, zone_name) select 'gone', zone_id, zone_name from gone`;
const endNamed = statement(`
  with gone as (delete from departing_zones where zone_name = $1 returning zone_id, zone_name) ${END_DEPARTURES} where zone_id <> $2`);
const endOne = statement(`
  with gone as (delete from departing_zones where zone_id = $1 returning zone_id, zone_name) ${END_DEPARTURES}`);

/** Ends the departures of a name that a zone has again. Nodes keep the zone with this id. */
export async function endDepartures(tx: Tx, name: string, zoneId: string): Promise<void> {
  await endNamed(tx, name, zoneId);
}

/** Tells the nodes to remove a deleted zone. */
export async function endDeparture(db: Db, zoneId: string): Promise<void> {
  await endOne(db, zoneId);
}

/** A zone that waits for the nodes. */
export interface WaitingZone {
  kind: 'delegation' | 'departure';
  id: string;
  name: string;
  /** The transaction that every living node must have applied. */
  xid: bigint;
  /** Whether it has waited long enough. */
  isDue: boolean;
}

const MAX_WAITING = 500;
const selectWaiting = statement<Omit<WaitingZone, 'xid'> & { xid: string }>(`
  (select 'delegation' as kind, id, name, delegation_xid::text as xid, delegation_due <= statement_timestamp() as "isDue"
    from zones where delegation_due is not null order by delegation_due limit ${MAX_WAITING})
  union all
  (select 'departure', zone_id, zone_name, xid::text, due <= statement_timestamp() from departing_zones order by due limit ${MAX_WAITING})`);

/** The zones that wait, the oldest first: at most 500 of each kind. */
export async function waitingZones(db: Db): Promise<WaitingZone[]> {
  return (await selectWaiting(db)).map((row) => ({ ...row, xid: BigInt(row.xid) }));
}

const setDelegated = statement<{ name: string }>(`
  update zones set delegation_xid = null, delegation_due = null where id = $1 and delegation_due is not null returning name`);

/** Lets the parent delegate the zone. @returns its name; null if it does not wait, or does not exist */
export async function endAwaiting(tx: Tx, zoneId: string): Promise<string | null> {
  return (await setDelegated(tx, zoneId))[0]?.name ?? null;
}
