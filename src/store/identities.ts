// The identities of people at OpenID providers, as rows. A person has at most one at each provider.

import type { Db, Tx } from './database.ts';
import { and, eq } from './drizzle.ts';
import type { UserRow } from './people.ts';
import { identities, users } from './tables.ts';

export interface IdentityRow {
  issuer: string;
  subject: string;
  userId: string;
}

export async function userOfIdentity(tx: Db | Tx, issuer: string, subject: string): Promise<UserRow | null> {
  const rows = await tx.build
    .select({ id: users.id, email: users.email, name: users.name })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  return rows[0] ?? null;
}

/** The subject of a person at a provider; null if there is none. */
export async function findSubject(tx: Db | Tx, issuer: string, userId: string): Promise<string | null> {
  const rows = await tx.build
    .select({ subject: identities.subject })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.userId, userId)));
  return rows[0]?.subject ?? null;
}

/** @throws SQLSTATE 23505 (identities_pkey, identities_issuer_user_key) */
export async function insertIdentity(tx: Tx, identity: IdentityRow): Promise<void> {
  await tx.build.insert(identities).values(identity);
}

/**
 * Makes the subject that of this person alone, in place of another subject of the person and another person of the
 * subject.
 */
export async function moveIdentity(tx: Tx, { issuer, subject, userId }: IdentityRow): Promise<void> {
  await tx.build.delete(identities).where(and(eq(identities.issuer, issuer), eq(identities.userId, userId)));
  await tx.build.delete(identities).where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  await insertIdentity(tx, { issuer, subject, userId });
}

export async function deleteIdentities(tx: Tx, userId: string): Promise<void> {
  await tx.build.delete(identities).where(eq(identities.userId, userId));
}
