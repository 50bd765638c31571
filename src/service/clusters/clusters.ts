// Clusters: the installations that write records. A cluster belongs to a team or person, as the owners of records do.
// Heartbeats are in heartbeat.ts.
import { writeFew } from '#base/few.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import {
  type ClusterRow,
  countClusterSets,
  deleteClusterRow,
  isSilent,
  listOwnedClusters,
  lockStates,
  type ObjectCounts,
  releaseClusterName,
  writeDrained,
} from '#store/clusters.ts';
import { findOutage, type Tx } from '#store/database.ts';
import { keyStanding } from '#store/keys.ts';
import { accountHistory, changeTeam, mustBePerson } from '../accounts/account.ts';
import { type Actor, mustHaveClusters } from '../accounts/actor.ts';
import { toOwnerIds, writeOwner } from '../accounts/owner-text.ts';
import { once } from '../change/once.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readAfterChange } from '../outage.ts';
import { refusal } from '../refusal.ts';
import { markNow } from './mark.ts';
import { LOST_MS } from './watch.ts';

export interface ClusterView {
  name: string;
  owner: string;
  state: 'active' | 'drained' | 'lost';
  settled: boolean;
  lastHeartbeat: string;
  drainedAt: string | null;
  lostAt: string | null;
  createdAt: string;
  objects: ObjectCounts | null;
  controlPlane: 'reachable' | 'unreachable';
  etcdRestoredAt: string | null;
  olderAcceptedAt: string | null;
}

/** By name. @throws Refusal forbidden, bad_request (owner) */
export async function readClusters(
  context: ServiceContext,
  actor: Actor,
  ownerText: string | undefined,
): Promise<ClusterView[]> {
  mustHaveClusters(actor);
  return (await visible(context, actor, ownerText)).map((cluster) => toClusterView(cluster, actor));
}

/**
 * Withdraws the records of a cluster, or serves them again. The records are marked when the answer arrives, unless it
 * says that the cluster is not settled. A repeated call changes nothing.
 * @throws Refusal forbidden (app key, not an owner of the team), not_found, bad_request (several owners), unauthorized,
 * busy
 */
export async function setDrained(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
  isDrained: boolean,
): Promise<ClusterView> {
  const clusterRow = await findCluster(context, caller.actor, name, ownerText);
  let cluster = clusterRow;
  await changeCluster(context, caller, clusterRow, isDrained ? 'cluster.drain' : 'cluster.restore', async (tx) => {
    const writeResult = await writeDrained(tx, clusterRow.owner, name, isDrained);
    if (writeResult === null) throw unknownCluster(name, []);
    ({ cluster } = writeResult);
    return writeResult.changed;
  });
  return mark(context, caller.actor, cluster);
}

/**
 * Marks the records of a cluster after its new state is committed. An outage of the database from here on is not a
 * failure of the request, whose answer would say that nothing was written: the watch marks the records later.
 */
export async function mark(context: ServiceContext, actor: Actor, committedRow: ClusterRow): Promise<ClusterView> {
  try {
    await markNow(context, committedRow);
    return toClusterView(await readAgain(context, committedRow), actor);
  } catch (error) {
    if (findOutage(error) === null) throw error;
    return toClusterView(committedRow, actor);
  }
}

/**
 * Removes a cluster that is silent and owns nothing.
 * @throws Refusal conflict (it sends heartbeats, it owns records), and as setDrained
 */
export async function removeCluster(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
): Promise<void> {
  const clusterRow = await findCluster(context, caller.actor, name, ownerText);
  await changeCluster(context, caller, clusterRow, 'cluster.remove', async (tx) => {
    const mustOwnNothing = async () => {
      const sets = await countClusterSets(tx, clusterRow.owner, name);
      if (sets > 0) throw refusal('cluster-owns-records', { name, sets });
    };
    // Before the lock, which every write of a record waits for: a refusal must cost others nothing.
    await mustOwnNothing();
    if (!(await isSilent(tx, clusterRow.owner, name, LOST_MS))) {
      throw refusal('cluster-alive', { name, seconds: LOST_MS / 1_000 });
    }
    await lockStates(tx);
    await mustOwnNothing();
    const isRemoved = await deleteClusterRow(tx, clusterRow.owner, name, LOST_MS);
    if (!isRemoved) throw refusal('cluster-alive', { name, seconds: LOST_MS / 1_000 });
    return true;
  });
}

/**
 * Gives the name of a cluster to the next key that sends a heartbeat, for an operator whose key was replaced. The
 * cluster and its records stay. A repeated call changes nothing.
 * @throws as setDrained
 */
export async function releaseCluster(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
): Promise<ClusterView> {
  const clusterRow = await findCluster(context, caller.actor, name, ownerText);
  await changeCluster(context, caller, clusterRow, 'cluster.release', async (tx) => {
    const heldBy = await releaseClusterName(tx, clusterRow.owner, name);
    if (heldBy === undefined) throw unknownCluster(name, []);
    return heldBy !== null;
  });
  return toClusterView(await readAfterChange(() => readAgain(context, clusterRow)), caller.actor);
}

type Action = 'cluster.drain' | 'cluster.restore' | 'cluster.release' | 'cluster.accept-older' | 'cluster.remove';

/** Runs one change with its history entry. @param work returns whether it changed something */
export async function changeCluster(
  context: ServiceContext,
  caller: Caller,
  { owner, name }: ClusterRow,
  action: Action,
  work: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const person = mustBePerson(caller.actor);
  const entry = { action, subject: name, before: null, after: null };
  const act = async (tx: Tx, teamId: string | null) => {
    const isChanged = await work(tx);
    // Asked after the wait for the row of the cluster, during which the key may have been revoked.
    if (!(await keyStanding(tx, caller.actor.keyId, { teamId }, context.now())).valid) throw keyRevoked();
    return isChanged;
  };
  if (owner !== person.id) {
    await changeTeam(context, caller, owner, 'owner', async ({ tx }) => ({
      answer: null,
      change: (await act(tx, owner)) ? entry : null,
    }));
    return;
  }
  await once(context, caller, async (tx) => {
    const now = context.now();
    const isChanged = await act(tx, null);
    if (isChanged) await insertAccountChange(tx, { ...entry, ...accountHistory(caller, null, now) });
    return null;
  });
}

/**
 * @throws Refusal forbidden (app key), not_found with the clusters that there are, bad_request (several owners have
 * one)
 */
export async function findCluster(
  context: ServiceContext,
  actor: Actor,
  name: string,
  ownerText: string | undefined,
): Promise<ClusterRow> {
  mustBePerson(actor);
  const all = await visible(context, actor, ownerText);
  const matchingClusters = all.filter((cluster) => cluster.name === name);
  const [first, second] = matchingClusters;
  if (!first) throw unknownCluster(name, all);
  if (second)
    throw refusal('cluster-of-several', {
      name,
      owners: matchingClusters.map((each) => writeOwner(actor, each.owner)).join(', '),
    });
  return first;
}

const SHOWN = 20;

export function unknownCluster(name: string, all: readonly ClusterRow[]) {
  const names = [...new Set(all.map((cluster) => cluster.name))];
  const known =
    names.length === 0 ? 'no cluster has sent a heartbeat' : `the known clusters are ${writeFew(names, SHOWN)}`;
  return refusal('no-cluster', { name, known });
}

async function visible(
  context: ServiceContext,
  actor: Actor,
  ownerText: string | undefined,
): Promise<readonly ClusterRow[]> {
  return listOwnedClusters(context.db, toOwnerIds(actor, ownerText));
}

export async function readAgain({ db }: ServiceContext, { owner, name }: ClusterRow): Promise<ClusterRow> {
  const clusterRow = (await listOwnedClusters(db, [owner])).find((cluster) => cluster.name === name);
  if (!clusterRow) throw unknownCluster(name, []);
  return clusterRow;
}

export function toClusterView(cluster: ClusterRow, actor: Actor): ClusterView {
  const { name, heartbeatAt, drainedAt, lostAt, isSettled, createdAt, objects } = cluster;
  const { etcdRestoredAt, olderAcceptedAt, isControlPlaneAway } = cluster;
  const text = (ms: number) => new Date(ms).toISOString();
  const textOrNull = (ms: number | null) => (ms === null ? null : text(ms));
  return {
    name,
    owner: writeOwner(actor, cluster.owner),
    state: drainedAt !== null ? 'drained' : lostAt !== null ? 'lost' : 'active',
    settled: isSettled,
    lastHeartbeat: text(heartbeatAt),
    drainedAt: textOrNull(drainedAt),
    lostAt: textOrNull(lostAt),
    createdAt: text(createdAt),
    objects,
    controlPlane: isControlPlaneAway ? 'unreachable' : 'reachable',
    etcdRestoredAt: textOrNull(etcdRestoredAt),
    olderAcceptedAt: textOrNull(olderAcceptedAt),
  };
}
