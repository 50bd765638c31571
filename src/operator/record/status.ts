// Writes the results of a run into the status of a DNSRecord.
import type { Clock } from '#base/clock.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord, type RecordStatus } from '#resources/dnsrecord.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { summaryOf, valuesOf } from '#resources/summary.ts';
import { type OperatorContext, recordReadyEvent, writeStatus } from '../access/context.ts';
import { ONLY_SECONDARIES } from '../proof/secondaries.ts';
import { type Answer, conditionsWith, no, notEvaluated, readyFrom, yes } from '../run/conditions.ts';
import type { Failure } from '../run/failures.ts';
import { messageOf, problemOf } from './problem.ts';

export const ACCEPTED = yes('Accepted', 'The record is valid and permitted.');
export const PROGRAMMED = yes('Programmed', 'The DNS service has stored all values.');
const READY = yes('Ready', 'The record is served.');

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

/** Returns the status without the fields that each run sets again. */
export function statusOfRecord(object: DNSRecord): RecordStatus {
  const { nextAttemptTime: _old, ...status } = object.status ?? { conditions: [] };
  return status as RecordStatus;
}

/** Writes the results; without an explicit result, Ready summarizes the others. Each change of Ready causes an Event. */
export async function concludeRecord(
  context: OperatorContext,
  object: DNSRecord,
  known: Partial<RecordStatus>,
  answers: Record<string, Answer>,
  signal: AbortSignal,
): Promise<DNSRecord> {
  const generation = object.metadata.generation ?? 0;
  const ready = answers.Ready ?? readyFrom(Object.values(answers), READY);
  const before = statusOfRecord(object);
  const status: RecordStatus = {
    ...before,
    ...known,
    observedGeneration: generation,
    summary: summaryOf(valuesOf(object.spec)),
    conditions: conditionsWith(before.conditions, { ...answers, Ready: ready }, generation, context.now()),
  };
  const written = await writeStatus(context, context.records, DNS_RECORD, object, status, signal);
  recordReadyEvent(context, object, before.conditions, ready);
  return written;
}

/** A record that was Ready for this spec stays Ready while the service is unavailable, because it is still served. */
export async function concludeRecordFailure(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  failure: Failure,
  until: number | null,
  signal: AbortSignal,
): Promise<void> {
  const generation = object.metadata.generation ?? 0;
  const message = messageOf(context, object, problemOf(failure));
  const stays = failure.kind !== 'refused' && isTrue(object.status?.conditions, 'Ready', generation);
  const answers: Record<string, Answer> = stays
    ? { Ready: yes(failure.reason, message) }
    : { Programmed: no(failure.reason, message), Propagated: notEvaluated(failure.reason) };
  const next =
    until === null ? {} : { nextAttemptTime: new Date(context.now().getTime() + until - clock.now()).toISOString() };
  await concludeRecord(context, object, next, stays ? answers : { Accepted: ACCEPTED, ...answers }, signal);
}
