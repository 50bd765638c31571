/** The response codes of DNS messages (IANA, DNS parameters). */

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED', '', '', '', 'NOTAUTH'] as const;

export const NXDOMAIN = RCODES.indexOf('NXDOMAIN');

/** `NOERROR`, `NXDOMAIN`, …; `RCODE6` for codes that do not occur in answers to a query. */
export function rcodeName(rcode: number): string {
  return RCODES[rcode] || `RCODE${rcode}`;
}
