// The condition EtcdRestored of a DNSZone: the objects of the cluster are older than the data of the service. Until an
// owner accepts that, the operator releases no records of the zone, and changes nothing in the zone itself.
import { findCondition } from '#kube/objects/conditions.ts';
import { ETCD_RESTORED } from '#resources/names.ts';
import type { Answers, ZoneRun } from '../run/run.ts';

const WORDS =
  'etcd was restored from a backup, so the objects of this cluster are older than the data of the DNS service.';

/** The condition for the status. A zone of a cluster that was never restored does not have it. */
export function restoredAnswer({ context, object, events, log }: ZoneRun): Answers {
  const isRestored = context.isEtcdRestored(object);
  const before = findCondition(object.status?.conditions, ETCD_RESTORED);
  // The service has not answered: the condition stays as it is.
  if (isRestored === undefined || (!isRestored && before === undefined)) return {};
  if (!isRestored)
    return {
      [ETCD_RESTORED]: { status: 'False', reason: 'NotRestored', message: 'The objects of the cluster are accepted.' },
    };
  const message = `${WORDS} DNS keeps the newer data: until an owner of the team runs "zonestead clusters accept-older ${context.cluster()}", the operator deletes no records and no zones, and applies no older objects. New objects and new edits are applied.`;
  if (before?.status !== 'True') {
    log.error('etcd was restored from a backup; nothing is deleted until an owner accepts the older objects');
    events.push({ type: 'Warning', reason: ETCD_RESTORED, action: 'Look', note: message });
  }
  return { [ETCD_RESTORED]: { status: 'True', reason: 'OlderObjects', message } };
}
