// A person's session in the console. It is a key of the person that nobody has the text of: changes made in it are judged,
// limited and written to history as those of any key, and signing out revokes it, so that a copied cookie is worth nothing.
import { insertAccountChange } from '../store/account-changes.ts';
import type { Tx } from '../store/database.ts';
import { type KeyRow, keyById, markUsed } from '../store/keys.ts';
import { revokeKeyRow } from '../store/team-keys.ts';
import { type Actor, actorOf } from './actor.ts';
import type { House } from './change.ts';
import { mintPersonKey } from './keys.ts';

/** However busy its person is, a session ends after this long: 12 hours, a working day. */
export const SESSION_MS = 12 * 60 * 60 * 1000;

export interface PersonSession {
  /** Id of the session's own key. */
  id: string;
  /** Id of the key that the person signed in with, whose end is the session's too; null after OpenID Connect. */
  from: string | null;
}

/** Of a person who has been authenticated. */
export async function startSession(
  house: House,
  userId: string,
  from: string | null,
  requestId: string,
): Promise<PersonSession> {
  return house.db.transaction((tx) => startSessionIn(tx, house, userId, from, requestId));
}

/** The same within a transaction that does more. */
export async function startSessionIn(
  tx: Tx,
  house: House,
  userId: string,
  from: string | null,
  requestId: string,
): Promise<PersonSession> {
  const now = house.now();
  const key = { userId, name: 'console', expiresAt: new Date(now.getTime() + SESSION_MS) };
  const { id } = await mintPersonKey(tx, key, house.random);
  const entry = { teamId: null, keyId: from ?? id, action: 'key.mint', subject: id, before: null } as const;
  await insertAccountChange(tx, { ...entry, after: { userId, name: key.name }, requestId, at: now });
  return { id, from };
}

/** Who asks in a session; null when it is over, or the key that it was begun with is. */
export async function sessionActor(house: House, session: PersonSession): Promise<Actor | null> {
  const now = house.now();
  const [key, from] = await Promise.all([
    keyById(house.db, session.id),
    session.from === null ? null : keyById(house.db, session.from),
  ]);
  if (!key || key.userId === null || isOver(key, now)) return null;
  if (session.from !== null && (!from || from.userId !== key.userId || isOver(from, now))) return null;
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() > 60_000)
    await markUsed(house.db, key.id, now);
  return actorOf(key);
}

/** Repeating is fine. */
export async function endSession(house: House, session: PersonSession, requestId: string): Promise<void> {
  const now = house.now();
  await house.db.transaction(async (tx) => {
    if (!(await revokeKeyRow(tx, session.id, now))) return;
    const entry = { teamId: null, keyId: session.id, action: 'key.revoke', subject: session.id, after: null } as const;
    await insertAccountChange(tx, { ...entry, before: { name: 'console' }, requestId, at: now });
  });
}

function isOver(key: KeyRow, now: Date): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now);
}
