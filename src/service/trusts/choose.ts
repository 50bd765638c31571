// Selects the trust of a token: the trusts that are for its issuer and its claims are looked up, and those whose keys
// prove it accept it. Two clusters may have the same issuer text, and are told apart by their keys. If the
// administrator has a trust for issuer and audience, trusts of other teams are not used for them. If several trusts
// accept a token, one of the administrator is used before those of its team, and then the oldest.

import { isExpired } from '#base/lifetime.ts';
import type { Db } from '#store/database.ts';
import { type TokenAbout, type TrustForToken, trustsForTokens } from '#store/trust-subjects.ts';
import type { TrustTerms } from '#store/trusts.ts';
import type { TokenIssuer, TokenProblem, VerifiedToken } from '#tokens/issuer.ts';
import type { TokenText } from '#tokens/text.ts';
import type { TokenVerifier } from '#tokens/verifier.ts';
import { sharedLookUp } from '../keys/shared-look-up.ts';
import { sharedIssuer } from './issuers.ts';
import { factsOfToken, listLeaves, missingClaim, readAudiences } from './match.ts';

const lookUp = sharedLookUp<TokenAbout, TrustForToken[]>((db, tokens) => trustsForTokens(db, tokens));

/**
 * The trusts that are for the issuer and the claims of a token, in their order. Nothing proves the token yet.
 * @param text the token
 */
export async function trustsFor(
  db: Db,
  text: string,
  { header, claims, issuer }: TokenText,
  now: Date,
): Promise<TrustForToken[]> {
  const { sub } = claims;
  if (issuer === null || typeof sub !== 'string' || [issuer, sub].some((each) => /\p{C}/u.test(each))) return [];
  const kid = typeof header.kid === 'string' && !/\p{C}/u.test(header.kid) ? header.kid : null;
  const about = { issuer, subject: sub, audiences: readAudiences(claims), facts: factsOfToken(claims), kid };
  const candidateTrusts = await lookUp(db, text, about);
  return withoutOutranked(
    candidateTrusts.filter(({ match }) => missingClaim(listLeaves(match), claims) === null),
    now,
  );
}

/**
 * An issuer that gives tokens to every account (issuers.ts) has several teams for one audience, with an owner each:
 * there, a trust of the administrator outranks others only if it is for this token.
 */
function withoutOutranked(trusts: readonly TrustForToken[], now: Date): TrustForToken[] {
  const others = trusts.filter((trust) => trust.isAdministrators && !isExpired(trust, now));
  return trusts.filter(({ isOutranked, issuer, audience, teamId }) => {
    if (!isOutranked) return true;
    if (sharedIssuer(issuer) === null) return false;
    return !others.some((other) => other.audience === audience && other.teamId !== teamId);
  });
}

export function issuerOfTrust({
  issuer,
  audience,
  keySource,
  maxTokenAgeS,
  ca,
  privateAddresses,
}: TrustTerms): TokenIssuer {
  return { issuer, audience, keySource, maxAgeS: maxTokenAgeS, privateAddresses, ...(ca === null ? {} : { ca }) };
}

interface Chosen {
  trust: TrustForToken;
  token: VerifiedToken;
}

/** These problems only say that another issuer signed the token. */
const OF_OTHERS: ReadonlySet<string> = new Set(['signature', 'unknown-key', 'audience']);
/** With these problems, the trust might accept the token: nothing judged its signature. */
const OPEN: ReadonlySet<string> = new Set(['issuer-down', 'issuer-keys']);

/**
 * The first trust that accepts the token, or the problem that says most. Null: there is no trust. A trust is chosen
 * only after all trusts before it have refused the token: if the keys of one of them cannot be fetched, no later trust
 * is used.
 * @param trusts in their order
 */
export async function chooseTrust(
  tokens: TokenVerifier,
  text: string,
  trusts: readonly TrustForToken[],
  signal: AbortSignal,
): Promise<({ ok: true } & Chosen) | { ok: false; problem: TokenProblem } | null> {
  // Many trusts may have the same issuer with the same keys: the token is proved once for all of them.
  const sources = new Map<string, { trust: TrustForToken; verdict: ReturnType<TokenVerifier['verify']> }>();
  for (const trust of trusts) {
    const issuer = issuerOfTrust(trust);
    const id = trusts.length === 1 ? '' : JSON.stringify(issuer);
    if (sources.has(id)) continue;
    const verdict = tokens.verify(text, issuer, signal);
    // A verdict that is not needed any more may still fail.
    verdict.catch(() => undefined);
    sources.set(id, { trust, verdict });
  }
  let reportedProblem: TokenProblem | null = null;
  for (const { trust, verdict } of sources.values()) {
    const tokenVerdict = await verdict;
    if (tokenVerdict.ok) return { ok: true, trust, token: tokenVerdict.token };
    const { problem } = tokenVerdict;
    if (OPEN.has(problem.code)) return { ok: false, problem };
    if (reportedProblem === null || (OF_OTHERS.has(reportedProblem.code) && !OF_OTHERS.has(problem.code)))
      reportedProblem = problem;
  }
  return reportedProblem === null ? null : { ok: false, problem: reportedProblem };
}
