/**
 * Reads one signature (RRSIG, RFC 4034 section 3) and verifies it against the RRset that it covers and a key, for the
 * algorithms with which the service signs.
 */
import { Buffer } from 'node:buffer';
import { verify } from 'node:crypto';
import { concat, nameToWire, uint16 } from '../wire/octets.ts';
import { readNameText } from '../wire/rdata-text.ts';
import { isSigningAlgorithm, readPublicKey, signatureForm } from './algorithms.ts';

export interface Rrsig {
  /** Number of the type that is signed. */
  covers: number;
  algorithm: number;
  /** Labels of the owner name, without the asterisk of a wildcard. */
  labels: number;
  /** Seconds: the TTL that was signed. */
  originalTtl: number;
  /** Unix time in seconds, modulo 2^32. */
  expiration: number;
  inception: number;
  keyTag: number;
  /** With final dot. */
  signer: string;
  /** The RDATA without the signature. */
  head: Uint8Array;
  signature: Uint8Array;
}

export interface SignedSet {
  /** Absolute, without final dot. */
  name: string;
  type: number;
  /** Canonical (RFC 4034 section 6.2). */
  rdatas: readonly Uint8Array[];
}

const HEAD = 18;
const IN = 1;

/** Null when it is not an RRSIG. */
export function readRrsig(rdata: Uint8Array): Rrsig | null {
  if (rdata.length <= HEAD) return null;
  const view = new DataView(rdata.buffer, rdata.byteOffset, rdata.byteLength);
  try {
    const { name: signer, rest: signature } = readNameText(rdata.subarray(HEAD));
    return {
      covers: view.getUint16(0),
      algorithm: view.getUint8(2),
      labels: view.getUint8(3),
      originalTtl: view.getUint32(4),
      expiration: view.getUint32(8),
      inception: view.getUint32(12),
      keyTag: view.getUint16(16),
      signer: signer.toLowerCase(),
      head: rdata.subarray(0, rdata.length - signature.length),
      signature,
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether now is within the times of the signature: serial number arithmetic (RFC 4034 section 3.1.5). */
export function judgeSignatureTime(
  { inception, expiration }: Rrsig,
  nowSeconds: number,
): 'current' | 'expired' | 'early' {
  const now = Math.floor(nowSeconds) >>> 0;
  if ((now - inception) >>> 0 >= 2 ** 31) return 'early';
  return (expiration - now) >>> 0 >= 2 ** 31 ? 'expired' : 'current';
}

/** Whether the key made the signature over the set. The times of the signature are not checked. @param dnskey RDATA */
export function isSignedBy(signature: Rrsig, set: SignedSet, dnskey: Uint8Array): boolean {
  const { algorithm, signature: octets, covers } = signature;
  if (!isSigningAlgorithm(algorithm) || dnskey[3] !== algorithm || covers !== set.type) return false;
  const form = signatureForm(algorithm);
  if (form.octets !== null && octets.length !== form.octets) return false;
  const key = readPublicKey(algorithm, dnskey.subarray(4));
  return key !== null && verify(form.hash, signedData(signature, set), { key, dsaEncoding: 'ieee-p1363' }, octets);
}

/** RFC 4034 section 3.1.8.1. */
function signedData({ head, labels, originalTtl }: Rrsig, { name, type, rdatas }: SignedSet): Uint8Array {
  const ownerLabels = name.toLowerCase().split('.');
  // For a name that a wildcard answered, the signature covers the wildcard.
  const signedName =
    ownerLabels.length > labels
      ? ['*', ...ownerLabels.slice(ownerLabels.length - labels)].join('.')
      : ownerLabels.join('.');
  const ttl = Uint8Array.of(originalTtl >>> 24, originalTtl >>> 16, originalTtl >>> 8, originalTtl);
  const start = concat([nameToWire(signedName), uint16(type), uint16(IN), ttl]);
  const sortedRdatas = [...rdatas].sort(Buffer.compare);
  return concat([head, ...sortedRdatas.flatMap((rdata) => [start, uint16(rdata.length), rdata])]);
}
