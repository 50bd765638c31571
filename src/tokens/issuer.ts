// The issuers of JSON Web Tokens, as the verifier gets them, and its verdicts.
import type { KeySource } from '#base/key-source.ts';

export interface TokenIssuer {
  /** The `iss` of its tokens, or `spiffe://<trust domain>` if they have none. */
  readonly issuer: string;
  /** One of the values of `aud` must be this text. */
  readonly audience: string;
  readonly keySource: KeySource;
  /** The longest lifetime of a token and its highest age, in seconds. */
  readonly maxAgeS: number;
  /**
   * PEM certificates, the only ones that may have signed the certificate of the key source. (Default: those of
   * Node.js.)
   */
  readonly ca?: string | undefined;
  /** Allows key sources at private addresses, and `http:`. Only an administrator of the server may decide this. */
  readonly privateAddresses: boolean;
}

export interface VerifiedToken {
  /** All claims. The names come from the issuer, so read them with `Object.hasOwn`. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly issuer: string;
  readonly subject: string;
  /** A JWT-SVID may have none; then it is the time of the verification. */
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export const PROBLEM_CODES = [
  'too-large',
  'malformed',
  'algorithm',
  'issuer',
  'subject',
  'audience',
  'no-expiry',
  'no-issue-time',
  'expired',
  'not-yet',
  'too-old',
  'signature',
  'unknown-key',
  'refused',
  'issuer-down',
  'issuer-keys',
] as const;

export interface TokenProblem {
  readonly code: (typeof PROBLEM_CODES)[number];
  /** For the holder of the token. It contains neither the token nor an answer of the issuer. */
  readonly sentence: string;
  /** Seconds after which the same token may be accepted, because the keys are fetched again; null: never. */
  readonly retryAfterS: number | null;
}

export type TokenVerdict = { readonly ok: true; readonly token: VerifiedToken } | Rejection;
export type Rejection = { readonly ok: false; readonly problem: TokenProblem };

export function rejectToken(
  code: TokenProblem['code'],
  sentence: string,
  retryAfterS: number | null = null,
): Rejection {
  return { ok: false, problem: { code, sentence, retryAfterS } };
}
