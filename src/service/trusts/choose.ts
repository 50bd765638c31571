// Selects the trust of a token: the trusts that are for its issuer and its claims are looked up, and those whose keys prove it accept
// it. Two clusters may have the same issuer text, and are told apart by their keys. If several trusts accept a token, one of
// the administrator is used before those of teams, and then the oldest.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#store/database.ts';
import { type TokenAbout, type TrustForToken, trustsForTokens } from '#store/trust-subjects.ts';
import type { TrustTerms } from '#store/trusts.ts';
import { sharedLookUp } from '../keys/shared-look-up.ts';
import { audiencesOf, factsOfToken, leavesOf, missingClaim } from './match.ts';
import type { TokenIssuer, TokenProblem, TokenText, TokenVerifier, VerifiedToken } from './ports.ts';

const lookUp = sharedLookUp<TokenAbout, TrustForToken[]>((db, tokens) => trustsForTokens(db, tokens));

/**
 * The trusts that are for the issuer and the claims of a token, in their order. Nothing proves the token yet.
 * @param text the token
 */
export async function trustsFor(db: Db, text: string, { header, claims, issuer }: TokenText): Promise<TrustForToken[]> {
  const { sub } = claims;
  if (issuer === null || typeof sub !== 'string' || [issuer, sub].some((each) => /\p{C}/u.test(each))) return [];
  const kid = typeof header.kid === 'string' && !/\p{C}/u.test(header.kid) ? header.kid : null;
  const about = { issuer, subject: sub, audiences: audiencesOf(claims), facts: factsOfToken(claims), kid };
  const found = await lookUp(db, text, about);
  return found.filter(({ match }) => missingClaim(leavesOf(match), claims) === null);
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

/** The time that the keys of other trusts have, after those of one trust proved the token, in ms. */
const OTHERS_MS = 100;
/** These problems only say that another issuer, or one that is away, signed the token. */
const OF_OTHERS: ReadonlySet<string> = new Set(['signature', 'unknown-key', 'audience', 'issuer-down', 'issuer-keys']);

/**
 * The first trust that accepts the token, or the problem that says most. Null: there is no trust.
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
    if (!sources.has(id)) sources.set(id, { trust, verdict: tokens.verify(text, issuer, signal) });
  }
  const asked = [...sources.values()];
  const settled = await settle(asked.map(({ verdict }) => verdict));
  let told: TokenProblem | null = null;
  for (const [at, verdict] of settled.entries()) {
    const trust = asked[at]?.trust;
    if (verdict === null || trust === undefined) continue;
    if (verdict.ok) return { ok: true, trust, token: verdict.token };
    if (told === null || (OF_OTHERS.has(told.code) && !OF_OTHERS.has(verdict.problem.code))) told = verdict.problem;
  }
  return told === null ? null : { ok: false, problem: told };
}

type Verdict = Awaited<ReturnType<TokenVerifier['verify']>>;

/**
 * Waits for the first success, then for the others as long as they are quick: the keys of a trust of somebody else may be slow to
 * fetch. @returns null for a verdict that is still open
 */
async function settle(verdicts: readonly Promise<Verdict>[]): Promise<(Verdict | null)[]> {
  const [only, ...others] = verdicts;
  if (only !== undefined && others.length === 0) return [await only];
  const results: (Verdict | null)[] = verdicts.map(() => null);
  const all = Promise.all(
    verdicts.map(async (verdict, at) => {
      results[at] = await verdict;
    }),
  );
  const oneAccepts = verdicts.map(async (verdict) => {
    if (!(await verdict).ok) throw new Error('refused');
  });
  await Promise.any(oneAccepts).catch(() => all);
  const end = new AbortController();
  await Promise.race([all, sleep(OTHERS_MS, undefined, { signal: end.signal }).catch(() => undefined)]);
  end.abort();
  return results;
}
