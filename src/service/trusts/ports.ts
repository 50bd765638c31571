// The verifier of JSON Web Tokens, as the service uses it. The process of the api gives the service one.
import type { KeySource } from '#store/trusts.ts';

export type { KeySource } from '#store/trusts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A token as its sender wrote it, without any proof. */
export interface TokenText {
  readonly header: Fields;
  readonly claims: Fields;
  /** Null: it names none. */
  readonly issuer: string | null;
}

/** The issuer that a token must be of. */
export interface TokenIssuer {
  readonly issuer: string;
  /** One of the values of `aud` must be this text. */
  readonly audience: string;
  readonly keySource: KeySource;
  /** The longest lifetime of a token and its highest age, in seconds. */
  readonly maxAgeS: number;
  /** The certificates, as PEM, that may have signed the certificate of the key source. (Default: those of the system.) */
  readonly ca?: string | undefined;
  /** Allows key sources at private addresses, and `http:`. */
  readonly privateAddresses: boolean;
}

export interface VerifiedToken {
  readonly claims: Fields;
  readonly subject: string;
  readonly expiresAt: Date;
}

export interface TokenProblem {
  readonly code: string;
  /** For the holder of the token; it does not contain the token. */
  readonly sentence: string;
  /** Seconds after which the same token may be accepted; null: never. */
  readonly retryAfterS: number | null;
}

type Refused = { readonly ok: false; readonly problem: TokenProblem };

export interface TokenVerifier {
  /** Reads a token, of bounded size. Nothing that it contains is proved. */
  read(text: string): { readonly ok: true; readonly token: TokenText } | Refused;
  /** Proves that the issuer signed the token, and that it is valid now. It takes a few seconds at most. */
  verify(
    text: string,
    issuer: TokenIssuer,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly token: VerifiedToken } | Refused>;
}
