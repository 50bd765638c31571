// The results of a run as conditions of a DNSRecord.
import { isTrue } from '#kube/objects/conditions.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { ONLY_SECONDARIES } from '../proof/propagation.ts';
import { type Answer, no, notEvaluated, yes } from '../run/conditions.ts';
import type { Failure } from '../run/failures.ts';
import type { RecordOutcome, RecordRun } from '../run/run.ts';
import { messageOf, problemOf } from './problem.ts';

export const ACCEPTED = yes('Accepted', 'The record is valid and permitted.');
export const PROGRAMMED = yes('Programmed', 'The DNS service has stored all values.');
export const READY = yes('Ready', 'The record is served.');

/** The delay in ms after which the operator tries a zone again that was there a moment ago. */
const NO_ZONE_MS = 1_000;

/**
 * The message lists the name servers that count, so that other name servers of the zone need a new proof, also after a restart.
 * @param all the names of all name servers
 * @param note a sentence after it. (Default: none.)
 */
export function propagatedAt(counted: readonly string[], all: readonly string[], note: string | null = null): Answer {
  const which = counted.length < all.length ? ' that is no secondary' : '';
  const message =
    counted.length === 0 && all.length > 0
      ? `Every node has the record. ${ONLY_SECONDARIES}`
      : `Every name server of the zone${which} serves the record: ${[...counted].sort().join(', ')}.`;
  return yes('Propagated', note === null ? message : `${message} ${note}`);
}

/** The results of a run that ended before the proof by DNS. (Default of `accepted`: the same as `programmed`.) */
export function stopped(
  programmed: Answer & { reason: NotReadyReason },
  accepted: Answer = programmed,
): Record<string, Answer> {
  return { Accepted: accepted, Programmed: programmed, Propagated: notEvaluated(programmed.reason) };
}

/** A record that was Ready for this spec stays Ready while the service is unavailable, because it is still served. */
export function failedRecord({ context, object }: RecordRun, failure: Failure): Partial<RecordOutcome> {
  const zoneKey = zoneKeyOf(object);
  if (failure.kind === 'key') {
    const message = `DNSZone ${zoneKey} has no usable API key (${failure.reason}). See the conditions of that DNSZone.`;
    return { answers: stopped(no('ZoneNotReady', message)) };
  }
  if (failure.kind === 'absent') {
    // The reconciler of the zone handles that, and a change of the zone causes the next run of the record.
    const message = `The zone of DNSZone ${zoneKey} no longer exists at the DNS service. See the conditions of that DNSZone.`;
    return {
      answers: stopped(no('ZoneNotReady', message), ACCEPTED),
      wakesZone: zoneKey,
      next: { afterMs: NO_ZONE_MS },
    };
  }
  const generation = object.metadata.generation ?? 0;
  const message = messageOf(context, object, problemOf(failure));
  if (failure.kind !== 'refused' && isTrue(object.status?.conditions, 'Ready', generation))
    return { answers: { Ready: yes(failure.reason, message) } };
  return { answers: stopped(no(failure.reason, message), ACCEPTED) };
}
