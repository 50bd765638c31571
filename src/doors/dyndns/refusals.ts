// The answers of the dyndns2 protocol to requests that are refused as a whole.

import type { RefusalForm } from '#http/errors.ts';
import type { Refusal, RefusalCode } from '#service/refusal.ts';

/** The codes of requests that did nothing. */
const CODES: Partial<Record<RefusalCode, string>> = {
  unauthorized: 'badauth',
  rate_limited: '911',
  busy: '911',
  internal: '911',
};

export const DYNDNS_ERRORS: RefusalForm = {
  body: ({ code }: Refusal) => `${CODES[code] ?? 'badagent'}\n`,
  // inadyn exits after `abuse`, and after status 429; after 503 and `911` it comes again.
  status: ({ code }, status) => (code === 'rate_limited' ? 503 : status),
  challenge: 'Basic realm="zonestead", charset="UTF-8"',
};
