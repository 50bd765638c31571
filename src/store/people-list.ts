// People for the administrator: the list of all, and the end of one.

import type { Db, Tx } from './database.ts';
import { eq, sql } from './drizzle.ts';
import { statement } from './statement.ts';
import { users, zones } from './tables.ts';

export interface ListedPerson {
  id: string;
  email: string;
  name: string;
  createdAt: string;
  suspendedAt: string | null;
  teams: { team: string; role: string }[];
  identities: { issuer: string; subject: string }[];
}

const select = statement<ListedPerson>(`
  select u.id, u.email, u.name, u.created_at as "createdAt", u.suspended_at as "suspendedAt",
    coalesce((select json_agg(json_build_object('team', t.name, 'role', m.role) order by t.name)
      from memberships m join teams t on t.id = m.team_id where m.user_id = u.id), '[]') as teams,
    coalesce((select json_agg(json_build_object('issuer', i.issuer, 'subject', i.subject) order by i.issuer)
      from identities i where i.user_id = u.id), '[]') as identities
  from users u where u.removed_at is null order by u.email`);

/** All people that were not removed, by address. */
export async function allPeople(db: Db): Promise<ListedPerson[]> {
  const iso = (time: string) => new Date(time).toISOString();
  return (await select(db)).map((row) => ({
    ...row,
    createdAt: iso(row.createdAt),
    suspendedAt: row.suspendedAt === null ? null : iso(row.suspendedAt),
  }));
}

/** @throws SQLSTATE 23505 (users_email_key) */
export async function setAddress(tx: Tx, id: string, email: string): Promise<void> {
  await tx.build.update(users).set({ email }).where(eq(users.id, id));
}

/**
 * @param suspendedAt null: keys and new sessions of the person are valid again.
 * @returns whether that changed
 */
export async function setSuspended(tx: Tx, id: string, suspendedAt: Date | null): Promise<boolean> {
  const rows = await tx.build
    .update(users)
    .set({ suspendedAt })
    .where(sql`${users.id} = ${id} and (${users.suspendedAt} is null) = ${suspendedAt !== null}`)
    .returning({ id: users.id });
  return rows.length > 0;
}

/** The domain of the addresses of removed people (RFC 2606: no host has a name below .invalid). */
export const REMOVED_DOMAIN = 'removed.invalid';

/** The row stays for the history. Its address is free for another person. */
export async function markRemoved(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.build
    .update(users)
    .set({ email: `${id}@${REMOVED_DOMAIN}`, suspendedAt: now, removedAt: now })
    .where(eq(users.id, id));
}

const selectValidKeys = statement<{ id: string; name: string }>(
  'select id, name from api_keys where user_id = $1 and revoked_at is null order by created_at, id',
);

/** The keys and sessions of a person that were not revoked. */
export async function keysOfPerson(tx: Tx, userId: string): Promise<readonly { id: string; name: string }[]> {
  return selectValidKeys(tx, userId);
}

/** The names of personal zones, at most `limit`. */
export async function personalZones(tx: Tx, userId: string, limit: number): Promise<string[]> {
  const rows = await tx.build.select({ name: zones.name }).from(zones).where(eq(zones.userId, userId)).limit(limit);
  return rows.map(({ name }) => name);
}
