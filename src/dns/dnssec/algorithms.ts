/**
 * The DNSSEC algorithms with which zones are signed here, and the two forms of their keys: octets in a DNSKEY record,
 * and key objects of Node's crypto. Algorithms 5 and 7 (SHA-1) and 10 are not among them (RFC 8624).
 */
import { Buffer } from 'node:buffer';
import { createPublicKey, type KeyObject } from 'node:crypto';

/** RSA with SHA-256 (RFC 5702), ECDSA P-256 and P-384 (RFC 6605), Ed25519 (RFC 8080). */
export type SigningAlgorithm = 8 | 13 | 14 | 15;

/** The members of a JSON Web Key (RFC 7518 section 6) that public keys of these algorithms have. */
interface Jwk {
  kty?: string;
  crv?: string;
  x?: string;
  y?: string;
  n?: string;
  e?: string;
}

interface AlgorithmForm {
  /** The name in BIND's files, and of Knot in lower case. */
  readonly name: string;
  /** The hash of Node's `verify`; null: the algorithm has its own. */
  readonly hash: string | null;
  /** The length of a signature; null: that of the modulus. */
  readonly signatureOctets: number | null;
  /** @returns the octets of the DNSKEY's public key; null for the key of another algorithm */
  write(jwk: Jwk): Buffer | null;
  /** @returns null for octets that are not a key */
  read(octets: Buffer): Jwk | null;
}

const ALGORITHM_FORMS: Readonly<Record<SigningAlgorithm, AlgorithmForm>> = {
  8: { name: 'RSASHA256', hash: 'sha256', signatureOctets: null, write: writeRsa, read: readRsa },
  13: { name: 'ECDSAP256SHA256', hash: 'sha256', signatureOctets: 64, ...curve('P-256', 32) },
  14: { name: 'ECDSAP384SHA384', hash: 'sha384', signatureOctets: 96, ...curve('P-384', 48) },
  15: {
    name: 'ED25519',
    hash: null,
    signatureOctets: 64,
    write: ({ crv, x }) => (crv === 'Ed25519' && x !== undefined ? Buffer.from(x, 'base64url') : null),
    read: (octets) => (octets.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: octets.toString('base64url') } : null),
  },
};

/** In the order of their numbers. */
export const SIGNING_ALGORITHMS: readonly SigningAlgorithm[] = [8, 13, 14, 15];

export function isSigningAlgorithm(algorithm: number): algorithm is SigningAlgorithm {
  return Object.hasOwn(ALGORITHM_FORMS, algorithm);
}

/** For instance `ECDSAP256SHA256`. */
export function algorithmName(algorithm: SigningAlgorithm): string {
  return ALGORITHM_FORMS[algorithm].name;
}

/** The hash for Node's `sign` and `verify`, and the octets of a signature (null: those of the modulus). */
export function signatureForm(algorithm: SigningAlgorithm): { hash: string | null; octets: number | null } {
  const { hash, signatureOctets: octets } = ALGORITHM_FORMS[algorithm];
  return { hash, octets };
}

/** The algorithm of a public or private key, and the public key of its DNSKEY; null for a key of none of these. */
export function writePublicKey(key: KeyObject): { algorithm: SigningAlgorithm; octets: Buffer } | null {
  const jwk = key.export({ format: 'jwk' });
  for (const algorithm of SIGNING_ALGORITHMS) {
    const octets = ALGORITHM_FORMS[algorithm].write(jwk);
    if (octets !== null) return { algorithm, octets };
  }
  return null;
}

/** Null for octets that are not a key of the algorithm. */
export function readPublicKey(algorithm: SigningAlgorithm, octets: Uint8Array): KeyObject | null {
  const jwk = ALGORITHM_FORMS[algorithm].read(Buffer.from(octets));
  if (jwk === null) return null;
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // No point of the curve.
    return null;
  }
}

/** The size of a key in bits: that of the field of a curve, or of an RSA modulus. @param octets the DNSKEY's public key */
export function keyBits(algorithm: SigningAlgorithm, octets: Uint8Array): number {
  if (algorithm !== 8) return algorithm === 14 ? 384 : 256;
  const modulus = readRsa(Buffer.from(octets))?.n ?? '';
  return Buffer.from(modulus, 'base64url').length * 8;
}

/** RFC 6605 section 4: x, then y. RFC 7518 section 6.2: both have the full length, with leading zeros. */
function curve(crv: string, octets: number): Pick<AlgorithmForm, 'write' | 'read'> {
  return {
    write: (jwk) =>
      jwk.crv === crv && jwk.x !== undefined && jwk.y !== undefined
        ? Buffer.concat([Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')])
        : null,
    read: (point) =>
      point.length === 2 * octets
        ? {
            kty: 'EC',
            crv,
            x: point.subarray(0, octets).toString('base64url'),
            y: point.subarray(octets).toString('base64url'),
          }
        : null,
  };
}

/** RFC 3110 section 2: the length of the exponent in one octet, or in three; the exponent; the modulus. */
function writeRsa({ kty, n, e }: Jwk): Buffer | null {
  if (kty !== 'RSA' || n === undefined || e === undefined) return null;
  const [exponent, modulus] = [Buffer.from(e, 'base64url'), Buffer.from(n, 'base64url')];
  const { length } = exponent;
  return Buffer.concat([Buffer.from(length < 256 ? [length] : [0, length >>> 8, length & 0xff]), exponent, modulus]);
}

function readRsa(octets: Buffer): Jwk | null {
  const first = octets[0] ?? 0;
  const [start, length] = first === 0 && octets.length > 2 ? [3, octets.readUInt16BE(1)] : [1, first];
  const exponent = octets.subarray(start, start + length);
  const modulus = octets.subarray(start + length);
  if (exponent.length === 0 || exponent.length < length || modulus.length < 64) return null;
  return { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') };
}
