// Clusters: the installations that write records. A cluster belongs to a team or person, as the owners of records do.
import { insertAccountChange } from '#store/account-changes.ts';
import {
  type ClusterRow,
  clustersOf,
  countSetsOf,
  deleteCluster,
  isSilent,
  lockStates,
  type ObjectCounts,
  writeDrained,
  writeHeartbeat,
} from '#store/clusters.ts';
import { outageOf, type Tx } from '#store/database.ts';
import { keyStanding } from '#store/keys.ts';
import { accountHistory, changeTeam, mustBePerson } from '../accounts/account.ts';
import { type Actor, teamsOfActor } from '../accounts/actor.ts';
import { keyRevoked, once } from '../change.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { ownerFor } from '../zones/owner.ts';
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
}

/** The clusters that one team or person may have. */
const MOST_CLUSTERS = 100;

interface Heartbeat {
  /** `org:<teamId>` or `personal`. (Default: the team of an app key, or the person.) */
  owner: string | undefined;
  /** The Kubernetes cluster that sends it; while it is not lost, no other one gets its name. */
  instance: string | undefined;
  /** Null: the operator does not say. */
  objects: ObjectCounts | null;
}

/**
 * Notes a heartbeat. The first one adds the cluster.
 * @throws Refusal forbidden, bad_request (owner), conflict (too many clusters, another instance has the name)
 */
export async function takeHeartbeat(
  context: ServiceContext,
  actor: Actor,
  name: string,
  { owner: ownerText, instance, objects }: Heartbeat,
): Promise<ClusterView> {
  if (actor.records !== 'write' && ![...actor.grants.values()].includes('write'))
    throw refusal('may-not-write-records');
  const owner = idOf(actor, ownerText ?? (actor.user === null ? `org:${actor.teamId}` : 'personal'));
  const cluster = await writeHeartbeat(context.db, owner, name, MOST_CLUSTERS, instance ?? null, objects);
  if (cluster === null) throw refusal('too-many-clusters', { limit: MOST_CLUSTERS });
  if (instance !== undefined && cluster.instance !== instance)
    throw refusal('cluster-name-taken', { name, seconds: LOST_MS / 1_000 });
  return cluster.isSettled ? viewOf(cluster, actor) : mark(context, actor, cluster);
}

/** By name. @throws Refusal forbidden, bad_request (owner) */
export async function readClusters(
  context: ServiceContext,
  actor: Actor,
  ownerText: string | undefined,
): Promise<ClusterView[]> {
  return (await visible(context, actor, ownerText)).map((cluster) => viewOf(cluster, actor));
}

/**
 * Withdraws the records of a cluster, or serves them again. The records are marked when the answer arrives, unless it says that the
 * cluster is not settled. A repeated call changes nothing.
 * @throws Refusal forbidden (app key, not an owner of the team), not_found, bad_request (several owners), unauthorized, busy
 */
export async function setDrained(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
  drained: boolean,
): Promise<ClusterView> {
  const found = await findCluster(context, caller.actor, name, ownerText);
  let cluster = found;
  await changeCluster(context, caller, found, drained ? 'cluster.drain' : 'cluster.restore', async (tx) => {
    const written = await writeDrained(tx, found.owner, name, drained);
    if (written === null) throw unknownCluster(name, []);
    ({ cluster } = written);
    return written.changed;
  });
  return mark(context, caller.actor, cluster);
}

/**
 * Marks the records of a cluster after its new state is committed. An outage of the database from here on is no failure of the
 * request, whose answer would say that nothing was written: the watch marks the records later.
 */
async function mark(context: ServiceContext, actor: Actor, committed: ClusterRow): Promise<ClusterView> {
  try {
    await markNow(context, committed);
    return viewOf(await readAgain(context, committed), actor);
  } catch (error) {
    if (outageOf(error) === null) throw error;
    return viewOf(committed, actor);
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
  const found = await findCluster(context, caller.actor, name, ownerText);
  await changeCluster(context, caller, found, 'cluster.remove', async (tx) => {
    const mustOwnNothing = async () => {
      const sets = await countSetsOf(tx, found.owner, name);
      if (sets > 0) throw refusal('cluster-owns-records', { name, sets });
    };
    // Before the lock, which every write of a record waits for: a refusal must cost others nothing.
    await mustOwnNothing();
    if (!(await isSilent(tx, found.owner, name, LOST_MS))) {
      throw refusal('cluster-alive', { name, seconds: LOST_MS / 1_000 });
    }
    await lockStates(tx);
    await mustOwnNothing();
    const removed = await deleteCluster(tx, found.owner, name, LOST_MS);
    if (!removed) throw refusal('cluster-alive', { name, seconds: LOST_MS / 1_000 });
    return true;
  });
}

type Action = 'cluster.drain' | 'cluster.restore' | 'cluster.remove';

/** Runs one change with its history entry. @param work returns whether it changed something */
async function changeCluster(
  context: ServiceContext,
  caller: Caller,
  { owner, name }: ClusterRow,
  action: Action,
  work: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const person = mustBePerson(caller.actor);
  const entry = { action, subject: name, before: null, after: null };
  if (owner !== person.id) {
    await changeTeam(context, caller, owner, 'owner', async ({ tx }) => ({
      answer: null,
      change: (await work(tx)) ? entry : null,
    }));
    return;
  }
  await once(context, caller, async (tx) => {
    const now = context.now();
    if (!(await keyStanding(tx, caller.actor.keyId, { teamId: null }, now)).valid) throw keyRevoked();
    if (await work(tx)) await insertAccountChange(tx, { ...entry, ...accountHistory(caller, null, now) });
    return null;
  });
}

/** @throws Refusal forbidden (app key), not_found with the clusters that there are, bad_request (several owners have one) */
async function findCluster(
  context: ServiceContext,
  actor: Actor,
  name: string,
  ownerText: string | undefined,
): Promise<ClusterRow> {
  mustBePerson(actor);
  const all = await visible(context, actor, ownerText);
  const found = all.filter((cluster) => cluster.name === name);
  const [first, second] = found;
  if (!first) throw unknownCluster(name, all);
  if (second)
    throw refusal('cluster-of-several', { name, owners: found.map((each) => ownerOf(each, actor)).join(', ') });
  return first;
}

const SHOWN = 20;

function unknownCluster(name: string, all: readonly ClusterRow[]) {
  const names = [...new Set(all.map((cluster) => cluster.name))];
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  const known =
    names.length === 0 ? 'none has sent a heartbeat' : `there are ${names.slice(0, SHOWN).join(', ')}${more}`;
  return refusal('no-cluster', { name, known });
}

async function visible(
  context: ServiceContext,
  actor: Actor,
  ownerText: string | undefined,
): Promise<readonly ClusterRow[]> {
  const person = actor.user === null ? [] : [actor.user.id];
  const owners = ownerText === undefined ? [...teamsOfActor(actor), ...person] : [idOf(actor, ownerText)];
  if (actor.records === 'none' && actor.manageZones === 'none' && actor.grants.size === 0) return [];
  return clustersOf(context.db, owners);
}

async function readAgain({ db }: ServiceContext, { owner, name }: ClusterRow): Promise<ClusterRow> {
  const found = (await clustersOf(db, [owner])).find((cluster) => cluster.name === name);
  if (!found) throw unknownCluster(name, []);
  return found;
}

/** The id of the team or person. @throws Refusal forbidden, bad_request */
function idOf(actor: Actor, ownerText: string): string {
  const { teamId, userId } = ownerFor(actor, ownerText);
  return teamId ?? userId ?? '';
}

function ownerOf({ owner }: ClusterRow, actor: Actor): string {
  return owner === actor.user?.id ? 'personal' : `org:${owner}`;
}

function viewOf(cluster: ClusterRow, actor: Actor): ClusterView {
  const { name, heartbeatAt, drainedAt, lostAt, isSettled, createdAt, objects } = cluster;
  const text = (ms: number) => new Date(ms).toISOString();
  return {
    name,
    owner: ownerOf(cluster, actor),
    state: drainedAt !== null ? 'drained' : lostAt !== null ? 'lost' : 'active',
    settled: isSettled,
    lastHeartbeat: text(heartbeatAt),
    drainedAt: drainedAt === null ? null : text(drainedAt),
    lostAt: lostAt === null ? null : text(lostAt),
    createdAt: text(createdAt),
    objects,
  };
}
