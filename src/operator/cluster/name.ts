// The guard against two Kubernetes clusters with one name: the owners of one are those of the other, so each would release what the
// other has. The service accepts the heartbeats of one of them, and the other one writes nothing.
import type { DNSZone } from '#resources/dnszone.ts';
import { clusterOf, type OperatorContext } from '../access/context.ts';
import { type NotReady, no } from '../run/conditions.ts';

/** The time until the next check whether the service has answered a heartbeat, in ms. */
export const NAME_RETRY_MS = 1_000;

/** The result for a DNSZone, and for the deletion of one, while another cluster has the name. */
export function nameTaken(context: Pick<OperatorContext, 'cluster' | 'isNameTaken'>, zone: DNSZone): NotReady | null {
  if (context.isNameTaken(zone) !== true) return null;
  const message = `Another Kubernetes cluster sends the heartbeats of cluster ${clusterOf(context)}, so this operator changes nothing. Set operator.cluster to another name. If the other cluster is gone, wait until the service counts it as lost, a minute after its last heartbeat; the operator then continues by itself.`;
  return no('ClusterNameTaken', message);
}
