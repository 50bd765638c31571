// A person's session in the console. A session is a key of the person whose text is never shown. So the rights, the
// limits and the history of a session are those of any key, and signing out revokes the key, so that a copied cookie
// becomes useless. The number of sessions is limited: a new session beyond the limit ends the oldest one.

import { createHash } from 'node:crypto';
import { BUCKETS } from '#base/buckets.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import type { Tx } from '#store/database.ts';
import { type KeyRow, keyById, keyStanding, markUsed, oldSessions } from '#store/keys.ts';
import { dropUnusableKeys } from '#store/quotas.ts';
import { revokeKeyRow } from '#store/team-keys.ts';
import { useSignIn } from '#store/used-sign-ins.ts';
import type { ServiceContext } from '../context.ts';
import { mintPersonKey } from '../keys/keys.ts';
import { openBudget } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { type Actor, toActor } from './actor.ts';

/** The lifetime of a session, in ms: 12 hours, a working day. Activity does not extend it. */
export const SESSION_MS = 12 * 60 * 60 * 1000;

/** How long people may take at an OpenID provider, in ms. */
export const SIGN_IN_MS = 10 * 60 * 1000;

/** The number of sessions that a person can have at the same time. */
const MAX_SESSIONS = 20;

/** The name of the key of a session. */
export const SESSION_NAME = 'console';

export interface PersonSession {
  /** The id of the session's own key. */
  id: string;
  /** The id of the key that the person signed in with. The session ends with that key. Null after OpenID Connect. */
  from: string | null;
}

/** Starts a session for a person who has been authenticated. @throws Refusal rate_limited */
export async function startSession(
  context: ServiceContext,
  userId: string,
  from: string | null,
  requestId: string,
): Promise<PersonSession> {
  await countSignIn(context, userId);
  return context.db.transaction((tx) => startSessionIn(tx, context, userId, from, requestId));
}

/**
 * Counts a sign-in of a person: each writes a key and two entries of history.
 * @throws Refusal rate_limited
 */
export async function countSignIn(context: ServiceContext, userId: string): Promise<void> {
  await openBudget(context, { userId }, 'sign-ins', BUCKETS['sign-ins'].limit).count(1);
}

/**
 * Starts a session within the caller's transaction.
 * @throws Refusal forbidden if the person was suspended or removed meanwhile
 */
export async function startSessionIn(
  tx: Tx,
  context: ServiceContext,
  userId: string,
  from: string | null,
  requestId: string,
): Promise<PersonSession> {
  const now = context.now();
  const key = { userId, name: SESSION_NAME, expiresAt: new Date(now.getTime() + SESSION_MS) };
  const { id } = await mintPersonKey(tx, key, context.random);
  // From here on the person can be neither suspended nor removed until the transaction ends (lockUserAlone).
  const { valid } = await keyStanding(tx, id, { teamId: null }, now);
  if (!valid) throw refusal('person-suspended');
  await dropUnusableKeys(tx, { teamId: null, userId }, now);
  const entry = { teamId: null, keyId: from ?? id, action: 'key.mint', subject: id, before: null } as const;
  await insertAccountChange(tx, { ...entry, after: { userId, name: key.name }, requestId, at: now });
  for (const old of await oldSessions(tx, userId, SESSION_NAME, { now, keep: MAX_SESSIONS })) {
    await endSessionIn(tx, old, { keyId: id, requestId, now });
  }
  return { id, from };
}

/**
 * @param state the random text of a sign-in at the provider.
 * @returns false if it came back before
 */
export async function useState({ db, now }: Pick<ServiceContext, 'db' | 'now'>, state: string): Promise<boolean> {
  return useSignIn(db, createHash('sha256').update(state).digest(), now());
}

/** The actor of a session; null if the session, or the key that it was started with, has ended. */
export async function sessionActor(context: ServiceContext, session: PersonSession): Promise<Actor | null> {
  const now = context.now();
  const [key, from] = await Promise.all([
    keyById(context.db, session.id),
    session.from === null ? null : keyById(context.db, session.from),
  ]);
  if (!key || key.userId === null || isOver(key, now)) return null;
  if (session.from !== null && (!from || from.userId !== key.userId || isOver(from, now))) return null;
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() > 60_000)
    await markUsed(context.db, key.id, now);
  return toActor(key);
}

/** Ends a session. Repeated calls have no further effect. */
export async function endSession(context: ServiceContext, session: PersonSession, requestId: string): Promise<void> {
  const now = context.now();
  await context.db.transaction((tx) => endSessionIn(tx, session.id, { keyId: session.id, requestId, now }));
}

async function endSessionIn(
  tx: Tx,
  id: string,
  { keyId, requestId, now }: { keyId: string; requestId: string; now: Date },
): Promise<void> {
  if (!(await revokeKeyRow(tx, id, now))) return;
  const entry = { teamId: null, keyId, action: 'key.revoke', subject: id, after: null } as const;
  await insertAccountChange(tx, { ...entry, before: { name: SESSION_NAME }, requestId, at: now });
}

function isOver(key: KeyRow, now: Date): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now);
}
