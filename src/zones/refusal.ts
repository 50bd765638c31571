// The one thing that the operations of this room throw on purpose. Knows nothing of HTTP: a code is not a status.
import type { Problem } from '../dns/verdict.ts';

export type RefusalCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'no_zone'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'busy';

export class Refusal extends Error {
  readonly code: RefusalCode;
  /** For `rate_limited` and `busy`: the identical request has a chance after this long, in ms. */
  readonly retryAfterMs: number | null;

  constructor(code: RefusalCode, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A problem that the pure rules found, as a refusal that names the field. */
export function refuseProblem(problem: Problem): Refusal {
  return new Refusal(problem.code, `${problem.field}: ${problem.message}`);
}

/** The value of a verdict. @throws Refusal */
export function insist<T>(verdict: { ok: true; value: T } | { ok: false; problem: Problem }): T {
  if (!verdict.ok) throw refuseProblem(verdict.problem);
  return verdict.value;
}
