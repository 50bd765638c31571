// The metrics of DNS updates:
//
//   zonestead_update_answers_total        by response code, and by the error of the signature
//   zonestead_update_duration_seconds     from a valid signature to the answer
//   zonestead_update_dropped_total        by reason: messages and connections beyond the limits
import { RCODE, type Rcode } from '#dns/wire/rcodes.ts';
import type { Metrics } from '#telemetry/metrics.ts';

const SIGNATURES = ['BADKEY', 'BADSIG', 'BADTIME', 'BADTRUNC', 'unsigned'] as const;
const DROPPED = ['connections', 'messages'] as const;

export interface UpdateMetrics {
  /** @param signature the error of the signature; null: it is valid */
  answered(rcode: Rcode, signature: (typeof SIGNATURES)[number] | null): void;
  took(seconds: number): void;
  dropped(reason: (typeof DROPPED)[number]): void;
}

export function createUpdateMetrics(metrics: Metrics): UpdateMetrics {
  const answers = metrics.counter({
    name: 'update_answers_total',
    help: 'Answers to DNS updates (RFC 2136), by response code and by the error of their signature (none: it is valid).',
    labels: ['rcode', 'signature'],
  });
  for (const rcode of Object.keys(RCODE)) answers.inc({ rcode, signature: 'none' }, 0);
  for (const signature of SIGNATURES)
    answers.inc({ rcode: signature === 'unsigned' ? 'REFUSED' : 'NOTAUTH', signature }, 0);
  const duration = metrics.histogram({
    name: 'update_duration_seconds',
    help: 'Seconds from the check of the signature of a DNS update to its answer.',
  });
  const droppedCounter = metrics.counter({
    name: 'update_dropped_total',
    help: 'Messages and connections at the port of DNS updates that got no answer, because too many were in progress.',
    labels: ['reason'],
  });
  for (const reason of DROPPED) droppedCounter.inc({ reason }, 0);
  return {
    answered: (rcode, signature) => answers.inc({ rcode, signature: signature ?? 'none' }),
    took: (seconds) => duration.observe(seconds),
    dropped: (reason) => droppedCounter.inc({ reason }),
  };
}
