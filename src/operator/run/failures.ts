// The one mapping of errors, for records, zones and deletions: from the error of a call to a reason, a message, and the
// time of the next run. The same situation gives the same bytes, so that a retry does not write a new status.
import { ApiError, ApiUnavailable, isAbsent, isKeyNotRead } from '#client/errors.ts';
import { PausedTooLong } from '#client/pace/send.ts';
import type { ReconcileResult } from '#kube/controller/controller.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import type { OperatorContext } from '../access/context.ts';
import { KeyUnusable, rejectedKey } from '../access/credentials.ts';
import type { Next } from './run.ts';

type FailureKind =
  /** The service refuses the request: the user must change the object or the zone. */
  | 'refused'
  /** The service or the network fails: the operator retries. */
  | 'transient'
  /** Another write must end first. */
  | 'wait'
  /** The zone's own API key is missing or not valid. */
  | 'key'
  /** The zone or the record does not exist at the service. */
  | 'absent';

export interface Failure {
  readonly kind: FailureKind;
  readonly reason: NotReadyReason;
  readonly message: string;
  /** The code of the error of the service; null if it did not answer. */
  readonly code: string | null;
  /** Ids of the records at the service that conflict with the request. */
  readonly records: readonly string[];
  /** The owner of those records at the service; null if that is not the reason. */
  readonly owner: string | null;
  /** The value that exists already. Without an `owner`, it belongs to no owner. Null if that is not the reason. */
  readonly value: string | null;
  /** Whether that owner shares that value. */
  readonly isShared: boolean;
  /** The time of the next attempt in ms of the clock; null if it is not known. */
  readonly until: number | null;
}

/** The operator retries refused objects too, because the conflict may end without an edit of the object. */
export const REFUSED_RETRY_MS = 5 * 60_000;

const AT_TIME = ' The operator retries at status.nextAttemptTime.';

const BY_CODE: Readonly<Record<string, Pick<Failure, 'kind' | 'reason'>>> = {
  bad_request: { kind: 'refused', reason: 'InvalidSpec' },
  conflict: { kind: 'refused', reason: 'Conflict' },
  forbidden: { kind: 'refused', reason: 'NotPermitted' },
  unauthorized: { kind: 'transient', reason: 'NotPermitted' },
  rate_limited: { kind: 'wait', reason: 'RateLimited' },
  busy: { kind: 'wait', reason: 'ZoneBusy' },
};

/**
 * @param zone the zone whose API key the call used
 * @returns null for an error that is not a failed call to the service; the caller throws it again
 */
export function classifyFailure(error: unknown, zone?: DNSZone): Failure | null {
  const plain = { code: null, records: [], owner: null, value: null, isShared: false, until: null };
  if (error instanceof KeyUnusable) return { ...plain, kind: 'key', ...error.answer };
  if (isKeyNotRead(error)) {
    const message =
      'The DNS service has not yet read the key that signed the token. It reads the keys of the issuer every minute, and the operator retries. The name servers still serve the data that was written before.';
    return { ...plain, kind: 'transient', reason: 'APIUnavailable', message };
  }
  const keyRejection = zone === undefined ? null : rejectedKey(zone, error);
  if (keyRejection) return { ...plain, kind: 'key', ...keyRejection };
  // An object that Kubernetes has in an older version: no other object is in its way.
  if (error instanceof ApiError && error.code === 'conflict' && error.field?.endsWith('generation') === true)
    return { ...plain, ...detailsOf(error), kind: 'refused', reason: 'OlderThanService' };
  if (error instanceof ApiError && error.code === 'bad_request' && /(^|\.)check$/.test(error.field ?? ''))
    return { ...plain, ...detailsOf(error), kind: 'refused', reason: 'CheckMissing' };
  if (error instanceof ApiError) {
    const other = { kind: isAbsent(error) ? 'absent' : 'transient', reason: 'APIError' } as const;
    return { ...plain, ...(BY_CODE[error.code] ?? other), ...detailsOf(error) };
  }
  if (error instanceof ApiUnavailable) {
    return {
      ...plain,
      kind: 'transient',
      reason: 'APIUnavailable',
      message:
        'The operator cannot reach the DNS service and keeps trying. The name servers still serve the data that was written before.',
    };
  }
  if (error instanceof PausedTooLong)
    return { ...plain, kind: 'wait', reason: error.reason, message: `${error.message}${AT_TIME}`, until: error.until };
  return null;
}

type Details = Pick<Failure, 'message' | 'code' | 'records' | 'owner' | 'value' | 'isShared'>;

function detailsOf({ message, code, records, owner, value, isShared }: ApiError): Details {
  return { message, code, records, owner, value, isShared };
}

/**
 * Maps the error of a run or of a release. A key of the zone's own that the service refuses is read again at the next
 * run.
 * @param zone the zone whose API key the call used
 * @throws the error if it is not a failed call to the service
 */
export function failed(
  { clock, credentials }: Pick<OperatorContext, 'clock' | 'credentials'>,
  error: unknown,
  zone: DNSZone | undefined,
): { failure: Failure; next: Next } {
  const failure = classifyFailure(error, zone);
  if (!failure) throw error;
  if (failure.kind === 'key' && zone) credentials.invalidate(zone);
  return { failure, next: nextAfter(failure, error, clock.now(), credentials.refreshMs) };
}

function nextAfter({ kind, until }: Failure, error: unknown, now: number, keyRetryMs: number): Next {
  if (kind === 'refused') return { afterMs: REFUSED_RETRY_MS };
  if (kind === 'key') return { afterMs: keyRetryMs };
  if (isKeyNotRead(error)) return { afterMs: error.retryAfterMs };
  if (until !== null) return { afterMs: Math.max(0, until - now) };
  return { failed: error };
}

/**
 * The answer of a run to its queue.
 * @param onRecovery makes the object run again when the service answers again
 * @throws the failure that a growing delay follows
 */
export function toReconcileResult(next: Next, onRecovery: () => void): ReconcileResult {
  if (!('failed' in next)) return { requeueAfterMs: next.afterMs };
  onRecovery();
  throw next.failed;
}
