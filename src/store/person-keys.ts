// The keys of a person, sessions in the console included.
import { and, desc, eq, gt, isNull, or } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { apiKeys } from './tables.ts';

export interface PersonKeyRow {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The User-Agent of the last use. */
  lastUsedBy: string | null;
  expiresAt: Date | null;
}

/** The newest ones are listed. */
const MAX_LISTED = 200;

/** The valid keys of a person, the newest first. */
export async function keysOfPerson(db: Db | Tx, userId: string, now: Date): Promise<PersonKeyRow[]> {
  const { id, name, createdAt, lastUsedAt, lastUsedBy, expiresAt } = apiKeys;
  return db.build
    .select({ id, name, createdAt, lastUsedAt, lastUsedBy, expiresAt })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), or(isNull(expiresAt), gt(expiresAt, now))))
    .orderBy(desc(createdAt), desc(id))
    .limit(MAX_LISTED);
}
