// Reports on a DNSZone that the records of deleted DNSRecords remain, because there are too many of them
// (record/held.ts), because their CRD is deleted, or because etcd was restored from a backup.
import { findCondition } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DELETIONS_HELD, ETCD_RESTORED, RELEASE_MANY } from '#resources/names.ts';
import type { Answers, ZoneRun } from '../run/run.ts';

const SHOWN = 5;

/** The condition for the status. If an annotation permits the deletions now, they run at once. */
export function heldAnswer({ context, object, events, log }: ZoneRun): Answers {
  const key = keyOf(object);
  const keys = context.held.heldIn(key);
  const isPermitted = object.metadata.annotations?.[RELEASE_MANY] === 'true';
  if (isPermitted) for (const each of keys) context.enqueueRecord(each);
  const before = findCondition(object.status?.conditions, DELETIONS_HELD);
  if (keys.length === 0 || isPermitted) {
    if (before === undefined) return {};
    return { [DELETIONS_HELD]: { status: 'False', reason: 'NotHeld', message: 'No deletion is held back.' } };
  }
  const [first, ...rest] = keys.sort();
  const shownKeys = [first, ...rest.slice(0, SHOWN - 1)].join(', ') + (keys.length > SHOWN ? ' and others' : '');
  const isRestored = keys.some((each) => context.held.isHeldRestored(each));
  const reason = isRestored ? ETCD_RESTORED : 'ManyDeleted';
  const cause = isRestored
    ? 'These DNSRecords are missing since etcd was restored from a backup.'
    : 'More than half of all DNSRecords (soon after the operator started: more than 5 %), or their CRD, were deleted.';
  const accept = isRestored ? ` Or let an owner of the team run "zonestead clusters accept-older".` : '';
  const cure = `Create the objects again, or annotate this object with ${RELEASE_MANY}=true to delete the records.${accept}`;
  const message = `${cause} The records of ${keys.length} of them remain in this zone: ${shownKeys}. ${cure}`;
  if (before?.status !== 'True') {
    log.error({ held: keys.length, reason }, 'DNSRecords are missing, and their records remain');
    // Without their number: objects may still be vanishing when the first ones are held. The condition follows.
    const note = `${cause} Their records remain in this zone; the condition ${DELETIONS_HELD} counts them. ${cure}`;
    events.push({ type: 'Warning', reason: 'DeletionsHeld', action: 'Look', note });
  }
  return { [DELETIONS_HELD]: { status: 'True', reason, message } };
}
