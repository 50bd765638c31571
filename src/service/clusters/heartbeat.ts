// Takes the heartbeats of clusters, from operators that reach their kube-apiserver and from those that do not.
import type { ClusterRow } from '#store/clusters.ts';
import { addCluster, type Beat, writeHeartbeat } from '#store/heartbeats.ts';
import { type Actor, mustHaveClusters } from '../accounts/actor.ts';
import { toOwnerId } from '../accounts/owner-text.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { type ClusterView, mark, toClusterView } from './clusters.ts';
import { LOST_MS } from './watch.ts';

/** The clusters that one team or person may have. */
const MAX_CLUSTERS = 100;

interface Heartbeat extends Pick<Beat, 'objects' | 'lease' | 'restore' | 'older' | 'isControlPlaneAway'> {
  /** `org:<teamId>` or `personal`. (Default: the team of an app key, or the person.) */
  owner: string | undefined;
  /** The Kubernetes cluster that sends it. */
  instance: string | undefined;
}

/**
 * Notes a heartbeat. The first one adds the cluster, and the key gets the name: another key has it only if it speaks
 * for the same Kubernetes cluster, or after an owner released the name.
 * @param countWrite counts the write of a new cluster; it may refuse
 * @throws Refusal forbidden, bad_request (owner), conflict (too many clusters, another key or instance has the name),
 * rate_limited
 */
export async function takeHeartbeat(
  context: ServiceContext,
  actor: Actor,
  name: string,
  { owner: ownerText, instance: givenInstance, ...heartbeat }: Heartbeat,
  countWrite: () => Promise<void>,
): Promise<ClusterView> {
  mustHaveClusters(actor);
  const owner = toOwnerId(actor, ownerText ?? (actor.user === null ? `org:${actor.teamId}` : 'personal'));
  const { keyId } = actor;
  const instance = givenInstance ?? null;
  const cluster = await beat(context, { ...heartbeat, owner, name, keyId, instance }, countWrite);
  if (cluster.heldBy !== keyId) throw refusal('cluster-name-held', { name });
  if (instance !== null && cluster.instance !== instance)
    throw refusal('cluster-name-taken', { name, seconds: LOST_MS / 1_000 });
  return cluster.isSettled ? toClusterView(cluster, actor) : mark(context, actor, cluster);
}

/** @throws Refusal conflict (too many clusters), and the refusals of `countWrite` */
async function beat({ db }: ServiceContext, heartbeat: Beat, countWrite: () => Promise<void>): Promise<ClusterRow> {
  const knownCluster = await writeHeartbeat(db, heartbeat);
  if (knownCluster !== null) return knownCluster;
  await countWrite();
  // Another heartbeat may have added it meanwhile.
  const addedCluster = (await addCluster(db, heartbeat, MAX_CLUSTERS)) ?? (await writeHeartbeat(db, heartbeat));
  if (addedCluster === null) throw refusal('too-many-clusters', { limit: MAX_CLUSTERS });
  return addedCluster;
}
