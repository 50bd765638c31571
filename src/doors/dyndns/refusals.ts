// The code of the dyndns2 protocol for each refusal: of a host name, or of the whole request.

import type { RefusalForm } from '#http/refusals.ts';
import type { Refusal, RefusalCode } from '#service/refusal.ts';

/** `911`: the client comes again. */
export type RefusedHost = 'nohost' | 'dnserr' | '911';

/** The codes of host names. A refusal with another code refuses the whole request. */
export const HOST_CODES: Partial<Record<RefusalCode, RefusedHost>> = {
  no_zone: 'nohost',
  forbidden: 'nohost',
  not_found: 'nohost',
  bad_request: 'dnserr',
  conflict: 'dnserr',
};

/** The codes of requests that did nothing. */
const CODES: Partial<Record<RefusalCode, string>> = {
  unauthorized: 'badauth',
  rate_limited: '911',
  busy: '911',
  internal: '911',
};

export const DYNDNS_REFUSALS: RefusalForm = {
  body: ({ code }: Refusal) => `${CODES[code] ?? 'badagent'}\n`,
  // inadyn exits after `abuse`, and after status 429; after 503 and `911` it comes again.
  status: ({ code }, status) => (code === 'rate_limited' ? 503 : status),
  challenge: 'Basic realm="zonestead", charset="UTF-8"',
};
