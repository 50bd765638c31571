// Node keys as rows. Secrets come in and go out as hashes only.

import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, eq, isNull, lt, or, sql } from './drizzle.ts';
import { nodeKeys } from './tables.ts';

export interface NodeKeyRow {
  id: string;
  name: string;
  secretHash: Uint8Array;
  networks: string[] | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

const columns = {
  id: nodeKeys.id,
  name: nodeKeys.name,
  secretHash: nodeKeys.secretHash,
  networks: sql<string[] | null>`${nodeKeys.networks}::text[]`,
  expiresAt: nodeKeys.expiresAt,
  revokedAt: nodeKeys.revokedAt,
  lastUsedAt: nodeKeys.lastUsedAt,
  createdAt: nodeKeys.createdAt,
};

export async function nodeKeyById(db: Db | Tx, id: string): Promise<NodeKeyRow | null> {
  if (!isStorable(id)) return null;
  return (await db.build.select(columns).from(nodeKeys).where(eq(nodeKeys.id, id)))[0] ?? null;
}

/** All of them, revoked ones too, oldest first. */
export async function allNodeKeys(db: Db): Promise<NodeKeyRow[]> {
  return db.build.select(columns).from(nodeKeys).orderBy(asc(nodeKeys.createdAt), nodeKeys.id);
}

export async function insertNodeKey(tx: Db | Tx, key: typeof nodeKeys.$inferInsert): Promise<void> {
  await tx.build.insert(nodeKeys).values(key);
}

/** Records the use of a key, at most once a minute. */
export async function markNodeKeyUsed(db: Db, id: string, now: Date, agent: string | null): Promise<void> {
  const minuteAgo = new Date(now.getTime() - 60_000);
  await db.build
    .update(nodeKeys)
    .set({ lastUsedAt: now, lastUsedBy: agent?.slice(0, 200) ?? null })
    .where(and(eq(nodeKeys.id, id), or(isNull(nodeKeys.lastUsedAt), lt(nodeKeys.lastUsedAt, minuteAgo))));
}

/** Revokes the key unless it is revoked. @returns whether it was not */
export async function revokeNodeKeyRow(tx: Tx, id: string, now: Date): Promise<boolean> {
  const rows = await tx.build
    .update(nodeKeys)
    .set({ revokedAt: now })
    .where(and(eq(nodeKeys.id, id), isNull(nodeKeys.revokedAt)))
    .returning({ id: nodeKeys.id });
  return rows.length > 0;
}

/** Lets the key expire at `end`, unless it expires earlier. */
export async function expireNodeKeyRow(tx: Tx, id: string, end: Date): Promise<boolean> {
  const rows = await tx.build
    .update(nodeKeys)
    .set({ expiresAt: end })
    .where(and(eq(nodeKeys.id, id), or(isNull(nodeKeys.expiresAt), sql`${nodeKeys.expiresAt} > ${end.toISOString()}`)))
    .returning({ id: nodeKeys.id });
  return rows.length > 0;
}

/** Which of these keys are neither revoked nor expired. */
export async function validNodeKeys(db: Db, ids: readonly string[], now: Date): Promise<string[]> {
  const rows = await db.build
    .select({ id: nodeKeys.id })
    .from(nodeKeys)
    .where(
      and(
        sql`${nodeKeys.id} = any(${sql.param([...ids])}::text[])`,
        isNull(nodeKeys.revokedAt),
        or(isNull(nodeKeys.expiresAt), sql`${nodeKeys.expiresAt} > ${now.toISOString()}`),
      ),
    );
  return rows.map(({ id }) => id);
}
