/**
 * Judges the chain of trust of a zone: the DS at the parent, the DNSKEY that it points to, and the signature of an
 * answer made with that key (RFC 4035 section 5). Each link by itself is valid, missing, a mismatch or unknown, with a
 * sentence that gives the reason. Pure.
 */
import { type Ancestor, type AncestorFound, judgeAncestors } from './ancestors.ts';
import type { Link } from './link.ts';
import { decodeDnskey, decodeDs, pointsAt } from './records.ts';
import { isSignedBy, judgeSignatureTime, type Rrsig, readRrsig, type SignedSet } from './rrsig.ts';
import { computeKeyTag } from './signing-key.ts';

export interface ChainOfTrust {
  zone: string;
  /** The root and the zones between it and this zone, from the root downwards. Empty if no resolver knows them. */
  above: Ancestor[];
  ds: Link<{ keyTag: number; algorithm: number; digestType: number; digest: string }>;
  dnskey: Link<{ keyTag: number; algorithm: number; flags: number }>;
  rrsig: Link<{ keyTag: number; algorithm: number; covers: number; inception: Date; expiration: Date }>;
}

/** RDATA, as served; null: no server answered. */
export interface ChainFound {
  zone: string;
  /** The zones above it, from the root downwards. */
  above: readonly AncestorFound[];
  ds: readonly Uint8Array[] | null;
  dnskey: { keys: readonly Uint8Array[]; signatures: readonly Uint8Array[] } | null;
  /**
   * One RRset of the name that is looked at, with its signatures. A null set: the answer contained nothing that could
   * be signed.
   */
  answer: { set: SignedSet | null; signatures: readonly Uint8Array[] } | null;
}

const DNSKEY = 48;

export function judgeChain({ zone, above, ds, dnskey, answer }: ChainFound, now: Date): ChainOfTrust {
  const seconds = Math.floor(now.getTime() / 1000);
  const keys = dnskey?.keys ?? [];
  return {
    zone,
    above: judgeAncestors(above),
    ds: judgeDs(zone, ds, dnskey === null ? null : keys),
    dnskey: judgeKeys(zone, ds, dnskey, seconds),
    rrsig: judgeSignatures(zone, answer, keys, dnskey !== null, seconds),
  };
}

function judgeDs(zone: string, ds: ChainFound['ds'], keys: readonly Uint8Array[] | null): ChainOfTrust['ds'] {
  if (ds === null)
    return { state: 'unknown', reason: 'The parent zone did not answer the query for DS records.', entries: [] };
  if (ds.length === 0) {
    const reason = `The parent zone has no DS record for ${zone}, so validating resolvers treat the zone as unsigned.`;
    return { state: 'missing', reason, entries: [] };
  }
  const entries = ds.map((rdata) => ({ ...decodeDs(rdata), state: pointsAtOne(zone, rdata, keys ?? []) }));
  if (keys === null)
    return {
      state: 'unknown',
      reason: 'No name server answered, so the DS records cannot be compared with its keys.',
      entries,
    };
  if (entries.some(({ state }) => state === 'valid')) {
    return { state: 'valid', reason: 'A DS record at the parent matches a key of the zone.', entries };
  }
  const reason = 'No DS record at the parent matches a key of the zone, so validating resolvers answer SERVFAIL.';
  return { state: 'mismatch', reason, entries };
}

function judgeKeys(
  zone: string,
  ds: ChainFound['ds'],
  dnskey: ChainFound['dnskey'],
  now: number,
): ChainOfTrust['dnskey'] {
  if (dnskey === null) return { state: 'unknown', reason: 'No name server answered.', entries: [] };
  const { keys, signatures } = dnskey;
  if (keys.length === 0) return { state: 'missing', reason: 'The name servers serve no DNSKEY records.', entries: [] };
  const set = { name: zone, type: DNSKEY, rdatas: keys };
  const checks = signatures.flatMap((rdata) => readRrsig(rdata) ?? []).map((each) => judgeOne(each, set, keys, now));
  const entries = keys.map((rdata) => {
    const isNamed = (ds ?? []).length === 0 || (ds ?? []).some((each) => pointsAt(zone, each, rdata));
    return { ...decodeDnskey(rdata), state: isNamed ? ('valid' as const) : ('mismatch' as const) };
  });
  if (signatures.length === 0) {
    return { state: 'mismatch', reason: 'The DNSKEY records have no signature.', entries };
  }
  const wrong = checks.every(({ problem }) => problem !== null) ? (checks[0]?.problem ?? 'is not readable') : null;
  if (wrong !== null) return { state: 'mismatch', reason: `The signature of the DNSKEY records ${wrong}.`, entries };
  return { state: 'valid', reason: 'The DNSKEY records are signed with a key of the zone.', entries };
}

function judgeSignatures(
  zone: string,
  answer: ChainFound['answer'],
  keys: readonly Uint8Array[],
  hasKeys: boolean,
  now: number,
): ChainOfTrust['rrsig'] {
  if (answer === null) return { state: 'unknown', reason: 'No name server answered.', entries: [] };
  const { set } = answer;
  if (set === null)
    return { state: 'missing', reason: 'The answer contains no records that can be signed.', entries: [] };
  const signatures = answer.signatures
    .flatMap((rdata) => readRrsig(rdata) ?? [])
    .filter(({ covers }) => covers === set.type);
  if (signatures.length === 0) return { state: 'missing', reason: 'The answer has no signature.', entries: [] };
  const checks = signatures.map((signature) => ({ signature, ...judgeOne(signature, set, keys, now) }));
  const entries = checks.map(({ signature, problem }) => ({
    keyTag: signature.keyTag,
    algorithm: signature.algorithm,
    covers: signature.covers,
    inception: new Date(signature.inception * 1000),
    expiration: new Date(signature.expiration * 1000),
    state: problem === null ? ('valid' as const) : ('mismatch' as const),
  }));
  if (!hasKeys)
    return {
      state: 'unknown',
      reason: `No name server answered with the keys of ${zone}, so the signature cannot be checked.`,
      entries,
    };
  if (checks.some(({ problem }) => problem === null)) {
    return { state: 'valid', reason: 'The answer is signed by a key of the zone.', entries };
  }
  return { state: 'mismatch', reason: `The signature ${checks[0]?.problem}.`, entries };
}

/** The problem of a signature, to be read after "The signature"; null when there is none. */
function judgeOne(
  signature: Rrsig,
  set: SignedSet,
  keys: readonly Uint8Array[],
  now: number,
): { problem: string | null } {
  const fitting = keys.filter((key) => computeKeyTag(key) === signature.keyTag);
  if (fitting.length === 0) return { problem: `names the key ${signature.keyTag}, which is not served` };
  const time = judgeSignatureTime(signature, now);
  if (time !== 'current') return { problem: time === 'early' ? 'is not valid yet' : 'has expired' };
  const isGood = fitting.some((key) => isSignedBy(signature, set, key));
  return { problem: isGood ? null : `is not that of the key ${signature.keyTag}` };
}

function pointsAtOne(zone: string, ds: Uint8Array, keys: readonly Uint8Array[]): 'valid' | 'mismatch' {
  return keys.some((key) => pointsAt(zone, ds, key)) ? 'valid' : 'mismatch';
}
