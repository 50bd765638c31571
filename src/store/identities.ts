// The identities of people at OpenID providers, as rows.
import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import type { UserRow } from './people.ts';
import { identities, users } from './tables.ts';

interface IdentityRow {
  issuer: string;
  subject: string;
  userId: string;
}

export async function userOfIdentity(tx: Db | Tx, issuer: string, subject: string): Promise<UserRow | null> {
  const rows = await tx
    .select({ id: users.id, email: users.email, name: users.name })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  return rows[0] ?? null;
}

/** @throws SQLSTATE 23505 (identities_pkey) */
export async function insertIdentity(tx: Tx, identity: IdentityRow): Promise<void> {
  await tx.insert(identities).values(identity);
}
