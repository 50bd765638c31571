// Keys of token issuers that a test plays, and tokens that they sign.
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface IssuerKey {
  /** As the issuer publishes it. */
  readonly jwk: JWK;
  /** A token with exactly these claims. `header` has further members of its header. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** @param alg (Default: ES256.) */
export async function issuerKey(kid: string, alg: 'RS256' | 'ES256' | 'EdDSA' | 'RS384' = 'ES256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig' };
  return {
    jwk,
    sign: (claims, header = {}) =>
      new SignJWT(claims as JWTPayload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}

/** Unix time in s, as tokens have it. */
export const seconds = (ms: number = Date.now()) => Math.floor(ms / 1000);

/** A token in its compact form without a valid signature. */
export function compact(header: string | object, claims: string | object, signature = 'c2ln'): string {
  const part = (value: string | object) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}
