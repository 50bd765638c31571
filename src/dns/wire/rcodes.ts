/** The response codes of DNS messages (IANA, DNS parameters). */

/** Those of queries, and of updates (RFC 2136 section 2.2). */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
} as const;

export type Rcode = keyof typeof RCODE;

export const { NXDOMAIN } = RCODE;

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([name, rcode]) => [rcode, name]));

/** `NOERROR`, `NXDOMAIN`, …; `RCODE11` for codes without a name here. */
export function rcodeName(rcode: number): string {
  return NAMES.get(rcode) ?? `RCODE${rcode}`;
}
