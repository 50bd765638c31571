/**
 * The answer of every rule in this room: either a value or a problem that says how to mend it.
 *
 * Nothing here throws on a user's mistake; callers turn a problem into their own kind of refusal. The room knows DNS
 * only: no HTTP status, no SQL, no Kubernetes condition.
 */

/** `bad_request`: the input is wrong by itself. `conflict`: it is right, but not beside what exists already. */
export type ProblemCode = 'bad_request' | 'conflict';

export interface Problem {
  code: ProblemCode;
  /** The input field at fault, spelled as in the API: `name`, `type`, `content`, `ttl`, `priority`, `zoneName`, … */
  field: string;
  /** What was found and what would be accepted, in one or two plain sentences. */
  message: string;
}

export type Verdict<T> = { ok: true; value: T } | { ok: false; problem: Problem };

/** A verdict in favour of `value`. */
export function accept<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

/** The input is wrong by itself. */
export function refuse(field: string, message: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { code: 'bad_request', field, message } };
}

/** The input competes with what exists already. */
export function conflict(field: string, message: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { code: 'conflict', field, message } };
}

const CLIP = 60;

/** `text` in JSON quotes for a message: control characters escaped, at most 60 characters of the user's input. */
export function clip(text: string): string {
  return JSON.stringify(text.length > CLIP ? `${text.slice(0, CLIP)}…`.toWellFormed() : text);
}
