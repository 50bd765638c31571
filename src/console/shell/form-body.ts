// Parses the bodies of forms (application/x-www-form-urlencoded). Any client can send one to the sign-in page, and a
// body that consists of field names is by far the most expensive to parse. The parser therefore counts fields before it
// parses and names after it.
import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { refusal } from '#service/refusal.ts';

/** The largest body of a form without a file, in octets. */
const FORM_LIMIT = 256 * 1024;

/** The largest body of the sign-in form, in octets. */
export const SIGN_IN_LIMIT = 16 * 1024;

/** An app key has up to 1,000 grants with two fields each. */
const FIELDS = 4_096;

/** The largest number of distinct field names. The largest form has about twenty. */
const NAMES = 64;

/** The fields of a form, as a page receives them. Each page validates its fields with the API's schemas. */
export const FORM = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** Applies to the routes of this scope. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT },
    async (_request: unknown, body: string) => parseFormBody(body),
  );
}

/** A repeated field becomes a list. @throws Refusal bad_request */
export function parseFormBody(body: string): Record<string, string | string[] | undefined> {
  if (countFields(body) > FIELDS) throw refusal('form-fields', { limit: FIELDS });
  // The parser's own limit would drop fields silently.
  const fields = parse(body, '&', '=', { maxKeys: 0 });
  if (Object.keys(fields).length > NAMES) {
    throw refusal('form-field-names', { limit: NAMES });
  }
  return fields;
}

/** Stops counting at one more than the limit. */
function countFields(body: string): number {
  let count = 1;
  for (let at = body.indexOf('&'); at >= 0 && count <= FIELDS; at = body.indexOf('&', at + 1)) count += 1;
  return count;
}
