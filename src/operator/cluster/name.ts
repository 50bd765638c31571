// The guard against two Kubernetes clusters with one name: the owners of one are those of the other, so each would
// release what the other has. The service accepts the heartbeats of one of them, and the other one writes nothing. The
// name belongs to the API key that sent the first heartbeat, so no other key stops the operator.
import type { DNSZone } from '#resources/dnszone.ts';
import { type OperatorContext, requireCluster } from '../access/context.ts';
import { type NotReady, no } from '../run/conditions.ts';

/** The time until the next check whether the service has answered a heartbeat, in ms. */
export const NAME_RETRY_MS = 1_000;
/** The same while the name belongs to another cluster; the heartbeat that gets it runs all zones too. */
export const TAKEN_RETRY_MS = 10_000;

/** The result for a DNSZone, and for the deletion of one, while another cluster has the name. */
export function nameTaken(context: Pick<OperatorContext, 'cluster' | 'isNameTaken'>, zone: DNSZone): NotReady | null {
  if (context.isNameTaken(zone) !== true) return null;
  const name = requireCluster(context);
  const message = `The cluster name ${name} belongs to another Kubernetes cluster or another API key, so this operator changes nothing. Set operator.cluster to another name. If the API key was replaced, an owner of the team runs "zonestead clusters release ${name}". If another cluster with the same key is gone, wait a minute after its last heartbeat. The operator then continues automatically.`;
  return no('ClusterNameTaken', message);
}
