/**
 * The RRsets of a zone, as the feed carries them and as a name server compares them: without SOA and DNSSEC records,
 * which each name server makes itself. Pure.
 */
import { createHash } from 'node:crypto';

export interface ServedSet {
  /** Canonical and relative to the zone, as in the REST API: `@`, `www`, `*.dev`. */
  readonly name: string;
  readonly type: string;
  /** Seconds. One for the whole RRset (RFC 2181 section 5.2). */
  readonly ttl: number;
  /** The canonical text of each RDATA with absolute names, without duplicates, sorted by UTF-16 code unit. */
  readonly rdata: readonly string[];
  /**
   * For an RRset that is answered with one record at a time: the weight of each RDATA, in the same order. Absent: the
   * records are answered together.
   */
  readonly weights?: readonly number[] | undefined;
}

/** Whether two RRsets of one name and type are answered in the same way. */
export function isSameSet(one: ServedSet, other: ServedSet): boolean {
  return hasSameRecords(one, other) && isSameList(one.weights ?? [], other.weights ?? []);
}

/** Whether two RRsets of one name and type have the same TTL and values, with any weights. */
export function hasSameRecords(one: ServedSet, other: ServedSet): boolean {
  return one.ttl === other.ttl && isSameList(one.rdata, other.rdata);
}

function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}

/** The digest of a zone without RRsets. */
export const EMPTY_DIGEST = '0'.repeat(64);

const SPACE = 1n << 256n;

/**
 * The digest of RRsets in any order: the sum of their SHA-256 hashes, modulo 2^256, as 64 hexadecimal digits. A sum
 * needs neither sorting nor the whole zone in memory, and each name is in it once, because no two RRsets have the same
 * name and type. It protects against faults, not against an attacker who chooses RRsets: a client that may choose them
 * may change the zone anyway.
 *
 * @param digest the digest of the RRsets so far
 */
export function addToDigest(digest: string, sets: Iterable<ServedSet>): string {
  let sum = BigInt(`0x${digest}`);
  for (const { name, type, ttl, rdata, weights } of sets) {
    const text = JSON.stringify([name, type, ttl, rdata, ...(weights === undefined ? [] : [weights])]);
    sum += BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  }
  return (sum % SPACE).toString(16).padStart(64, '0');
}
