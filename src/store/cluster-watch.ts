// Finds lost clusters. Each look writes a row, so it fails whenever heartbeats cannot be written either. After a gap
// between two looks, the silence of all clusters begins again: while the service or its database is down, no cluster
// can send a heartbeat.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface WatchTimes {
  /** How long a cluster is silent before it is lost. */
  lostMs: number;
  /** A longer time between two looks of any process is a gap. */
  gapMs: number;
}

const find = statement<{ owner: string; name: string; silentSeconds: number }>(`
  with tick as (
    update cluster_watch set ticked_at = now(),
      since = case when abs(extract(epoch from now() - ticked_at)) * 1000 < $2::float8 then since else now() end
    where exists (select from clusters) returning since
  ), silent as (
    select c.owner, c.name from clusters c cross join tick
    where c.lost_at is null and extract(epoch from now() - greatest(c.heartbeat_at, tick.since)) * 1000 >= $1::float8
    order by c.owner, c.name limit $3::integer for update of c skip locked
  )
  update clusters c set lost_at = now(), unmarked_since = clock_timestamp(), settle_xid = null
  from silent where c.owner = silent.owner and c.name = silent.name and c.lost_at is null
  returning c.owner, c.name, extract(epoch from now() - c.heartbeat_at)::float8 as "silentSeconds"`);

const selectAny = statement<{ found: boolean }>('select exists (select from clusters) as found');

/** Whether there is any cluster. */
export async function hasClusters(db: Db): Promise<boolean> {
  return (await selectAny(db))[0]?.found === true;
}

/** Looks once, and marks at most `limit` clusters as lost. Without clusters, nothing is written. */
export async function findLostClusters(
  db: Db,
  { lostMs, gapMs }: WatchTimes,
  limit: number,
): Promise<readonly { owner: string; name: string; silentSeconds: number }[]> {
  return find(db, lostMs, gapMs, limit);
}
