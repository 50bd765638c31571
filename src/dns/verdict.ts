/**
 * The result of every rule in this room: either a value, or a problem that says how to correct the input.
 *
 * Nothing here throws on a user's mistake; callers turn a problem into their own kind of refusal.
 */

import { escapeUnprintable } from '#base/printable.ts';

/** The rules about a record and the other data of its zone, by their stable ids. */
export type ConflictRule =
  | 'duplicate'
  | 'cname-alone'
  | 'alias-alone'
  | 'null-mx-alone'
  | 'ds-needs-ns'
  | 'in-child-zone'
  | 'below-delegation'
  | 'hides-records'
  | 'below-dname'
  | 'dname-single'
  | 'alias-form-single'
  | 'alias-loop'
  | 'alias-chain';

/** `bad_request`: the input is wrong by itself. `conflict`: the input is valid, but contradicts existing data. */
export type Problem = InvalidInput | Conflict;

interface InvalidInput extends ProblemText {
  code: 'bad_request';
}

interface Conflict extends ProblemText {
  code: 'conflict';
  rule: ConflictRule;
  /** Ids of the stored records that conflict with the input. */
  records: readonly string[];
}

interface ProblemText {
  /** The input field at fault, spelled as in the API: `name`, `type`, `content`, `ttl`, `priority`, `zoneName`, … */
  field: string;
  /** The wrong value and the values that would be accepted, in one or two plain sentences. */
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

/** The input conflicts with existing data. @param records ids of the stored records that conflict with the input */
export function conflict(
  rule: ConflictRule,
  field: string,
  message: string,
  records: readonly string[] = [],
): { ok: false; problem: Problem } {
  return { ok: false, problem: { code: 'conflict', rule, field, message, records } };
}

const CLIP = 60;

/**
 * `text` in JSON quotes for a message: characters that are not printed are escaped, at most 60 characters of the user's
 * input.
 */
export function clip(text: string): string {
  return escapeUnprintable(JSON.stringify(text.length > CLIP ? `${text.slice(0, CLIP)}…`.toWellFormed() : text));
}
