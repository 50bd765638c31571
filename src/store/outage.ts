// Errors that mean that Postgres cannot be used at the moment: the connection is lost, the server does not take writes,
// or no server is the primary. The work can be repeated later; whether it was written may be unknown.
import postgres from 'postgres';

/**
 * `nothing`: nothing of the work was written. `unknown`: the connection was lost after the statement or the commit had
 * been sent, so it may have been written.
 */
export type Written = 'nothing' | 'unknown';

/** An outage that this room found itself; the cause is the error of the driver, if there is one. */
export class Outage extends Error {
  readonly written: Written;
  /** As errors of the driver have one, for messages by code. */
  readonly code: string;

  constructor(code: string, writeState: Written, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'Outage';
    this.code = code;
    this.written = writeState;
  }
}

/** Why connections are given up; the label of a metric. */
export const REASONS = ['refused', 'lost', 'ended', 'read-only', 'silent', 'standby'] as const;
export type Reason = (typeof REASONS)[number];

/** Errors of a connection that was not established. */
const REFUSED: ReadonlySet<string> = new Set([
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'TLS_FAILED',
]);
/**
 * Errors of an established connection. CONNECTION_DESTROYED is also the driver's error for a server that is a standby.
 */
const LOST: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
]);
/**
 * SQLSTATEs: 57P01 and 57P02 end a connection, 57P03 refuses it, 25006 is a write to a standby or a demoted primary.
 */
const STATES: Readonly<Record<string, Reason>> = {
  '57P01': 'ended',
  '57P02': 'ended',
  '57P03': 'refused',
  '25006': 'read-only',
};
/** The server is well and has no room for another connection: other connections to it are kept. */
const FULL = '53300';

/** Why the connection of this error cannot be used any more; null for any other error. */
export function findLoss(error: unknown): Reason | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    const { code = '' } = e as { code?: string };
    if (e instanceof postgres.PostgresError) return STATES[code] ?? null;
    if (REFUSED.has(code)) return 'refused';
    if (LOST.has(code)) return 'lost';
  }
  return null;
}

/**
 * Whether work that failed with this error may be written; null if the error is not an outage. The error of a
 * transaction says more than that of its statement: it is an Outage, and comes first.
 */
export function findOutage(error: unknown): Written | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof Outage) return e.written;
    if (e instanceof postgres.PostgresError && e.code === FULL) return 'nothing';
  }
  const reason = findLoss(error);
  if (reason === null) return null;
  return reason === 'refused' || reason === 'read-only' ? 'nothing' : 'unknown';
}
