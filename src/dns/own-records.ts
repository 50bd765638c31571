/** The values of the records that the service makes itself for every zone. */

/**
 * The TTL of the SOA, in seconds. Negative answers live for the shorter of it and `SOA_TIMERS.minimum` (RFC 2308
 * section 5).
 */
export const SOA_TTL = 300;

/** The TTL of the NS records of a zone and of its hosted child zones, and of their DS records, in seconds. */
export const NS_TTL = 3_600;

/** In seconds. The minimum is short: an ACME client that looks too early must not wait long. */
export const SOA_TIMERS = { refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 60 } as const;

/**
 * RDATA of a SOA.
 * @param nameserver the first one; both names are without the final dot
 * @param serial or a mark, which stands for it
 */
export function soaRdata(nameserver: string, hostmaster: string, serial: number | string): string {
  const { refresh, retry, expire, minimum } = SOA_TIMERS;
  return `${nameserver}. ${hostmaster}. ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
}

/**
 * The RRset of a name whose only record is an ALIAS without addresses. The name exists, so its absence is not denied
 * and no wildcard answers for it. The type is one for private use (RFC 6895 section 3.1), and no client asks for it.
 */
export const PLACEHOLDER = { type: 'TYPE65401', rdata: '\\# 0' } as const;
