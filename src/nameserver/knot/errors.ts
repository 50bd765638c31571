// The failures of work with knotd, by type, so that a caller need not read texts.

/**
 * - `refused`: Knot answered with an error; `reason` is its text, for instance "semantic check".
 * - `unreachable`: no connection to the control socket, or it ended before the answer.
 * - `timeout`: no answer within the limit.
 * - `protocol`: the answer is not the control protocol, or larger than any answer that we ask for.
 */
export type KnotFailure = 'refused' | 'unreachable' | 'timeout' | 'protocol';

export class KnotError extends Error {
  readonly failure: KnotFailure;
  /** Knot's own words, or the system's. */
  readonly reason: string;

  constructor(failure: KnotFailure, reason: string, message: string) {
    super(message);
    this.name = 'KnotError';
    this.failure = failure;
    this.reason = reason;
  }
}

/** Whether Knot refused with one of these texts. */
export function isRefusal(error: unknown, ...reasons: string[]): boolean {
  return error instanceof KnotError && error.failure === 'refused' && reasons.includes(error.reason);
}

/** Whether knotd has no usable key of the zone: its key store was lost or damaged. */
export function isKeyLost(error: unknown): boolean {
  return isRefusal(error, 'no keys for signing', 'PKCS #8 import error', 'not exists');
}

/** LMDB's texts, as Knot repeats them, begin with this. */
const DAMAGE = 'MDB_';

/** The refusal with the remedy, if a database of knotd is damaged. @returns any other error as it is */
export function withRemedy(error: unknown): unknown {
  if (!(error instanceof KnotError) || error.failure !== 'refused' || !error.reason.startsWith(DAMAGE)) return error;
  const remedy =
    'a database of knotd is damaged. Restart knotd: its start sets the database aside, and the node loads the zones again';
  return new KnotError('refused', error.reason, `${error.message}: ${remedy}`);
}
