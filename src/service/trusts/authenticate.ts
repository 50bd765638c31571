// The actor of a request with a JSON Web Token instead of a key. The rights come from the trust at every request, so a
// change of the trust applies at once. The first request of a subject stores a row for it, to which history, write
// limits and last use belong.

import { isExpired } from '#base/lifetime.ts';
import type { Db } from '#store/database.ts';
import { markUsed } from '#store/keys.ts';
import { ensureSubject, pinSubject, type TrustForToken } from '#store/trust-subjects.ts';
import type { TokenProblem } from '#tokens/issuer.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { isWithinNetworks } from '../keys/networks.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { chooseTrust, trustsFor } from './choose.ts';
import { readUid } from './match.ts';
import { actorOfTrust, fillOnlyNames, nameOfSubject } from './rights.ts';

/** The subjects of one trust. */
const MAX_SUBJECTS = 10_000;
const USED_EVERY_MS = 60_000;
/** A verification bounds its own time. */
const UNBOUNDED = new AbortController().signal;

/** Whether the text is a token rather than a key, which has no dots. */
export function isToken(text: string | null): text is string {
  return text !== null && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/**
 * @param address the address of the client; it must be in the networks of the trust
 * @param agent the User-Agent of the client
 * @throws Refusal unauthorized, with the reason, and with a time if newer keys of the issuer may prove the token; busy
 * if the keys cannot be fetched
 */
export async function authenticateToken(
  context: Pick<ServiceContext, 'db' | 'now' | 'random' | 'tokens'>,
  text: string,
  address: string,
  agent: string | null,
): Promise<Actor> {
  const { db, tokens } = context;
  if (tokens === undefined) throw refusal('invalid-key');
  const tokenVerdict = tokens.read(text);
  if (!tokenVerdict.ok) throw refusal('token-not-read', { problem: tokenVerdict.problem.sentence });
  const now = context.now();
  const matchingTrusts = await trustsFor(db, text, tokenVerdict.token, now);
  if (matchingTrusts.length === 0) throw refusal('token-without-trust');
  const [valid, endedTrusts] = [
    matchingTrusts.filter((one) => !isExpired(one, now)),
    matchingTrusts.filter((one) => isExpired(one, now)),
  ];
  const choice = await chooseTrust(tokens, text, valid, UNBOUNDED);
  if (!choice?.ok) {
    const expiredChoice = await chooseTrust(tokens, text, endedTrusts, UNBOUNDED);
    if (expiredChoice?.ok) throw refusal('token-trust-expired', { trust: expiredChoice.trust.id });
    throw choice === null ? refusal('token-without-trust') : refused(choice.problem);
  }
  const { trust, token } = choice;
  const { id } = trust;
  if (trust.networks !== null && !isWithinNetworks(address, trust.networks))
    throw refusal('token-network', { trust: id, address });
  const names = fillOnlyNames(trust, token.claims);
  if (!names.ok) throw refusal('token-claims', { trust: id, problem: names.sentence });
  const uid = readUid(token.claims);
  if (trust.pinSubjects && uid === null) throw refusal('token-without-uid', { trust: id });
  const subjectRow = await ensureKeyRow(context, trust, token.subject, uid, now);
  if (trust.pinSubjects && uid !== null) await mustHavePin(db, trust, { ...subjectRow, subject: token.subject, uid });
  if (trust.lastUsedAt === null || now.getTime() - trust.lastUsedAt.getTime() > USED_EVERY_MS)
    await markUsed(db, subjectRow.id, now, agent);
  return actorOfTrust(trust, { keyId: subjectRow.id, subject: token.subject, onlyNames: names.onlyNames });
}

/** The row of the subject, which its first request stores. @throws Refusal unauthorized */
async function ensureKeyRow(
  { db, random }: Pick<ServiceContext, 'db' | 'random'>,
  trust: TrustForToken,
  subject: string,
  uid: string | null,
  at: Date,
): Promise<{ id: string; pinnedUid: string | null }> {
  if (trust.keyId !== null) return { id: trust.keyId, pinnedUid: trust.pinnedUid };
  const uidToPin = trust.pinSubjects ? uid : null;
  const row = { id: random(6).toString('hex'), name: nameOfSubject(trust.name, subject), trustId: trust.id };
  const createdRow = await ensureSubject(db, { ...row, subject, uid: uidToPin, at }, MAX_SUBJECTS);
  if (createdRow === null) throw refusal('token-subjects', { trust: trust.id, limit: MAX_SUBJECTS });
  return createdRow;
}

/** @throws Refusal unauthorized if the token is of another service account than the first one with this name */
async function mustHavePin(
  db: Db,
  trust: TrustForToken,
  { id, pinnedUid, subject, uid }: { id: string; pinnedUid: string | null; subject: string; uid: string },
): Promise<void> {
  const currentPin = pinnedUid ?? (await pinSubject(db, id, uid));
  if (currentPin !== uid)
    throw refusal('token-subject-pinned', { trust: trust.id, subject, pinned: currentPin ?? '', uid });
}

function refused({ code, sentence: problem, retryAfterS }: TokenProblem): Refusal {
  if (code === 'issuer-down' || code === 'issuer-keys')
    return refusal('token-issuer-away', { problem }, { retryAfterMs: (retryAfterS ?? 60) * 1_000 });
  if (retryAfterS === null) return refusal('token-refused', { problem });
  return refusal('token-key-not-read', { problem, seconds: retryAfterS }, { retryAfterMs: retryAfterS * 1_000 });
}
