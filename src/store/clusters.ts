// Rows of clusters: lists, and the changes that people make; heartbeats are in heartbeats.ts. The clock is that of the
// database. No right is known here.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { epochMs } from './times.ts';

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
  /** Since when the objects of the cluster are older than the data of the service; null: they are not. */
  etcdRestoredAt: number | null;
  /** When an owner last accepted that. */
  olderAcceptedAt: number | null;
  /** Whether only operators that do not reach their kube-apiserver have sent heartbeats lately. */
  isControlPlaneAway: boolean;
}

/** The DNSZone and DNSRecord objects of the owner in the cluster. */
export interface ObjectCounts {
  total: number;
  notReady: number;
}

/**
 * Two operator pods may report different things: the leader wins, whose heartbeats are ten seconds apart. So one pod
 * that alone lost its way to kube-apiserver changes nothing.
 */
const AWAY_AFTER_SECONDS = 25;
/** The columns of a {@link ClusterRow}. */
export const CLUSTER_COLUMNS = `owner, name, instance, held_by as "heldBy", ${epochMs('heartbeat_at')} as "heartbeatAt", ${epochMs('drained_at')} as "drainedAt",
  ${epochMs('lost_at')} as "lostAt", unmarked_since is null as "isSettled", ${epochMs('created_at')} as "createdAt", objects,
  ${epochMs('etcd_restored_at')} as "etcdRestoredAt", ${epochMs('older_accepted_at')} as "olderAcceptedAt",
  coalesce(unreachable_at > reachable_at + interval '${AWAY_AFTER_SECONDS} seconds', false) as "isControlPlaneAway"`;

const release = statement<{ heldBy: string | null }>(`
  with before as (select * from clusters where owner = $1 and name = $2 for update)
  update clusters c set held_by = null, instance = null, lease = null, renewals = null from before
  where c.owner = before.owner and c.name = before.name returning before.held_by as "heldBy"`);

/**
 * Gives the name to the next key that sends a heartbeat.
 * @returns the key that had it; undefined if there is no such cluster
 */
export async function releaseClusterName(tx: Tx, owner: string, name: string): Promise<string | null | undefined> {
  return (await release(tx, owner, name))[0]?.heldBy;
}

const selectOf = statement<ClusterRow>(
  `select ${CLUSTER_COLUMNS} from clusters where owner = any($1::text[]) order by name, owner`,
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
  select ${CLUSTER_COLUMNS}, true as changed from written union all
  select ${CLUSTER_COLUMNS}, false as changed from before where not exists (select from written)`);

/** @returns null if the cluster does not exist */
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

const countStates = statement<ClusterCounts>(`
  select (count(*) filter (where drained_at is null and lost_at is null))::integer as active,
    (count(*) filter (where drained_at is not null))::integer as drained,
    (count(*) filter (where drained_at is null and lost_at is not null))::integer as lost,
    coalesce(extract(epoch from now() - min(unmarked_since)), 0)::float8 as unsettled,
    (count(*) filter (where etcd_restored_at is not null))::integer as "etcdRestored",
    (count(*) filter (where lost_at is null
      and unreachable_at > reachable_at + interval '${AWAY_AFTER_SECONDS} seconds'))::integer as "controlPlaneAway"
  from clusters`);

export interface ClusterCounts {
  active: number;
  drained: number;
  /** Without the drained ones. */
  lost: number;
  /** Since when the records of some cluster are not yet as its state says, in seconds; 0: all are. */
  unsettled: number;
  /** Those whose objects are older than the data of the service. */
  etcdRestored: number;
  /** Those whose operators do not reach their kube-apiserver. */
  controlPlaneAway: number;
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

/** Whether the cluster has sent no heartbeat for this long. */
export async function isSilent(tx: Tx, owner: string, name: string, silentMs: number): Promise<boolean> {
  return (await selectSilent(tx, owner, name, silentMs)).length > 0;
}

const remove = statement<{ one: number }>(`
  delete from clusters where owner = $1 and name = $2 and heartbeat_at < now() - $3::float8 * interval '1 millisecond'
  returning 1 as one`);

/** @returns false if the cluster was not silent for this long */
export async function deleteClusterRow(tx: Tx, owner: string, name: string, silentMs: number): Promise<boolean> {
  return (await remove(tx, owner, name, silentMs)).length > 0;
}

// A set that accepts older objects takes the next generation, whichever it is. The zones are locked as a change of
// records does, a few at a time, so that no change waits long.
const acceptOlder = statement<{ last: number }>(`
  with batch as (
    select no from zones z where (z.team_id = $1 or z.user_id = $1) and z.no > $4::integer
      and exists (select from owned_sets s where s.zone_no = z.no and s.owner >= $2 collate "C" and s.owner < $3 collate "C"
        and s.generation is not null and not s.accepts_older)
    order by no limit 20 for no key update
  ), accepting as (
    update owned_sets s set accepts_older = true from batch
    where s.zone_no = batch.no and s.owner >= $2 collate "C" and s.owner < $3 collate "C"
      and s.generation is not null and not s.accepts_older)
  select max(no) as last from batch`);

/**
 * Lets each set of the cluster take the next generation of its object, in the next 20 zones of the team or person.
 * @param after the number of the last zone of the call before; -1 for the first call
 * @returns the number of the last zone; null: no zone is left
 */
export async function letSetsAcceptOlder(tx: Tx, owner: string, name: string, after: number): Promise<number | null> {
  return (await acceptOlder(tx, owner, `k8s:${name}/`, `k8s:${name}0`, after))[0]?.last ?? null;
}

const accept = statement<ClusterRow>(`
  update clusters set etcd_restored_at = null, older_accepted_at = now()
  where owner = $1 and name = $2 returning ${CLUSTER_COLUMNS}`);

/**
 * The objects of the cluster count from now on as they are. The renewals of the Lease stay those of the restored etcd:
 * lower ones tell the next restore.
 * @returns null if the cluster does not exist
 */
export async function writeOlderAccepted(tx: Tx, owner: string, name: string): Promise<ClusterRow | null> {
  return (await accept(tx, owner, name))[0] ?? null;
}
