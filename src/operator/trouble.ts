// Failures of calls to the service, as what they mean for an object: a reason, a message, and when to try again. Pure.
// Messages are byte-stable for the same situation, so that a status is not written at every attempt.
import { ApiError, ApiUnavailable } from '../client/errors.ts';

export type TroubleKind =
  /** The user's own mistake: waiting does not help, an edit does. */
  | 'refused'
  /** The service or the way to it: try again by itself. */
  | 'transient'
  /** The service named the moment of the next attempt. */
  | 'wait';

export interface Trouble {
  kind: TroubleKind;
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
}

/** Slow, but not never: what another object holds today can be free tomorrow. */
export const REFUSED_RETRY_MS = 5 * 60_000;

const BY_CODE: Readonly<Record<string, Pick<Trouble, 'kind' | 'reason'>>> = {
  bad_request: { kind: 'refused', reason: 'InvalidSpec' },
  conflict: { kind: 'refused', reason: 'Conflict' },
  forbidden: { kind: 'refused', reason: 'NotPermitted' },
  unauthorized: { kind: 'transient', reason: 'NotPermitted' },
  rate_limited: { kind: 'wait', reason: 'RateLimited' },
  busy: { kind: 'wait', reason: 'ZoneBusy' },
};

/** @returns null for what is no failure of a call to the service: it is thrown on */
export function troubleOf(error: unknown): Trouble | null {
  if (error instanceof ApiError) {
    const known = BY_CODE[error.code] ?? { kind: 'transient', reason: 'APIError' };
    return { ...known, message: error.message };
  }
  if (error instanceof ApiUnavailable) {
    return {
      kind: 'transient',
      reason: 'APIUnavailable',
      message: 'The DNS service cannot be reached; the operator keeps trying. What was written before is still served.',
    };
  }
  if (error instanceof PausedTooLong) {
    return { kind: 'wait', reason: error.reason, message: error.message };
  }
  return null;
}

/** The dispatcher holds the write back for longer than a worker may wait. */
export class PausedTooLong extends Error {
  readonly reason: 'RateLimited' | 'ZoneBusy';
  /** When the pause ends, in ms of the dispatcher's clock. */
  readonly until: number;

  constructor(reason: 'RateLimited' | 'ZoneBusy', until: number) {
    super(
      reason === 'RateLimited'
        ? 'The write limit of the API key is used up; the write is sent when it allows (status.nextAttemptTime).'
        : 'The zone is busy with another change; the write is sent in a moment (status.nextAttemptTime).',
    );
    this.name = 'PausedTooLong';
    this.reason = reason;
    this.until = until;
  }
}
