// Rows of clusters: heartbeats, lists, and the changes that people make. The clock is that of the database. No right is
// known here.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

export interface ClusterRow {
  /** Id of the team or person. */
  owner: string;
  name: string;
  /** The Kubernetes cluster that has the name; null if its operator did not say. */
  instance: string | null;
  /** The key, or the subject of a trust, that has the name; null: none, so the next one gets it. */
  heldBy: string | null;
  /** Times are in ms since 1970. */
  heartbeatAt: number;
  drainedAt: number | null;
  lostAt: number | null;
  /** Whether all records of the cluster are served, or not served, as its state says. */
  isSettled: boolean;
  createdAt: number;
  /** By the last heartbeat that told them; null: none did. */
  objects: ObjectCounts | null;
}

/** The DNSZone and DNSRecord objects of the owner in the cluster. */
export interface ObjectCounts {
  total: number;
  notReady: number;
}

const MS = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`;
const COLUMNS = `owner, name, instance, held_by as "heldBy", ${MS('heartbeat_at')} as "heartbeatAt", ${MS('drained_at')} as "drainedAt",
  ${MS('lost_at')} as "lostAt", unmarked_since is null as "isSettled", ${MS('created_at')} as "createdAt", objects`;

/**
 * Whether the key $3 may send a heartbeat of the Kubernetes cluster $4: the key that has the name may, and after a loss
 * also for another Kubernetes cluster; another key may for the same Kubernetes cluster.
 */
const MAY_BEAT = `(coalesce(clusters.held_by = $3, true) and (coalesce($4::text = clusters.instance, true) or clusters.lost_at is not null)
  or coalesce($4::text = clusters.instance, false))`;

const beat = statement<ClusterRow>(`
  with written as (
    update clusters set heartbeat_at = now(), lost_at = null, held_by = $3,
      instance = coalesce($4::text, clusters.instance), objects = coalesce($5::jsonb, clusters.objects),
      unmarked_since = case when clusters.lost_at is null then clusters.unmarked_since else clock_timestamp() end,
      settle_xid = case when clusters.lost_at is null then clusters.settle_xid end
    where owner = $1 and name = $2 and ${MAY_BEAT}
      and (clusters.lost_at is not null or clusters.held_by is distinct from $3
        or abs(extract(epoch from now() - clusters.heartbeat_at)) >= 1 or clusters.instance is null and $4::text is not null)
    returning *)
  select ${COLUMNS} from written union all
  select ${COLUMNS} from clusters where owner = $1 and name = $2 and not exists (select from written)`);

/** A heartbeat of a key. */
export interface Beat {
  owner: string;
  name: string;
  keyId: string;
  /** Null: the operator does not say. */
  instance: string | null;
  objects: ObjectCounts | null;
}

const jsonOf = (objects: ObjectCounts | null) => (objects === null ? null : JSON.stringify(objects));

/**
 * Notes a heartbeat of a known cluster, at most one a second. A cluster that was lost is no longer lost. Writes nothing
 * if the name belongs to another key or another instance: the row that is returned has that key or instance.
 * @returns null if there is no such cluster
 */
export async function writeHeartbeat(
  db: Db,
  { owner, name, keyId, instance, objects }: Beat,
): Promise<ClusterRow | null> {
  return (await beat(db, owner, name, keyId, instance, jsonOf(objects)))[0] ?? null;
}

const insertCluster = statement<ClusterRow>(`
  insert into clusters (owner, name, held_by, instance, objects) select $1, $2, $3, $4::text, $5::jsonb
  where (select count(*) from clusters where owner = $1) < $6::integer
  on conflict (owner, name) do nothing returning ${COLUMNS}`);

/**
 * Adds a cluster with its first heartbeat.
 * @returns null if the owner has `limit` clusters, or there is such a cluster now
 */
export async function addCluster(
  db: Db,
  { owner, name, keyId, instance, objects }: Beat,
  limit: number,
): Promise<ClusterRow | null> {
  return (await insertCluster(db, owner, name, keyId, instance, jsonOf(objects), limit))[0] ?? null;
}

const release = statement<{ heldBy: string | null }>(`
  with before as (select * from clusters where owner = $1 and name = $2 for update)
  update clusters c set held_by = null, instance = null from before
  where c.owner = before.owner and c.name = before.name returning before.held_by as "heldBy"`);

/**
 * Gives the name to the next key that sends a heartbeat.
 * @returns the key that had it; undefined if there is no such cluster
 */
export async function releaseClusterName(tx: Tx, owner: string, name: string): Promise<string | null | undefined> {
  return (await release(tx, owner, name))[0]?.heldBy;
}

const selectOf = statement<ClusterRow>(
  `select ${COLUMNS} from clusters where owner = any($1::text[]) order by name, owner`,
);

/** All clusters of some owners, by name. */
export async function listOwnedClusters(on: Db | Tx, owners: readonly string[]): Promise<readonly ClusterRow[]> {
  return selectOf(on, owners);
}

// A second drain changes nothing, so it finishes what an earlier one has left.
const setDrained = statement<ClusterRow & { changed: boolean }>(`
  with before as (select * from clusters where owner = $1 and name = $2 for update), written as (
    update clusters c set drained_at = case when $3::boolean then now() end, unmarked_since = clock_timestamp(), settle_xid = null
    from before where c.owner = before.owner and c.name = before.name and (before.drained_at is not null) <> $3::boolean
    returning c.*)
  select ${COLUMNS}, true as changed from written union all
  select ${COLUMNS}, false as changed from before where not exists (select from written)`);

/** @returns null if there is no such cluster */
export async function writeDrained(
  tx: Tx,
  owner: string,
  name: string,
  isDrained: boolean,
): Promise<{ cluster: ClusterRow; changed: boolean } | null> {
  const [row] = await setDrained(tx, owner, name, isDrained);
  if (!row) return null;
  const { changed, ...cluster } = row;
  return { cluster, changed };
}

const countStates = statement<{ active: number; drained: number; lost: number; unsettled: number }>(`
  select (count(*) filter (where drained_at is null and lost_at is null))::integer as active,
    (count(*) filter (where drained_at is not null))::integer as drained,
    (count(*) filter (where drained_at is null and lost_at is not null))::integer as lost,
    coalesce(extract(epoch from now() - min(unmarked_since)), 0)::float8 as unsettled
  from clusters`);

export interface ClusterCounts {
  active: number;
  drained: number;
  /** Without the drained ones. */
  lost: number;
  /** Since when the records of some cluster are not yet as its state says, in seconds; 0: all are. */
  unsettled: number;
}

export async function countClusters(db: Db): Promise<ClusterCounts> {
  return (await countStates(db))[0] as ClusterCounts;
}

/** At most so many sets are counted. */
const COUNTED = 1_000;

const countSets = statement<{ sets: number }>(`
  select count(*)::integer as sets from (
    select from zones z join owned_sets s on s.zone_no = z.no
    where (z.team_id = $1 or z.user_id = $1) and s.owner >= $2 collate "C" and s.owner < $3 collate "C" limit ${COUNTED}) counted`);

/** The sets of the cluster's owners in all zones of the team or person; 1000 stands for more as well. */
export async function countClusterSets(tx: Tx, owner: string, name: string): Promise<number> {
  return (await countSets(tx, owner, `k8s:${name}/`, `k8s:${name}0`))[0]?.sets ?? 0;
}

const lockTable = statement('lock table clusters in access exclusive mode');

/**
 * Waits for the transactions that have seen the states of clusters, and keeps others from them: the trigger of a write
 * under way may have withdrawn its records because of a cluster that is about to be removed, and no operator would
 * correct them afterwards.
 */
export async function lockStates(tx: Tx): Promise<void> {
  await lockTable(tx);
}

const selectSilent = statement(
  `select from clusters where owner = $1 and name = $2 and heartbeat_at < now() - $3::float8 * interval '1 millisecond'`,
);

/** Whether the cluster has sent no heartbeat for so long. */
export async function isSilent(tx: Tx, owner: string, name: string, silentMs: number): Promise<boolean> {
  return (await selectSilent(tx, owner, name, silentMs)).length > 0;
}

const remove = statement<{ one: number }>(`
  delete from clusters where owner = $1 and name = $2 and heartbeat_at < now() - $3::float8 * interval '1 millisecond'
  returning 1 as one`);

/** @returns false if the cluster was not silent for so long */
export async function deleteClusterRow(tx: Tx, owner: string, name: string, silentMs: number): Promise<boolean> {
  return (await remove(tx, owner, name, silentMs)).length > 0;
}
