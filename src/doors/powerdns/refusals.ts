// Error answers of the PowerDNS API: `{"error": sentence}`. Clients show the sentence, and act on the status alone.

import type { RefusalForm } from '#http/refusals.ts';
import type { Refusal } from '#service/refusal.ts';
import { POWERDNS_JSON_TYPE } from './answers.ts';

/** Errors of HTTP and JSON; every other bad request is a value that cannot be accepted, which PowerDNS answers 422. */
const BAD_HTTP: ReadonlySet<Refusal['rule']> = new Set([
  'body-not-json',
  'body-not-utf8',
  'body-too-complex',
  'body-wrong-length',
  'header-not-once',
  'header-repeated',
  'malformed',
]);

export const POWERDNS_REFUSALS: RefusalForm = {
  body: (refused) => ({ error: refused.message }),
  jsonType: POWERDNS_JSON_TYPE,
  status: (refused, status) => {
    if (status === 400) return BAD_HTTP.has(refused.rule) ? 400 : 422;
    // In this API, only zones can be in conflict. Records that exclude each other are a value that cannot be accepted.
    return status === 409 && refused.field !== 'zoneName' ? 422 : status;
  },
  challenge: 'X-API-Key realm="zonestead"',
};
