// The response code for each refusal of the service. Pure.
import { toOutageRefusal } from '#service/outage.ts';
import { Refusal, type RefusalCode, refusal } from '#service/refusal.ts';
import type { UpdateOutcome } from './answer.ts';

/** SERVFAIL is kept for `busy` and faults: nothing was written, and the same update can succeed a moment later. */
const OUTCOMES: Readonly<Record<RefusalCode, Omit<UpdateOutcome, 'text'>>> = {
  busy: { rcode: 'SERVFAIL', code: 'notReady' },
  internal: { rcode: 'SERVFAIL', code: 'other' },
  no_zone: { rcode: 'NOTAUTH', code: 'notAuthoritative' },
  unauthorized: { rcode: 'REFUSED', code: 'prohibited' },
  forbidden: { rcode: 'REFUSED', code: 'prohibited' },
  rate_limited: { rcode: 'REFUSED', code: 'prohibited' },
  bad_request: { rcode: 'REFUSED', code: 'other' },
  not_found: { rcode: 'REFUSED', code: 'other' },
  precondition_failed: { rcode: 'REFUSED', code: 'other' },
  conflict: { rcode: 'REFUSED', code: 'other' },
};

/** Short, so that the answer to a signed datagram is not longer than the datagram. */
const OVERLOADED = 'The service is overloaded. Send the message again.';

/** @param error the error of an update. `isOurFault`: it is to be logged as an error */
export function outcomeOfError(error: unknown): UpdateOutcome & { isOurFault: boolean } {
  const outage = toOutageRefusal(error);
  const refused = outage ?? (error instanceof Refusal ? error : refusal('internal'));
  // Without its field, which is one of the REST API.
  const sentences = [...new Set([refused, ...refused.others].map(({ sentence }) => sentence))].join(' ');
  const text = refused.rule === 'overloaded' ? OVERLOADED : sentences;
  const rcode = refused.rule === 'update-malformed' ? 'FORMERR' : OUTCOMES[refused.code].rcode;
  return { ...OUTCOMES[refused.code], rcode, text, isOurFault: refused.rule === 'internal' };
}
