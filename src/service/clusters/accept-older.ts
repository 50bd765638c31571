// An owner accepts the objects of a cluster whose etcd was restored from a backup. The sets of the cluster take the
// next generation of their objects, whichever it is; then the mark goes, and the operator releases what it held back.
// The acceptance ends with the next restore, whose objects no owner has accepted. A command that failed between two of
// its transactions is repeated.
import { type ClusterRow, letSetsAcceptOlder, writeOlderAccepted } from '#store/clusters.ts';
import { isLockFailure } from '../change/once.ts';
import { busy } from '../change/queue.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readAfterChange } from '../outage.ts';
import { type ClusterView, changeCluster, findCluster, readAgain, toClusterView, unknownCluster } from './clusters.ts';

/**
 * A repeated call does the same again: the operator may have applied sets meanwhile.
 * @throws Refusal forbidden (app key, not an owner of the team), not_found, bad_request (several owners), unauthorized,
 * busy
 */
export async function acceptOlder(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
): Promise<ClusterView> {
  const clusterRow = await findCluster(context, caller.actor, name, ownerText);
  // Only the right, before the work; an Idempotency-Key is for the last step.
  await changeCluster(context, { ...caller, once: null }, clusterRow, 'cluster.accept-older', async () => false);
  await letAllAcceptOlder(context, clusterRow);
  await changeCluster(context, caller, clusterRow, 'cluster.accept-older', async (tx) => {
    if ((await writeOlderAccepted(tx, clusterRow.owner, name)) === null) throw unknownCluster(name, []);
    return true;
  });
  return toClusterView(await readAfterChange(() => readAgain(context, clusterRow)), caller.actor);
}

/** @throws Refusal busy if a zone stays locked */
async function letAllAcceptOlder({ db }: ServiceContext, { owner, name }: ClusterRow): Promise<void> {
  let last: number | null = -1;
  try {
    while (last !== null) {
      const after: number = last;
      last = await db.transaction((tx) => letSetsAcceptOlder(tx, owner, name, after));
    }
  } catch (error) {
    if (isLockFailure(error)) throw busy();
    throw error;
  }
}
