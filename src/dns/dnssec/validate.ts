/**
 * Validates answers as a resolver does that has the DS records of the zone (RFC 4035 section 5): the keys of the zone
 * against the DS records, and an RRset against the keys. Only for algorithm 13, with which the service signs, and for
 * names that no wildcard answers. Pure.
 */
import { pointsAt } from './records.ts';
import { isSignedBy, judgeSignatureTime, type Rrsig, readRrsig, type SignedSet } from './rrsig.ts';
import { computeKeyTag } from './signing-key.ts';

/** An RRset as it was answered. */
export interface AnsweredSet {
  set: SignedSet;
  /** RDATA of the RRSIG records at its name, in any order and for any types. */
  signatures: readonly Uint8Array[];
}

/** The keys of a zone that a resolver trusts, or the problem with them. */
export type KeyVerdict = { ok: true; keys: readonly Uint8Array[] } | { ok: false; problem: string };

/** RFC 4034 section 2.1.1: keys without this flag must not verify signatures of a zone. */
const ZONE_FLAG = 0x01;
/** RFC 4034 section 2.1.2. */
const PROTOCOL = 3;
/** SHA-256 and SHA-384: SHA-1 (1) must not be used for DS records (RFC 8624 section 3.3). */
const DIGEST_TYPES: ReadonlySet<number> = new Set([2, 4]);

/**
 * The whole DNSKEY RRset is trusted if a key that a DS record names has signed it. A signature by another key of the
 * set proves nothing, because anyone can add a key.
 * @param zone without final dot
 * @param ds RDATA
 */
export function trustKeys(
  zone: string,
  ds: readonly Uint8Array[],
  { set, signatures }: AnsweredSet,
  nowSeconds: number,
): KeyVerdict {
  const usableKeys = set.rdatas.filter(isZoneKey);
  if (usableKeys.length === 0) return { ok: false, problem: 'serves no key of the zone' };
  const entryKeys = usableKeys.filter((key) =>
    ds.some((each) => DIGEST_TYPES.has(each[3] ?? 0) && pointsAt(zone, each, key)),
  );
  if (entryKeys.length === 0) return { ok: false, problem: 'serves no key that a DS record of the zone names' };
  const problem = findSignatureProblem(zone, { set, signatures }, entryKeys, nowSeconds);
  return problem === null ? { ok: true, keys: usableKeys } : { ok: false, problem };
}

/**
 * The problem of the signatures of an RRset, to be read after the name of a server; null if one of them is valid.
 * @param keys those that {@link trustKeys} returned
 */
export function findSignatureProblem(
  zone: string,
  { set, signatures }: AnsweredSet,
  keys: readonly Uint8Array[],
  nowSeconds: number,
): string | null {
  const ownSignatures = signatures
    .flatMap((rdata) => readRrsig(rdata) ?? [])
    .filter(({ covers }) => covers === set.type);
  if (ownSignatures.length === 0) return 'serves no signature';
  const problems = ownSignatures.map((signature) => judge(zone, signature, set, keys, nowSeconds));
  return problems.includes(null) ? null : (problems[0] ?? null);
}

function judge(
  zone: string,
  signature: Rrsig,
  set: SignedSet,
  keys: readonly Uint8Array[],
  nowSeconds: number,
): string | null {
  if (signature.signer !== `${zone.toLowerCase()}.`) return `serves a signature of another zone, ${signature.signer}`;
  // RFC 4035 section 5.3.1: fewer labels mean a wildcard, more are an error.
  if (signature.labels !== set.name.split('.').length) return 'serves a signature for another name';
  const time = judgeSignatureTime(signature, nowSeconds);
  if (time === 'early') return 'serves a signature that is not valid yet';
  if (time === 'expired') return 'serves a signature that has expired';
  const namedKeys = keys.filter((key) => computeKeyTag(key) === signature.keyTag);
  if (namedKeys.length === 0) return `serves a signature of the key ${signature.keyTag}, which is not trusted`;
  return namedKeys.some((key) => isSignedBy(signature, set, key)) ? null : 'serves a signature that does not verify';
}

function isZoneKey(rdata: Uint8Array): boolean {
  return ((rdata[0] ?? 0) & ZONE_FLAG) !== 0 && rdata[2] === PROTOCOL;
}
