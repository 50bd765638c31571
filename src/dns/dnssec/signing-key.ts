/**
 * Makes a zone's one signing key (CSK, algorithm 13), its key tag and its DS records. The name servers do the signing.
 */
import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { concat, nameToWire, uint16 } from '../wire/octets.ts';

export interface Csk {
  /** Three lines in BIND's private-key format v1.2. Secret. */
  privateKey: string;
  /** The DNSKEY public key: base64 of 64 octets, x then y (RFC 6605 section 4). */
  publicKey: string;
}

export interface DsData {
  keyTag: number;
  algorithm: 13;
  digestType: 2 | 4;
  /** Lower-case hex. */
  digest: string;
  /** The line for the parent's zone file, without TTL: `example.com. IN DS 12345 13 2 <digest>`. */
  record: string;
}

const ALGORITHM = 13;
/** Zone key and secure entry point (RFC 4034 section 2.1.1). */
const FLAGS = 257;
/** Fixed by RFC 4034 section 2.1.2. */
const PROTOCOL = 3;

/** A fresh ECDSA P-256 key. */
export function generateCsk(): Csk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // RFC 7518 section 6.2: d, x and y have the full 32 octets, leading zeros included.
  const { d, x, y } = privateKey.export({ format: 'jwk' });
  if (d === undefined || x === undefined || y === undefined) throw new Error('P-256 key without d, x or y');
  return toCsk({ d, x, y });
}

/**
 * The private key in PEM (PKCS#8, RFC 5958), as the feed carries it.
 * @throws when the row is damaged; the message holds nothing of the key
 */
export function cskPem({ privateKey, publicKey }: Csk): string {
  const d = /^PrivateKey: ([A-Za-z0-9+/]{43}=)$/m.exec(privateKey)?.[1];
  const point = Buffer.from(publicKey, 'base64');
  if (d === undefined || point.length !== 64) throw new Error('the signing key of the zone is damaged in the database');
  const base64url = (octets: Buffer) => octets.toString('base64url');
  const [x, y] = [base64url(point.subarray(0, 32)), base64url(point.subarray(32))];
  const jwk = { kty: 'EC', crv: 'P-256', d: base64url(Buffer.from(d, 'base64')), x, y };
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * The key in the form of the database, from PEM (PKCS#8).
 * @returns null if it is not the private key of an ECDSA P-256 key
 */
export function cskFromPem(pem: string): Csk | null {
  try {
    const { kty, crv, d, x, y } = createPrivateKey(pem).export({ format: 'jwk' });
    if (kty !== 'EC' || crv !== 'P-256' || d === undefined || x === undefined || y === undefined) return null;
    return toCsk({ d, x, y });
  } catch {
    return null;
  }
}

function toCsk({ d, x, y }: { d: string; x: string; y: string }): Csk {
  const secret = Buffer.from(d, 'base64url').toString('base64');
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return {
    privateKey: `Private-key-format: v1.2\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: ${secret}\n`,
    publicKey: point.toString('base64'),
  };
}

/** The key tag of RFC 4034 appendix B for the DNSKEY with flags 257, protocol 3, algorithm 13. */
export function keyTag(publicKey: string): number {
  return computeKeyTag(dnskeyRdata(publicKey));
}

/** The key tag of any DNSKEY but those of algorithm 1 (RFC 4034 appendix B). */
export function computeKeyTag(dnskey: Uint8Array): number {
  let sum = 0;
  dnskey.forEach((octet, index) => {
    sum += index % 2 === 0 ? octet << 8 : octet;
  });
  return (sum + (sum >>> 16)) & 0xffff;
}

/** The digest of a DS that points at the key (RFC 4034 section 5.1.4), in lower-case hex; null for an unknown type. */
export function dsDigest(zone: string, dnskey: Uint8Array, digestType: number): string | null {
  const hash = DIGESTS[digestType];
  if (hash === undefined) return null;
  return createHash(hash)
    .update(concat([nameToWire(zone), dnskey]))
    .digest('hex');
}

/** IANA, DNSSEC delegation signer digest algorithms. */
const DIGESTS: Readonly<Record<number, string>> = { 1: 'sha1', 2: 'sha256', 4: 'sha384' };

/** The DS records for the parent of `zone` (canonical, without final dot): SHA-256 first, then SHA-384. */
export function dsRecords(zone: string, publicKey: string): DsData[] {
  const tag = keyTag(publicKey);
  return ([2, 4] as const).map((digestType) => {
    const digest = dsDigest(zone, dnskeyRdata(publicKey), digestType) as string;
    return {
      keyTag: tag,
      algorithm: ALGORITHM,
      digestType,
      digest,
      record: `${zone}. IN DS ${tag} ${ALGORITHM} ${digestType} ${digest}`,
    };
  });
}

/** The key tag in the RDATA of a DS record, in presentation form. */
export function keyTagOfDs(rdata: string): number {
  return Number.parseInt(rdata, 10);
}

/** The RDATA of the DNSKEY in presentation form (RFC 4034 section 2.2). */
export function dnskeyText(publicKey: string): string {
  return `${FLAGS} ${PROTOCOL} ${ALGORITHM} ${publicKey}`;
}

/** RFC 4034 section 2.1. Throws on a public key of another length: it can only come from a damaged row. */
function dnskeyRdata(publicKey: string): Uint8Array {
  const point = Buffer.from(publicKey, 'base64');
  if (point.length !== 64) throw new Error(`a P-256 public key has 64 octets, not ${point.length}`);
  return concat([uint16(FLAGS), Uint8Array.of(PROTOCOL, ALGORITHM), point]);
}
