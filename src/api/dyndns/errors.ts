// The answers of the dyndns2 protocol to requests that are refused as a whole.
import type { Refusal, RefusalCode } from '#service/refusal.ts';
import type { RefusalForm } from '../errors.ts';

/**
 * Clients stop permanently after `abuse` with status 200, and wait after another status. So what passes keeps the status of HTTP,
 * with Retry-After.
 */
const CODES: Partial<Record<RefusalCode, string>> = {
  unauthorized: 'badauth',
  rate_limited: 'abuse',
  busy: '911',
  internal: '911',
};

export const DYNDNS_ERRORS: RefusalForm = {
  body: ({ code }: Refusal) => `${CODES[code] ?? 'badagent'}\n`,
  status: (_, status) => status,
  challenge: 'Basic realm="zonestead", charset="UTF-8"',
};
