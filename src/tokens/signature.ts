// Checks the signature of a token with the keys of an issuer. jose does it (RFC 7515, RFC 7518): it uses only these
// keys, and never a key or an address from the header of the token (`jwk`, `jku`, `x5c`, `x5u`).
import { errors, jwtVerify } from 'jose';
import { ALGORITHMS, SKEW_S } from './claims.ts';
import type { PublicKeys } from './keys.ts';

/**
 * The keys that are tried for one token. Any client may send tokens, so an issuer with many keys of one name would keep
 * us busy.
 */
const MAX_TRIED = 8;

type Outcome = 'ok' | 'signature' | 'unknown-key';

/** @param now Unix time in ms */
export async function checkSignature(text: string, { find }: PublicKeys, now: number): Promise<Outcome> {
  const terms = { algorithms: [...ALGORITHMS], clockTolerance: SKEW_S, currentDate: new Date(now) };
  try {
    await jwtVerify(text, find, terms);
    return 'ok';
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown-key';
    // The token names no key, or several keys have the name: each may be the one.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return 'signature';
    let triedCount = 0;
    for await (const key of error) {
      if (triedCount++ === MAX_TRIED) break;
      const outcome = await jwtVerify(text, key, terms).then(
        () => 'ok' as const,
        () => null,
      );
      if (outcome !== null) return outcome;
    }
    return 'signature';
  }
}
