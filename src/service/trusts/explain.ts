// Says for a token which trust accepts it, and for every other trust why not. It stores nothing.

import { isExpired, judgeLifetime } from '#base/lifetime.ts';
import { clip } from '#dns/verdict.ts';
import type { Db } from '#store/database.ts';
import { type TrustRow, trustsOfTeam } from '#store/trusts.ts';
import type { TokenText } from '#tokens/text.ts';
import type { TokenVerifier } from '#tokens/verifier.ts';
import { mustBeMember } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { chooseTrust, issuerOfTrust, trustsFor } from './choose.ts';
import { claimAt, listLeaves, missingClaim, readUid } from './match.ts';
import { fillOnlyNames } from './rights.ts';

export interface TrustVerdict {
  trust: string;
  name: string;
  accepts: boolean;
  /** Why it accepts the token, or why not. */
  reason: string;
  /** The patterns of names with the claims of the token. Only of a trust that accepts it. */
  onlyNames?: string[] | null | undefined;
}

export interface Explanation {
  issuer: string | null;
  subject: string | null;
  /** The trust that a request uses; null: the token is refused, or belongs to a trust that is not shown. */
  trust: string | null;
  verdicts: TrustVerdict[];
}

const UNBOUNDED = new AbortController().signal;

/** The verdicts of the trusts of a team. @throws Refusal forbidden, not_found, bad_request (no token at all) */
export async function explainToken(
  context: ServiceContext,
  actor: Actor,
  teamId: string,
  text: string,
): Promise<Explanation> {
  await mustBeMember(context, actor, teamId);
  const { db, tokens } = context;
  if (tokens === undefined) throw refusal('token-unreadable', { problem: 'This service verifies no tokens.' });
  return explain(db, tokens, text, await trustsOfTeam(db, teamId), context.now());
}

/** @param rows the trusts to judge, without those that are revoked or expired */
export async function explain(
  db: Db,
  tokens: TokenVerifier,
  text: string,
  rows: readonly TrustRow[],
  now: Date,
): Promise<Explanation> {
  const token = text.trim();
  const tokenVerdict = tokens.read(token);
  if (!tokenVerdict.ok) throw refusal('token-unreadable', { problem: tokenVerdict.problem.sentence });
  const valid = rows.filter((row) => judgeLifetime(row, now) === 'valid');
  const verdicts = await Promise.all(valid.map((row) => judge(tokens, token, tokenVerdict.token, row)));
  const matchingTrusts = (await trustsFor(db, token, tokenVerdict.token, now)).filter((one) => !isExpired(one, now));
  const choice = await chooseTrust(tokens, token, matchingTrusts, UNBOUNDED);
  const usedTrustId = choice?.ok ? choice.trust.id : null;
  const pins = new Map(matchingTrusts.map(({ id, pinSubjects, pinnedUid }) => [id, pinSubjects ? pinnedUid : null]));
  const uid = readUid(tokenVerdict.token.claims);
  for (const verdict of verdicts) {
    const currentPin = pins.get(verdict.trust) ?? null;
    if (verdict.accepts && !matchingTrusts.some(({ id }) => id === verdict.trust)) Object.assign(verdict, OUTRANKED);
    if (verdict.accepts && currentPin !== null && currentPin !== uid)
      Object.assign(verdict, reasonOfPin(currentPin, uid));
    if (verdict.accepts && usedTrustId !== null && usedTrustId !== verdict.trust)
      verdict.reason += reasonOfOther(usedTrustId, valid);
  }
  const { sub } = tokenVerdict.token.claims;
  return {
    issuer: tokenVerdict.token.issuer,
    subject: typeof sub === 'string' ? sub : null,
    trust: verdicts.some(({ trust, accepts }) => trust === usedTrustId && accepts) ? usedTrustId : null,
    verdicts,
  };
}

const OUTRANKED: Partial<TrustVerdict> = {
  accepts: false,
  reason:
    'The administrator of the service has a trust for this issuer and audience, so those of other teams are not used. Give this trust an audience of its own.',
  onlyNames: undefined,
};

function reasonOfPin(currentPin: string, uid: string | null): Partial<TrustVerdict> {
  const reason = `The trust knows this subject with the UID ${currentPin}, and the token has ${uid}. "zonestead trusts accept" replaces it.`;
  return { accepts: false, reason, onlyNames: undefined };
}

function reasonOfOther(usedTrustId: string, shownTrusts: readonly TrustRow[]): string {
  const other = shownTrusts.some(({ id }) => id === usedTrustId)
    ? `the trust ${usedTrustId}`
    : 'a trust of another team';
  return ` A request uses ${other}, which comes first. Give each trust an audience of its own to tell them apart.`;
}

async function judge(tokens: TokenVerifier, text: string, token: TokenText, row: TrustRow): Promise<TrustVerdict> {
  const { id: trust, name } = row;
  const no = (reason: string): TrustVerdict => ({ trust, name, accepts: false, reason });
  if (token.issuer !== row.issuer) {
    const issuerText = token.issuer === null ? 'names no issuer (iss)' : `was issued by ${clip(token.issuer)}`;
    return no(`The token ${issuerText}, and the trust is for ${clip(row.issuer)}.`);
  }
  const missingLeaf = missingClaim(listLeaves(row.match), token.claims);
  if (missingLeaf !== null) {
    const value = claimAt(token.claims, missingLeaf.path);
    const valueText = value === null ? 'is missing or has several values' : `is ${clip(value)}`;
    return no(
      `The claim ${missingLeaf.path.join('.')} ${valueText}, and the trust demands ${clip(missingLeaf.pattern)}.`,
    );
  }
  const verdict = await tokens.verify(text, issuerOfTrust(row), UNBOUNDED);
  if (!verdict.ok) return no(verdict.problem.sentence);
  const names = fillOnlyNames(row, verdict.token.claims);
  if (!names.ok) return no(names.sentence);
  if (row.pinSubjects && readUid(verdict.token.claims) === null) {
    return no('The trust pins the UID of service accounts, and the token has none.');
  }
  const networks = row.networks === null ? '' : ` Requests must come from ${row.networks.join(', ')}.`;
  const reason = `Issuer, claims, signature and times are right, until ${verdict.token.expiresAt.toISOString()}.${networks}`;
  return { trust, name, accepts: true, reason, onlyNames: names.onlyNames };
}
