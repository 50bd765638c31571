// Judges the header and the claims of a token, before anything is fetched or computed for its signature. A token that
// fails here costs nothing. Pure.
import { type Rejection, rejectToken, type TokenIssuer } from './issuer.ts';
import type { TokenText } from './text.ts';

/** The algorithms that are accepted. All have public keys, so the knowledge of a key does not suffice to sign. */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

/** The difference that the clocks of an issuer and of this machine may have, in seconds. */
export const SKEW_S = 60;
const MAX_SUBJECT = 512;

export interface Times {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * The first problem of a token, or its times.
 * @param issuer the issuer whose token it must be
 * @param now Unix time in ms
 */
export function judgeToken(
  token: TokenText,
  issuer: TokenIssuer,
  now: number,
): { readonly ok: true; readonly subject: string; readonly times: Times } | Rejection {
  const problem =
    judgeHeader(token) ?? judgeIssuer(token, issuer) ?? judgeSubject(token) ?? judgeAudience(token, issuer.audience);
  if (problem !== null) return problem;
  const timesVerdict = judgeTimes(token, issuer.maxAgeS, now / 1000);
  return timesVerdict.ok ? { ...timesVerdict, subject: String(token.claims.sub) } : timesVerdict;
}

function judgeHeader({ header: { alg, crit } }: TokenText): Rejection | null {
  if (!ALGORITHMS.some((acceptedAlgorithm) => acceptedAlgorithm === alg))
    return rejectToken(
      'algorithm',
      `The token is signed with ${quote(alg)}. ${ALGORITHMS.slice(0, -1).join(', ')} and ${ALGORITHMS.at(-1)} are accepted.`,
    );
  // RFC 7515 section 4.1.11: a recipient that does not understand an extension must refuse the token.
  if (crit !== undefined) return rejectToken('malformed', 'The header of the token demands extensions (crit).');
  return null;
}

function judgeIssuer({ issuer: tokenIssuer }: TokenText, { issuer }: TokenIssuer): Rejection | null {
  if (tokenIssuer === issuer) return null;
  if (tokenIssuer === null) return rejectToken('issuer', 'The token names no issuer (iss).');
  return rejectToken('issuer', `The token was issued by ${quote(tokenIssuer)}, not by ${quote(issuer)}.`);
}

function judgeSubject({ claims: { sub } }: TokenText): Rejection | null {
  if (typeof sub !== 'string' || sub === '') return rejectToken('subject', 'The token names no subject (sub).');
  if (sub.length > MAX_SUBJECT || /\p{C}/u.test(sub))
    return rejectToken(
      'subject',
      `The subject of the token (sub) must have at most ${MAX_SUBJECT} characters and no control characters.`,
    );
  return null;
}

function judgeAudience({ claims: { aud } }: TokenText, audience: string): Rejection | null {
  if (aud === audience || (Array.isArray(aud) && aud.includes(audience))) return null;
  const tokenAudience = [aud].flat().slice(0, 3).map(quote).join(', ');
  return rejectToken('audience', `The token is for the audience ${tokenAudience}, not for ${quote(audience)}.`);
}

/** @param now Unix time in s */
function judgeTimes(
  { claims }: TokenText,
  maxAgeS: number,
  now: number,
): { readonly ok: true; readonly times: Times } | Rejection {
  const { exp, nbf, iat, sub } = claims;
  if (!isTime(exp)) return rejectToken('no-expiry', 'The token has no expiry (exp).');
  // The SPIFFE JWT-SVID specification demands no iat.
  const hasNoIat = iat === undefined && String(sub).startsWith('spiffe://');
  if (!hasNoIat && !isTime(iat)) return rejectToken('no-issue-time', 'The token has no time of issue (iat).');
  if (nbf !== undefined && !isTime(nbf)) return rejectToken('malformed', 'The start of the token (nbf) is not a time.');
  if (exp + SKEW_S <= now) return rejectToken('expired', `The token expired at ${moment(exp)}.`);
  const start = Math.max(isTime(nbf) ? nbf : 0, isTime(iat) ? iat : 0);
  if (start - SKEW_S > now) {
    const waitS = Math.ceil(start - SKEW_S - now);
    return rejectToken('not-yet', `The token is valid from ${moment(start)}, and now it is ${moment(now)}.`, waitS);
  }
  const from = isTime(iat) ? iat : now;
  if (exp - from > maxAgeS + (isTime(iat) ? 0 : SKEW_S))
    return rejectToken(
      'too-old',
      `The token is valid for ${Math.round(exp - from)} s. At most ${maxAgeS} s are accepted: request one with a shorter lifetime.`,
    );
  return { ok: true, times: { issuedAt: new Date(from * 1000), expiresAt: new Date(exp * 1000) } };
}

/** A NumericDate (RFC 7519 section 2) between the years 1970 and 9999. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_800;
}

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** A value of the sender for a sentence: at most 100 characters of its JSON. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
