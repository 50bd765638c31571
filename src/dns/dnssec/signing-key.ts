/**
 * The keys that sign a zone: combined signing keys (CSK), which sign the DNSKEY RRset and all other RRsets. Makes and
 * reads keys, and computes key tags and DS records. The name servers do the signing.
 */
import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { concat, nameToWire, uint16 } from '../wire/octets.ts';
import { type SigningAlgorithm, writePublicKey } from './algorithms.ts';

/** The public half of a key. */
export interface PublicKey {
  algorithm: SigningAlgorithm;
  /** The public key of the DNSKEY in base64. */
  publicKey: string;
}

export interface SigningKey extends PublicKey {
  /** PEM (PKCS#8, RFC 5958). Secret. */
  privateKey: string;
}

export interface DsData {
  keyTag: number;
  algorithm: SigningAlgorithm;
  digestType: 2 | 4;
  /** Lower-case hex. */
  digest: string;
  /** The line for the parent's zone file, without TTL: `example.com. IN DS 12345 13 2 <digest>`. */
  record: string;
}

/** The algorithms of keys that are made here. RSA is only imported: its signatures are four times as long. */
export type NewKeyAlgorithm = Exclude<SigningAlgorithm, 8>;

/** ECDSA P-256: every validating resolver knows it (RFC 8624 section 3.1). */
export const DEFAULT_ALGORITHM = 13;
/** Zone key and secure entry point (RFC 4034 section 2.1.1). */
export const CSK_FLAGS = 257;
/** Fixed by RFC 4034 section 2.1.2. */
const PROTOCOL = 3;

/** A new key. */
export function generateSigningKey(algorithm: NewKeyAlgorithm = DEFAULT_ALGORITHM): SigningKey {
  const { privateKey } =
    algorithm === 15
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: algorithm === 14 ? 'P-384' : 'P-256' });
  const written = writePublicKey(privateKey);
  if (written?.algorithm !== algorithm) throw new Error(`no key of algorithm ${algorithm} was made`);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { algorithm, publicKey: written.octets.toString('base64'), privateKey: pem };
}

/**
 * The key of a private key in PEM (PKCS#8).
 * @returns null if it is not a private key of these algorithms
 */
export function readSigningKey(pem: string): SigningKey | null {
  try {
    const key = createPrivateKey(pem);
    const written = writePublicKey(key);
    if (written === null) return null;
    const { algorithm, octets } = written;
    const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { algorithm, publicKey: octets.toString('base64'), privateKey };
  } catch {
    return null;
  }
}

/** The key tag of the key's DNSKEY (RFC 4034 appendix B). */
export function keyTag(key: PublicKey): number {
  return computeKeyTag(dnskeyRdata(key));
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
export function dsRecords(zone: string, key: PublicKey): DsData[] {
  return dsContents(zone, key).map((rdata) => readDs(zone, rdata));
}

/** The RDATA of these records, in presentation form. */
export function dsContents(zone: string, key: PublicKey): string[] {
  const dnskey = dnskeyRdata(key);
  return [2, 4].map((digestType) => {
    const digest = dsDigest(zone, dnskey, digestType) as string;
    return `${computeKeyTag(dnskey)} ${key.algorithm} ${digestType} ${digest}`;
  });
}

/** @param rdata as `dsContents` writes it */
export function readDs(zone: string, rdata: string): DsData {
  const [tag, algorithm, digestType, digest = ''] = rdata.split(' ');
  return {
    keyTag: Number(tag),
    algorithm: Number(algorithm) as SigningAlgorithm,
    digestType: Number(digestType) as 2 | 4,
    digest,
    record: `${zone}. IN DS ${rdata}`,
  };
}

/** The key tag in the RDATA of a DS record, in presentation form. */
export function keyTagOfDs(rdata: string): number {
  return Number.parseInt(rdata, 10);
}

/** The RDATA of the DNSKEY in presentation form (RFC 4034 section 2.2). */
export function dnskeyText({ algorithm, publicKey }: PublicKey): string {
  return `${CSK_FLAGS} ${PROTOCOL} ${algorithm} ${publicKey}`;
}

/** RFC 4034 section 2.1. */
export function dnskeyRdata({ algorithm, publicKey }: PublicKey): Uint8Array {
  return dnskeyRdataOf(CSK_FLAGS, algorithm, Buffer.from(publicKey, 'base64'));
}

/** The RDATA of any DNSKEY. @param octets the public key */
export function dnskeyRdataOf(flags: number, algorithm: number, octets: Uint8Array): Uint8Array {
  return concat([uint16(flags), Uint8Array.of(PROTOCOL, algorithm), octets]);
}
