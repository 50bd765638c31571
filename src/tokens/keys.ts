// Reads a set of public keys (JWKS, RFC 7517), or a SPIFFE trust bundle, which is one too. Only keys that can verify an
// accepted algorithm remain, each with its public members alone. Pure.
import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, errors, type JWK, type LocalJWKSet } from 'jose';

/** The keys of one answer. Another answer with other keys is another object. */
export interface PublicKeys {
  readonly find: (...token: Parameters<LocalJWKSet>) => ReturnType<LocalJWKSet>;
  readonly jwks: readonly JWK[];
}

const MAX_KEYS = 100;
const MAX_KEY_ID = 256;
/** RFC 7518 section 3.3 demands 2048 bits. Longer keys than 8192 bits would only cost time. */
const RSA_BITS = { least: 2048, most: 8192 };
/**
 * As in Go's crypto/rsa. Issuers use 65537. With an exponent as long as the modulus, each signature would cost 50 ms.
 */
const MAX_EXPONENT = 2n ** 31n - 1n;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The members of a public key and the algorithm that it verifies, by its type and curve (RFC 7518 section 6, RFC 8037).
 */
const KINDS: Readonly<Record<string, { alg: string; members: readonly string[] }>> = {
  RSA: { alg: 'RS256', members: ['n', 'e'] },
  'EC P-256': { alg: 'ES256', members: ['crv', 'x', 'y'] },
  'OKP Ed25519': { alg: 'EdDSA', members: ['crv', 'x'] },
};
/** Signatures, and in SPIFFE trust bundles JWT-SVIDs (SPIFFE Trust Domain and Bundle section 4.2.2). */
const USES: readonly unknown[] = [undefined, 'sig', 'jwt-svid'];

/**
 * @param knownKeys the keys so far. One of them remains if the document has a broken key with the same `kid`
 * @returns a text that continues the sentence "The issuer …" if no key can be used
 */
export function parseKeys(document: unknown, knownKeys: readonly JWK[] = []): PublicKeys | string {
  const keys = (document as { keys?: unknown } | null | undefined)?.keys;
  if (!Array.isArray(keys)) return 'does not answer with a set of keys (JWKS)';
  if (keys.length > MAX_KEYS) return `has ${keys.length} keys, more than ${MAX_KEYS}`;
  const parsedKeys = keys
    .filter(isForTokens)
    .map((key) => readKey(key) ?? knownKeys.find(({ kid }) => kid && kid === key.kid));
  const jwks = parsedKeys.filter((key) => key !== undefined);
  if (jwks.length > 0) return { find: createFinder(jwks), jwks };
  if (parsedKeys.length > 0) return 'has only broken keys';
  return 'has no key for signatures with RS256, ES256 or EdDSA';
}

/**
 * Finds a key by `kid` and type. Keys without a `kid`, which is optional (RFC 7517 section 4.5), may be the key of any
 * token.
 */
function createFinder(jwks: JWK[]): PublicKeys['find'] {
  const all = createLocalJWKSet({ keys: jwks });
  const nameless = createLocalJWKSet({ keys: jwks.filter(({ kid }) => kid === undefined) });
  return async (header, token) => {
    try {
      return await all(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || header === undefined) throw error;
      const { kid: _, ...rest } = header;
      return await nameless(rest, token);
    }
  };
}

function isForTokens(key: unknown): key is Fields {
  if (typeof key !== 'object' || key === null) return false;
  const { use, alg, key_ops: operations } = key as Fields;
  const kind = KINDS[kindOf(key as Fields)];
  if (kind === undefined || (alg !== undefined && alg !== kind.alg)) return false;
  return USES.includes(use) && (operations === undefined || [operations].flat().includes('verify'));
}

function kindOf({ kty, crv }: Fields): string {
  return crv === undefined ? String(kty) : `${kty} ${crv}`;
}

/** Undefined: the key is broken. */
function readKey(fields: Fields): JWK | undefined {
  const kind = KINDS[kindOf(fields)];
  if (kind === undefined) return undefined;
  const { kty, kid } = fields;
  const jwk: Record<string, unknown> = { kty, alg: kind.alg };
  for (const member of kind.members) jwk[member] = fields[member];
  if (kid !== undefined) {
    if (typeof kid !== 'string' || kid.length > MAX_KEY_ID) return undefined;
    jwk.kid = kid;
  }
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' } as JsonWebKeyInput);
    return kty !== 'RSA' || isGoodRsa(key) ? (jwk as JWK) : undefined;
  } catch {
    return undefined;
  }
}

function isGoodRsa({ asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength: bits = 0, publicExponent = 0n } = asymmetricKeyDetails;
  return bits >= RSA_BITS.least && bits <= RSA_BITS.most && publicExponent <= MAX_EXPONENT;
}
