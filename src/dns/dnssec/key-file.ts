/**
 * The private key of a zone as other DNS servers write it: BIND's private-key format (version 1), which
 * `pdnsutil export-zone-key` prints too, or PEM. Nothing of the key is in a problem. Pure.
 */
import { Buffer } from 'node:buffer';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { isSigningAlgorithm, SIGNING_ALGORITHMS } from './algorithms.ts';
import { type KeyOrFlaw, keyOfRsa, keyOfScalar, MIN_RSA_BITS, RSA_MEMBERS, type RsaNumbers } from './private-key.ts';
import type { SigningKey } from './signing-key.ts';

/** The characters of a private key. One of RSA with 4,096 bits has 3,300 in each format. */
export const MAX_KEY_TEXT = 16_384;

const FIELD = 'key.privateKey';
const ACCEPTED = 'the text of a K….private file of BIND, the output of "pdnsutil export-zone-key", or PEM (PKCS#8)';
const CURVES: ReadonlyMap<string, 13 | 14 | 15> = new Map([
  ['P-256', 13],
  ['P-384', 14],
  ['Ed25519', 15],
]);
const BIND_FORM = /^\s*Private-key-format:\s*v1\./m;
const PEM_FORM = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;
/** The names of RSA numbers in BIND's format. */
const RSA_FIELDS: Readonly<Record<keyof RsaNumbers, string>> = {
  ...{ n: 'Modulus', e: 'PublicExponent', d: 'PrivateExponent', p: 'Prime1', q: 'Prime2' },
  ...{ dp: 'Exponent1', dq: 'Exponent2', qi: 'Coefficient' },
};

/** @returns a problem with a sentence that says how to correct it */
export function readKeyFile(text: string): Verdict<SigningKey> {
  if (text.length > MAX_KEY_TEXT)
    return refuse(FIELD, `the private key must have at most ${MAX_KEY_TEXT} characters: ${ACCEPTED}.`);
  if (BIND_FORM.test(text)) return readBindFile(text);
  if (PEM_FORM.test(text)) return readPem(text);
  if (/\bDNSKEY\b/.test(text))
    return refuse(
      FIELD,
      `the private key must not be the public half of a key (a DNSKEY record): give the private half: ${ACCEPTED}.`,
    );
  return refuse(FIELD, `the private key must be ${ACCEPTED}.`);
}

/** Dates and other fields are passed over, as BIND does. */
function readBindFile(text: string): Verdict<SigningKey> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  if (fields.has('Label') || fields.has('Engine'))
    return refuse(
      FIELD,
      'the private key names a key in a hardware module, which cannot be read; roll the zone to a key in a file.',
    );
  const [, number = '', name = ''] =
    /^(\d{1,3})(?:\s+\(?([A-Z0-9]{1,20})\)?)?/.exec(fields.get('Algorithm') ?? '') ?? [];
  const algorithm = Number(number);
  if (number === '' || !isSigningAlgorithm(algorithm))
    return refuse(
      FIELD,
      `the private key has the algorithm ${number || '(none)'}${name === '' ? '' : ` (${name})`}. ${ONLY}`,
    );
  const octetsOf = (field: string) => Buffer.from(fields.get(field) ?? '', 'base64');
  if (algorithm !== 8) {
    if (!fields.has('PrivateKey'))
      return refuse(FIELD, 'the private key has no line "PrivateKey"; copy the whole file.');
    return judge(keyOfScalar(algorithm, octetsOf('PrivateKey')));
  }
  const missing = RSA_MEMBERS.map((member) => RSA_FIELDS[member]).find((field) => !fields.has(field));
  if (missing !== undefined) return refuse(FIELD, `the private key has no line "${missing}"; copy the whole file.`);
  return judge(keyOfRsa(rsaNumbers((member) => octetsOf(RSA_FIELDS[member]))));
}

/** The sentence about all other algorithms (RFC 8624 section 3.1). */
export const ONLY = `Only the algorithms ${SIGNING_ALGORITHMS.join(', ')} can be imported: 8 is RSA with SHA-256 and at least ${MIN_RSA_BITS} bits, 13 and 14 are ECDSA, 15 is Ed25519. Roll the zone to algorithm 13 at its present name servers, and import the new key.`;

function readPem(text: string): Verdict<SigningKey> {
  if (/(?:BEGIN |4,)ENCRYPTED/.test(text))
    return refuse(
      FIELD,
      'the private key is encrypted with a password; decrypt it, for instance with "openssl pkcs8 -in FILE".',
    );
  let key: KeyObject;
  let jwk: Readonly<Record<string, unknown>>;
  try {
    key = createPrivateKey(text);
    jwk = { ...key.export({ format: 'jwk' }) };
  } catch {
    return refuse(
      FIELD,
      `the private key is not a private key of the algorithms ${SIGNING_ALGORITHMS.join(', ')} in PEM. ${ONLY}`,
    );
  }
  const octetsOf = (value: unknown) => Buffer.from(String(value ?? ''), 'base64url');
  if (key.asymmetricKeyType === 'rsa') {
    return judge(keyOfRsa(rsaNumbers((member) => octetsOf(jwk[member]))));
  }
  const algorithm = CURVES.get(String(jwk.crv));
  if (algorithm === undefined)
    return refuse(FIELD, `the private key is a key of ${jwk.crv ?? 'another type'}. ${ONLY}`);
  return judge(keyOfScalar(algorithm, octetsOf(jwk.d)));
}

function rsaNumbers(octetsOf: (member: keyof RsaNumbers) => Buffer): RsaNumbers {
  return Object.fromEntries(RSA_MEMBERS.map((member) => [member, octetsOf(member)])) as RsaNumbers;
}

function judge(read: KeyOrFlaw): Verdict<SigningKey> {
  return 'key' in read ? accept(read.key) : refuse(FIELD, `the private key ${read.flaw}.`);
}
