// Forms: what was typed, what is wrong with it, and at which field. Sentences are the API's own; no rule stands here.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { retryAfterSeconds, STATUS, sentenceOfIssue } from '../api/errors.ts';
import { Refusal } from '../zones/refusal.ts';

/** Fields as they came; a repeated one is a list. */
export type Typed = Readonly<Record<string, string | string[] | undefined>>;

/** A sentence per field; that of '' is about the form as a whole. */
export type FormErrors = Readonly<Record<string, string>>;

export function typedOf(request: FastifyRequest): Typed {
  const { _csrf, ...typed } = (request.body ?? {}) as Record<string, string | string[]>;
  return typed;
}

/** One field as text without spaces at its ends; empty when it was not sent. */
export function text(typed: Typed, field: string): string {
  return [typed[field] ?? ''].flat().at(-1)?.trim() ?? '';
}

/** A field as a list: repeated fields, or lines and commas of a text. */
export function list(typed: Typed, field: string): string[] {
  return [typed[field] ?? []].flat().flatMap((each) => each.split(/[\n,]/).flatMap((part) => part.trim() || []));
}

/** What a schema found wrong, at all fields at once. */
class FormRefusal extends Refusal {
  readonly sentences: readonly string[];

  constructor(sentences: readonly string[]) {
    super('bad_request', sentences.join(' '));
    this.sentences = sentences;
  }
}

/** `input` as the API's schema understands it. @throws Refusal bad_request that names the fields, as the API answers it */
export function judge<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new FormRefusal(parsed.error.issues.map((issue) => sentenceOfIssue(issue.path.join('.'), issue.message)));
}

/** Where a refusal belongs on a form with these fields. `onlyNames.2: …` is said at `onlyNames`. */
export function errorsOf(error: Refusal, fields: readonly string[]): FormErrors {
  const sentences = error instanceof FormRefusal ? error.sentences : [error.message];
  const errors: Record<string, string> = {};
  for (const sentence of sentences) {
    const [field, text] = placeOf(sentence, fields);
    errors[field] ??= text;
  }
  return errors;
}

function placeOf(message: string, fields: readonly string[]): [field: string, sentence: string] {
  const [, named = '', sentence = ''] = /^([A-Za-z][\w.]*(?:, [A-Za-z]\w*)*): (.*)$/s.exec(message) ?? [];
  const field = named
    .split(', ')
    .map((each) => each.split('.')[0] ?? '')
    .find((each) => fields.includes(each));
  if (field === undefined) return ['', message];
  return [field, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`];
}

/** Runs `act`; what is refused is shown by `again` under the status that the API gives it. Other errors go on. */
export async function attempt(
  reply: FastifyReply,
  fields: readonly string[],
  act: () => Promise<FastifyReply>,
  again: (errors: FormErrors) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unauthorized') throw error;
    if (error.retryAfterMs !== null) reply.header('retry-after', retryAfterSeconds(error.retryAfterMs));
    reply.code(STATUS[error.code]);
    return again(errorsOf(error, fields));
  }
}
