// The tables of clusters: the installations that write records, and the watch for those that are silent; see tables.ts.

import { at, textC, xid8 } from './column-types.ts';
import { bigint, boolean, check, index, jsonb, pgTable, primaryKey, sql } from './drizzle.ts';

/** A cluster belongs to a team or person as owners of records do: the same name in another team is another cluster. */
export const clusters = pgTable(
  'clusters',
  {
    // The id of the team or person.
    owner: textC('owner').notNull(),
    // The part of `k8s:<cluster>/<namespace>/<name>` between the colon and the first slash.
    name: textC('name').notNull(),
    // The Kubernetes cluster that has the name: the uid of its namespace kube-system. Null: its operator did not say.
    instance: textC('instance'),
    // The key, or the row of the subject of a trust, that has the name. Null: no key, because an owner released the
    // name.
    heldBy: textC('held_by'),
    heartbeatAt: at('heartbeat_at').notNull().defaultNow(),
    drainedAt: at('drained_at'),
    lostAt: at('lost_at'),
    // When the state changed; null: records.withdrawn is right for all records of the cluster since then.
    unmarkedSince: at('unmarked_since'),
    // Transactions below began after the state had changed. Records are complete once all transactions before it have
    // ended.
    settleXid: xid8('settle_xid'),
    createdAt: at('created_at').notNull().defaultNow(),
    // {total, notReady}: the objects of the owner in the cluster. Null: no operator told them.
    objects: jsonb('objects'),
    // The uid of the operator's Lease, and the highest number of renewals in it that a heartbeat told:
    // store/heartbeats.ts.
    lease: textC('lease'),
    renewals: bigint('renewals', { mode: 'number' }),
    // The id of the last restore of etcd that a heartbeat told; null: none did.
    restore: textC('restore'),
    // Since when the objects of the cluster are older than the data of the service, because etcd was restored from a
    // backup. Null: they are not, or an owner accepted it.
    etcdRestoredAt: at('etcd_restored_at'),
    // When an owner last accepted that.
    olderAcceptedAt: at('older_accepted_at'),
    // The last heartbeat of an operator that reaches its kube-apiserver, and the last one of an operator that does not.
    reachableAt: at('reachable_at').notNull().defaultNow(),
    unreachableAt: at('unreachable_at'),
  },
  (t) => [
    primaryKey({ name: 'clusters_pkey', columns: [t.owner, t.name] }),
    // The triggers on owners look here first. Nearly always it is empty.
    index('clusters_away_idx')
      .on(t.owner)
      .where(sql`${t.drainedAt} is not null or ${t.lostAt} is not null or ${t.unmarkedSince} is not null`),
    check('clusters_name', sql`length(${t.name}) between 1 and 63`),
    check('clusters_instance', sql`length(${t.instance}) between 1 and 64`),
    check('clusters_lease', sql`length(${t.lease}) between 1 and 64`),
    check('clusters_restore', sql`length(${t.restore}) between 1 and 64`),
  ],
);

/**
 * One row: since when the service has watched heartbeats without a gap. A time without the service or its database
 * counts for no cluster.
 */
export const clusterWatch = pgTable(
  'cluster_watch',
  {
    one: boolean('one').primaryKey().default(true),
    since: at('since').notNull().defaultNow(),
    tickedAt: at('ticked_at').notNull().defaultNow(),
  },
  (t) => [check('cluster_watch_one', sql`${t.one}`)],
);
