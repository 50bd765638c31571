// What a run says in the status of a DNSRecord.
import type { Clock } from '../kube/clock.ts';
import { isTrue } from '../kube/conditions.ts';
import { type House, tellOfReady, writeStatus } from './house.ts';
import { DNS_RECORD, type DNSRecord, type RecordStatus } from './resources/dnsrecord.ts';
import type { NotReadyReason } from './resources/reasons.ts';
import { summaryOf, valuesOf } from './resources/summary.ts';
import type { Trouble } from './trouble.ts';
import { type Answer, judged, NOT_YET, no, summed, yes } from './verdicts.ts';

export const ACCEPTED = yes('Accepted', 'The record is valid and permitted.');
export const PROGRAMMED = yes('Programmed', 'All values are at the DNS service.');
const READY = yes('Ready', 'The record is served.');

/** Who answered stands in it, so that a zone with other name servers is seen to need a new proof, after a restart too. */
export function propagatedAt(nameservers: readonly string[]): Answer {
  return yes('Propagated', `Every name server of the zone answers it: ${[...nameservers].sort().join(', ')}.`);
}

/** The answers of a run that did not come to ask DNS. (Default of `accepted`: for the same reason.) */
export function stopped(
  programmed: Answer & { reason: NotReadyReason },
  accepted: Answer = programmed,
): Record<string, Answer> {
  return { Accepted: accepted, Programmed: programmed, Propagated: NOT_YET(programmed.reason) };
}

/** The status without what each run says anew. */
export function statusOfRecord(object: DNSRecord): RecordStatus {
  const { nextAttemptTime: _old, ...status } = object.status ?? { conditions: [] };
  return status as RecordStatus;
}

/** Writes the outcome; Ready sums up what is not given. An event tells of every change of Ready. */
export async function concludeRecord(
  house: House,
  object: DNSRecord,
  known: Partial<RecordStatus>,
  answers: Record<string, Answer>,
  signal: AbortSignal,
): Promise<DNSRecord> {
  const generation = object.metadata.generation ?? 0;
  const ready = answers.Ready ?? summed(Object.values(answers), READY);
  const before = statusOfRecord(object);
  const status: RecordStatus = {
    ...before,
    ...known,
    observedGeneration: generation,
    summary: summaryOf(valuesOf(object.spec)),
    conditions: judged(before.conditions, { ...answers, Ready: ready }, generation, house.now()),
  };
  const written = await writeStatus(house, house.records, DNS_RECORD, object, status, signal);
  tellOfReady(house, object, before.conditions, ready);
  return written;
}

/** A record that was Ready for this spec stays so while the service is away: it is still served. */
export async function concludeRecordTrouble(
  house: House,
  clock: Clock,
  object: DNSRecord,
  trouble: Trouble,
  until: number | null,
  signal: AbortSignal,
): Promise<void> {
  const generation = object.metadata.generation ?? 0;
  const stays = trouble.kind !== 'refused' && isTrue(object.status?.conditions, 'Ready', generation);
  const answers: Record<string, Answer> = stays
    ? { Ready: yes(trouble.reason, trouble.message) }
    : { Programmed: no(trouble.reason, trouble.message), Propagated: NOT_YET(trouble.reason) };
  const next =
    until === null ? {} : { nextAttemptTime: new Date(house.now().getTime() + until - clock.now()).toISOString() };
  await concludeRecord(house, object, next, stays ? answers : { Accepted: ACCEPTED, ...answers }, signal);
}
