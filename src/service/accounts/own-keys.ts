// The sessions and keys of the person who asks: a list, and the end of one or of all sessions.
import { insertAccountChange } from '#store/account-changes.ts';
import type { Tx } from '#store/database.ts';
import { keysOfPerson, type PersonKeyRow } from '#store/person-keys.ts';
import { revokeKeyRow } from '#store/team-keys.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { accountHistory, mustBePerson } from './account.ts';
import type { Actor } from './actor.ts';
import { SESSION_NAME } from './sessions.ts';

export interface OwnKeys {
  /** The newest first. */
  sessions: PersonKeyRow[];
  keys: PersonKeyRow[];
}

/** @throws Refusal forbidden (app key) */
export async function readOwnKeys(context: ServiceContext, actor: Actor): Promise<OwnKeys> {
  const rows = await keysOfPerson(context.db, mustBePerson(actor).id, context.now());
  return { sessions: rows.filter(isSession), keys: rows.filter((row) => !isSession(row)) };
}

/**
 * Ends a session, or revokes a key, of the person. Sessions that the key started end with it.
 * @throws Refusal forbidden (app key), not_found (also a key of another person)
 */
export async function endOwnKey(context: ServiceContext, caller: Caller, id: string): Promise<PersonKeyRow> {
  const { id: userId } = mustBePerson(caller.actor);
  return context.db.transaction(async (tx) => {
    const row = (await keysOfPerson(tx, userId, context.now())).find((each) => each.id === id);
    if (row === undefined) throw refusal('no-own-key');
    await end(tx, context, caller, row);
    return row;
  });
}

/** Ends all sessions of the person, the one of the caller included. @throws Refusal forbidden (app key) */
export async function endOwnSessions(context: ServiceContext, caller: Caller): Promise<number> {
  const { id: userId } = mustBePerson(caller.actor);
  return context.db.transaction(async (tx) => {
    const sessions = (await keysOfPerson(tx, userId, context.now())).filter(isSession);
    for (const row of sessions) await end(tx, context, caller, row);
    return sessions.length;
  });
}

async function end(tx: Tx, context: ServiceContext, caller: Caller, { id, name }: PersonKeyRow): Promise<void> {
  const now = context.now();
  if (!(await revokeKeyRow(tx, id, now))) return;
  const change = { action: 'key.revoke', subject: id, before: { name }, after: null } as const;
  await insertAccountChange(tx, { ...accountHistory(caller, null, now), ...change });
}

/** Only sessions expire. A key that a person gave the name of a session is not one. */
function isSession({ name, expiresAt }: PersonKeyRow): boolean {
  return name === SESSION_NAME && expiresAt !== null;
}
