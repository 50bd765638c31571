// The codes of errors: the HTTP status of each and its meaning. The OpenAPI document and docs/reference/errors.md are
// made from this table and from the catalogue in service/refusals.
import { type ErrorCode, errorBody } from '#contract/error.ts';
import type { RuleId } from '#service/refusal.ts';

export const CODES: Readonly<Record<ErrorCode, { status: number; meaning: string }>> = {
  bad_request: {
    status: 400,
    meaning: 'the request is not valid. The message names the field, its value and the values that are accepted.',
  },
  unauthorized: {
    status: 401,
    meaning: 'the API key is missing, wrong, expired or revoked, or its networks do not include your address.',
  },
  forbidden: { status: 403, meaning: 'the key lacks the permission, the name is reserved, or a quota is used up.' },
  no_zone: { status: 404, meaning: 'the zone does not exist, or the key may not see it.' },
  not_found: { status: 404, meaning: 'the object does not exist, or the key may not see it.' },
  conflict: {
    status: 409,
    meaning: 'the object exists already, or the change conflicts with other data. The message names that data.',
  },
  precondition_failed: {
    status: 412,
    meaning:
      'the request has a condition (If-Match or If-None-Match) that the present state does not match. Nothing was written. The answer has the ETag of the present state.',
  },
  rate_limited: {
    status: 429,
    meaning: 'the key made too many writes within 60 seconds, or too many reads. Retry after Retry-After.',
  },
  internal: { status: 500, meaning: 'this is our error. Retry, and quote the `x-request-id` if it persists.' },
  dns_server: { status: 502, meaning: 'reserved. The service does not answer with this code at present.' },
  busy: {
    status: 503,
    meaning:
      'the zone or the service is busy. Nothing was written. Retry after Retry-After. With the code `internal`, the database is down, and the message says whether the change may be written.',
  },
};

/** The status of each code (contract E2). */
export const STATUS = Object.fromEntries(Object.entries(CODES).map(([code, { status }]) => [code, status])) as Readonly<
  Record<ErrorCode, number>
>;

const COMMON = ['unauthorized', 'rate_limited', 'internal', 'busy'] as const satisfies readonly ErrorCode[];

/** Every route can answer 401, 429, 500 and 503 in addition to these codes: reads have a limit, too. */
export function errorAnswers(...codes: readonly ErrorCode[]): Record<number, typeof errorBody> {
  return Object.fromEntries([...codes, ...COMMON].map((code) => [STATUS[code], errorBody]));
}

/** The rules whose status is not that of their code. */
export const STATUS_OF_RULE: Readonly<Partial<Record<RuleId, number>>> = {
  'no-such-method': 405,
  'request-too-slow': 408,
  'body-too-large': 413,
  'address-too-long': 414,
  'body-wrong-type': 415,
  'body-compressed': 415,
  'headers-too-large': 431,
  // Not `busy`, which says that only the zone is busy and that nothing was written: the whole service waits, and a
  // change of unknown outcome may be written.
  'database-away': 503,
  'read-only': 503,
  'outcome-unknown': 503,
};

/** The meaning of the statuses above that have the code `bad_request`. */
const MEANING_OF_STATUS: Readonly<Record<number, string>> = {
  405: 'the address does not have this method. The header Allow lists its methods.',
  408: 'the request did not arrive in time.',
  413: 'the body is too large. The message names the limit.',
  414: 'a part of the path is longer than any id.',
  415: 'the operation does not accept the content type or the compression of the body.',
  431: 'the address and the headers are too large.',
};

/** The description of an error status in the OpenAPI document. Null for a status that no error has. */
export function describeStatus(status: number): string | null {
  const codes = Object.entries(CODES).flatMap(([code, of]) =>
    of.status === status ? [`\`${code}\`: ${of.meaning}`] : [],
  );
  const meaning = MEANING_OF_STATUS[status];
  return meaning === undefined ? codes.join(' ') || null : `\`bad_request\`: ${meaning}`;
}
