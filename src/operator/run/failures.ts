// Translates the errors of calls to the service into a reason, a message and a kind of retry for the object. The same situation
// gives the same bytes, so that a retry does not write a new status.
import { ApiError, ApiUnavailable } from '#client/errors.ts';

type FailureKind =
  /** The service refuses the request: the user must change the object or the zone. */
  | 'refused'
  /** The service or the network fails: the operator retries. */
  | 'transient'
  /** The time of the next attempt is known. */
  | 'wait';

export interface Failure {
  kind: FailureKind;
  reason:
    | 'InvalidSpec'
    | 'Conflict'
    | 'NotPermitted'
    | 'RateLimited'
    | 'ZoneBusy'
    | 'ZoneNotReady'
    | 'APIUnavailable'
    | 'APIError';
  message: string;
  /** Ids of the records at the service that conflict with the request. */
  records: readonly string[];
}

/** The operator retries refused objects too, because the conflict may end without an edit of the object. */
export const REFUSED_RETRY_MS = 5 * 60_000;

const BY_CODE: Readonly<Record<string, Pick<Failure, 'kind' | 'reason'>>> = {
  bad_request: { kind: 'refused', reason: 'InvalidSpec' },
  conflict: { kind: 'refused', reason: 'Conflict' },
  forbidden: { kind: 'refused', reason: 'NotPermitted' },
  unauthorized: { kind: 'transient', reason: 'NotPermitted' },
  rate_limited: { kind: 'wait', reason: 'RateLimited' },
  busy: { kind: 'wait', reason: 'ZoneBusy' },
};

/** @returns null for an error that is not a failed call to the service; the caller throws it again */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof ApiError) {
    const known = BY_CODE[error.code] ?? { kind: 'transient', reason: 'APIError' };
    return { ...known, message: error.message, records: error.records };
  }
  if (error instanceof ApiUnavailable) {
    return {
      kind: 'transient',
      reason: 'APIUnavailable',
      message:
        'The operator cannot reach the DNS service and keeps trying. The name servers still serve the data that was written before.',
      records: [],
    };
  }
  if (error instanceof PausedTooLong) {
    return { kind: 'wait', reason: error.reason, message: error.message, records: [] };
  }
  return null;
}

/** The dispatcher holds the write back for longer than a worker may wait. */
export class PausedTooLong extends Error {
  readonly reason: 'RateLimited' | 'ZoneBusy';
  /** The time at which the pause ends, in ms of the dispatcher's clock. */
  readonly until: number;

  constructor(reason: 'RateLimited' | 'ZoneBusy', until: number) {
    super(
      reason === 'RateLimited'
        ? 'The API key has reached its write limit. The operator retries at status.nextAttemptTime.'
        : 'The zone is busy with other changes. The operator retries at status.nextAttemptTime.',
    );
    this.name = 'PausedTooLong';
    this.reason = reason;
    this.until = until;
  }
}
