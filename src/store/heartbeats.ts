// Heartbeats of clusters. The clock is that of the database. No right is known here.
//
// A heartbeat also tells how often the Lease of the operator was renewed: a number that only grows, in the etcd of the
// cluster. If it is lower than before, etcd was restored from a backup. The resourceVersion does not tell that
// reliably: `etcdutl snapshot restore --bump-revision` raises it, and an API server may keep each type of objects in
// another etcd. But if the versions went back under a running operator, its heartbeat tells an id of that restore.
import { CLUSTER_COLUMNS, type ClusterRow, type ObjectCounts } from './clusters.ts';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

/**
 * A heartbeat of an operator that was the leader a moment ago may arrive late, with a number that is lower by a few.
 * Renewals are two seconds apart, and a heartbeat is given up after five.
 */
const LATE_RENEWALS = 10;
/** So many objects may be older than the data of the service, for example after a late write. */
const MAX_OLDER = 5;

/**
 * Whether the key $3 may send a heartbeat of the Kubernetes cluster $4: the key that has the name may, and after a loss
 * also for another Kubernetes cluster; another key may for the same Kubernetes cluster.
 */
const MAY_BEAT = `(coalesce(clusters.held_by = $3, true) and (coalesce($4::text = clusters.instance, true) or clusters.lost_at is not null)
  or coalesce($4::text = clusters.instance, false))`;
/** Whether another Kubernetes cluster gets the name. */
const IS_OTHER = 'coalesce($4::text <> clusters.instance, false)';
/** Whether the heartbeat is of an etcd that is older than that of an earlier one. */
const WENT_BACK = `(not ${IS_OTHER} and (coalesce($6::text = clusters.lease and $7::bigint < clusters.renewals - ${LATE_RENEWALS}, false)
  or coalesce($8::integer, 0) > ${MAX_OLDER} or coalesce($10::text <> coalesce(clusters.restore, ''), false)))`;

const beat = statement<ClusterRow>(`
  with written as (
    update clusters set heartbeat_at = now(), lost_at = null, held_by = $3,
      instance = coalesce($4::text, clusters.instance), objects = coalesce($5::jsonb, clusters.objects),
      unmarked_since = case when clusters.lost_at is null then clusters.unmarked_since else clock_timestamp() end,
      settle_xid = case when clusters.lost_at is null then clusters.settle_xid end,
      lease = coalesce($6::text, clusters.lease),
      renewals = case when $6::text = clusters.lease and $7::bigint >= clusters.renewals - ${LATE_RENEWALS} then greatest($7::bigint, clusters.renewals)
        else coalesce($7::bigint, clusters.renewals) end,
      restore = coalesce($10::text, clusters.restore),
      etcd_restored_at = case when ${WENT_BACK} then coalesce(clusters.etcd_restored_at, now())
        when not ${IS_OTHER} then clusters.etcd_restored_at end,
      reachable_at = case when $9::boolean then clusters.reachable_at else now() end,
      unreachable_at = case when $9::boolean then now() else clusters.unreachable_at end
    where owner = $1 and name = $2 and ${MAY_BEAT}
      and (clusters.lost_at is not null or clusters.held_by is distinct from $3 or ${WENT_BACK} or $6::text <> coalesce(clusters.lease, '')
        or abs(extract(epoch from now() - clusters.heartbeat_at)) >= 1 or clusters.instance is null and $4::text is not null)
    returning *)
  select ${CLUSTER_COLUMNS} from written union all
  select ${CLUSTER_COLUMNS} from clusters where owner = $1 and name = $2 and not exists (select from written)`);

/** A heartbeat of a key. */
export interface Beat {
  owner: string;
  name: string;
  keyId: string;
  /** Null: the operator does not say. */
  instance: string | null;
  objects: ObjectCounts | null;
  /** The Lease of the operator and its renewals; null: the operator does not say. */
  lease: { uid: string; renewals: number } | null;
  /** The id of a restore of etcd that the operator saw; null: it saw none, or has told it. */
  restore: string | null;
  /** The number of objects that are older than the data of the service. */
  older: number;
  /** Whether the operator does not reach its kube-apiserver. */
  isControlPlaneAway: boolean;
}

const jsonOf = (objects: ObjectCounts | null) => (objects === null ? null : JSON.stringify(objects));
const argumentsOf = ({ owner, name, keyId, instance, objects, lease }: Beat) =>
  [owner, name, keyId, instance, jsonOf(objects), lease?.uid ?? null, lease?.renewals ?? null] as const;

/**
 * Notes a heartbeat of a known cluster, at most one a second, unless it says that etcd is older. A cluster that was
 * lost is no longer lost. Writes nothing if the name belongs to another key or another instance: the row that is
 * returned has that key or instance.
 * @returns null if the cluster does not exist
 */
export async function writeHeartbeat(db: Db, heartbeat: Beat): Promise<ClusterRow | null> {
  const { older, isControlPlaneAway, restore } = heartbeat;
  return (await beat(db, ...argumentsOf(heartbeat), older, isControlPlaneAway, restore))[0] ?? null;
}

const insertCluster = statement<ClusterRow>(`
  insert into clusters (owner, name, held_by, instance, objects, lease, renewals)
  select $1, $2, $3, $4::text, $5::jsonb, $6::text, $7::bigint
  where (select count(*) from clusters where owner = $1) < $8::integer
  on conflict (owner, name) do nothing returning ${CLUSTER_COLUMNS}`);

/**
 * Adds a cluster with its first heartbeat.
 * @returns null if the owner has `limit` clusters, or there is such a cluster now
 */
export async function addCluster(db: Db, heartbeat: Beat, limit: number): Promise<ClusterRow | null> {
  return (await insertCluster(db, ...argumentsOf(heartbeat), limit))[0] ?? null;
}
