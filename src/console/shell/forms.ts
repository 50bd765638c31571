// Forms: the typed values, the errors, and the field of each error. The sentences are those of the API; this file has
// no rules.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { retryAfterSeconds } from '#base/retry-after.ts';
import { toHttpStatus } from '#http/refusals.ts';
import { Refusal, toIssuesRefusal } from '#service/refusal.ts';

/** Fields as they were sent. A repeated field is a list. */
export type Typed = Readonly<Record<string, string | string[] | undefined>>;

/** A sentence for each field. The sentence of the field '' is about the whole form. */
export type FormErrors = Readonly<Record<string, string>>;

export function readTyped(request: FastifyRequest): Typed {
  const { _csrf, _once, ...typed } = (request.body ?? {}) as Record<string, string | string[]>;
  return typed;
}

/** The value of a field, without spaces at its ends. Empty if the field was not sent. */
export function textField(typed: Typed, field: string): string {
  return [typed[field] ?? ''].flat().at(-1)?.trim() ?? '';
}

/** The value of a field as a list: repeated fields, or lines and comma-separated parts of a text. */
export function list(typed: Typed, field: string): string[] {
  return [typed[field] ?? []].flat().flatMap((each) => each.split(/[\n,]/).flatMap((part) => part.trim() || []));
}

/** Validates `input` with the API's schema. @throws Refusal bad_request with all wrong fields, as the API answers */
export function judge<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw toIssuesRefusal(parsed.error.issues);
}

/** The sentence for a condition that a form sent, and that is no longer true. */
const CHANGED =
  'This changed while the page was open, so nothing was written. Compare the values, and send the form again if your change is still right.';

/** The sentence for each field of a form with these fields. A refusal of `onlyNames.2` belongs to `onlyNames`. */
export function toFormErrors(refusal: Refusal, fields: readonly string[]): FormErrors {
  if (refusal.rule === 'changed-meanwhile') return { '': CHANGED };
  const errors: Record<string, string> = {};
  for (const each of [refusal, ...refusal.others]) {
    const [field = ''] = each.field?.split('.') ?? [];
    const { sentence } = each;
    const fieldError = each.mayBeginWithValue ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
    if (fields.includes(field)) errors[field] ??= fieldError;
    else errors[''] ??= each.ownMessage;
  }
  return errors;
}

/**
 * Runs `act`, unless the write limit refused the request. If it is refused, `again` shows the form with the errors,
 * under the status of the API. Other errors are thrown on.
 */
export async function attemptForm(
  reply: FastifyReply,
  fields: readonly string[],
  act: () => Promise<FastifyReply>,
  again: (errors: FormErrors, refused: Refusal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    const { limitRefusal } = reply.request;
    if (limitRefusal) throw limitRefusal;
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unauthorized') throw error;
    if (error.retryAfterMs !== null) reply.header('retry-after', retryAfterSeconds(error.retryAfterMs));
    reply.code(toHttpStatus(error));
    return again(toFormErrors(error, fields), error);
  }
}
