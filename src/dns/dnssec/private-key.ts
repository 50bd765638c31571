/**
 * Private keys from elsewhere, made into signing keys: the public half is computed, so that a file with two halves that
 * do not fit gives one key; the limits of RSA; and a trial signature. Pure.
 */
import { Buffer } from 'node:buffer';
import { createECDH, createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';
import { readPublicKey, type SigningAlgorithm, signatureForm, writePublicKey } from './algorithms.ts';
import type { SigningKey } from './signing-key.ts';

/** The members of a JSON Web Key of RSA (RFC 7518 section 6.3.2), in base64url. */
export const RSA_MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;
export type RsaNumbers = Readonly<Record<(typeof RSA_MEMBERS)[number], Buffer>>;

/** Bits of an RSA modulus. NIST SP 800-57 ends 1,024 in 2013; no signature of more than 4,096 is worth its octets. */
export const [MIN_RSA_BITS, MAX_RSA_BITS] = [2_048, 4_096];
/** The exponents that every validator takes: with a smaller one forged padding passed, and some read 31 bits. */
const [MIN_EXPONENT, MAX_EXPONENT] = [65_537n, 2n ** 31n - 1n];

const CURVES = {
  13: { name: 'P-256', openssl: 'prime256v1', octets: 32 },
  14: { name: 'P-384', openssl: 'secp384r1', octets: 48 },
} as const;
/** PKCS#8 of an Ed25519 key up to its 32 octets (RFC 8410 section 7). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_OCTETS = 32;

/** A key, or the reason why there is none, as the end of a sentence that begins with the key. */
export type KeyOrFlaw = { readonly key: SigningKey } | { readonly flaw: string };

/** @param scalar the private number; BIND omits leading zeros of it */
export function keyOfScalar(algorithm: 13 | 14 | 15, scalar: Buffer): KeyOrFlaw {
  const octets = algorithm === 15 ? ED25519_OCTETS : CURVES[algorithm].octets;
  if (scalar.length === 0 || scalar.length > octets)
    return { flaw: `has ${scalar.length} octets, and a private key of algorithm ${algorithm} has ${octets}` };
  const padded = Buffer.concat([Buffer.alloc(octets - scalar.length), scalar]);
  if (algorithm === 15) {
    if (scalar.length < octets) return { flaw: `has ${scalar.length} octets, and Ed25519 needs ${octets}` };
    return tryKey(15, () =>
      createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, padded]), format: 'der', type: 'pkcs8' }),
    );
  }
  const { name, openssl } = CURVES[algorithm];
  return tryKey(algorithm, () => {
    const curve = createECDH(openssl);
    curve.setPrivateKey(padded);
    const point = curve.getPublicKey();
    const [x, y] = [point.subarray(1, 1 + octets), point.subarray(1 + octets)];
    const jwk = { kty: 'EC', crv: name, x: text(x), y: text(y), d: text(padded) };
    return createPrivateKey({ key: jwk, format: 'jwk' });
  });
}

export function keyOfRsa(numbers: RsaNumbers): KeyOrFlaw {
  const flaw = findRsaFlaw(numbers);
  if (flaw !== null) return { flaw };
  const members = Object.fromEntries(RSA_MEMBERS.map((name) => [name, text(withoutZeros(numbers[name]))]));
  return tryKey(8, () => createPrivateKey({ key: { kty: 'RSA', ...members }, format: 'jwk' }));
}

/** Name servers would fail with numbers that do not belong together, and a signature must not take long. */
function findRsaFlaw(numbers: RsaNumbers): string | null {
  const longest = Math.max(...RSA_MEMBERS.map((name) => withoutZeros(numbers[name]).length));
  if (longest * 8 > MAX_RSA_BITS)
    return `has an RSA modulus of more than ${MAX_RSA_BITS} bits, which makes answers too large; roll the zone to algorithm 13 at its present name servers`;
  const [n, e, d, p] = [toNumber(numbers.n), toNumber(numbers.e), toNumber(numbers.d), toNumber(numbers.p)];
  const [q, dp, dq, qi] = [toNumber(numbers.q), toNumber(numbers.dp), toNumber(numbers.dq), toNumber(numbers.qi)];
  const bits = n.toString(2).length;
  if (bits < MIN_RSA_BITS)
    return `has an RSA modulus of ${bits} bits, and fewer than ${MIN_RSA_BITS} are too weak; roll the zone to algorithm 13 at its present name servers, and import the new key`;
  if (e < MIN_EXPONENT || e > MAX_EXPONENT || e % 2n === 0n)
    return `has the RSA exponent ${e.toString().slice(0, 20)}, and not every resolver accepts one below ${MIN_EXPONENT} or above ${MAX_EXPONENT}; roll the zone to algorithm 13 at its present name servers, and import the new key`;
  const belongTogether =
    p > 1n &&
    q > 1n &&
    p * q === n &&
    (e * d) % (p - 1n) === 1n &&
    (e * d) % (q - 1n) === 1n &&
    dp === d % (p - 1n) &&
    dq === d % (q - 1n) &&
    (qi * q) % p === 1n;
  return belongTogether ? null : DAMAGED;
}

const DAMAGED = 'is damaged: its numbers do not belong together; export it again, and copy the whole file';

/** @returns the key, if its private half makes signatures that its public half accepts */
function tryKey(algorithm: SigningAlgorithm, make: () => KeyObject): KeyOrFlaw {
  try {
    const privateKey = make();
    const written = writePublicKey(privateKey);
    const publicKey = written === null ? null : readPublicKey(algorithm, written.octets);
    if (written?.algorithm !== algorithm || publicKey === null) return { flaw: DAMAGED };
    const { hash } = signatureForm(algorithm);
    const trial = Buffer.from('trial');
    if (!verify(hash, trial, publicKey, sign(hash, trial, privateKey))) return { flaw: DAMAGED };
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { key: { algorithm, publicKey: written.octets.toString('base64'), privateKey: pem } };
  } catch {
    // The error of the library may show octets of the key.
    return { flaw: DAMAGED };
  }
}

function toNumber(octets: Buffer): bigint {
  return octets.length === 0 ? 0n : BigInt(`0x${octets.toString('hex')}`);
}

function withoutZeros(octets: Buffer): Buffer {
  const start = octets.findIndex((octet) => octet !== 0);
  return start < 0 ? Buffer.alloc(0) : octets.subarray(start);
}

function text(octets: Buffer): string {
  return octets.toString('base64url');
}
