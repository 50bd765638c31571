// Answers kept for a repeated POST. Written in the transaction of the change that they answer.
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { idempotency } from './tables.ts';

export interface KeptAnswer {
  requestHash: Uint8Array;
  answer: unknown;
}

/** Any constant: the two-number form of advisory locks is used for this alone. */
const LOCKS = 0x6f6e6365;

/**
 * One request of a token at a time, in all replicas, until the transaction ends. Without it a repetition that comes while
 * the first is under way finds no answer yet, and is refused as the duplicate that it is. Fails with 55P03 as row locks do.
 */
export async function lockToken(tx: Tx, keyId: string, token: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS}::integer, hashtext(${`${keyId} ${token}`}))`);
}

export async function keptAnswer(tx: Db | Tx, keyId: string, token: string): Promise<KeptAnswer | null> {
  const rows = await tx
    .select({ requestHash: idempotency.requestHash, answer: idempotency.answer })
    .from(idempotency)
    .where(and(eq(idempotency.keyId, keyId), eq(idempotency.token, token)));
  return rows[0] ?? null;
}

export async function keepAnswer(
  tx: Tx,
  entry: { keyId: string; token: string; requestHash: Uint8Array; answer: unknown; createdAt: Date },
): Promise<void> {
  await tx.insert(idempotency).values(entry);
}

/** Those of the tokens that have an answer. */
export async function keptAnswers(tx: Tx, keyId: string, tokens: string[]): Promise<Map<string, KeptAnswer>> {
  if (tokens.length === 0) return new Map();
  const rows = await tx
    .select({ token: idempotency.token, requestHash: idempotency.requestHash, answer: idempotency.answer })
    .from(idempotency)
    .where(and(eq(idempotency.keyId, keyId), sql`${idempotency.token} = any(${sql.param(tokens)}::text[])`));
  return new Map(rows.map(({ token, ...kept }) => [token, kept]));
}

/** The first answer of a token stays. */
export async function keepAnswers(tx: Tx, entries: (typeof idempotency.$inferInsert)[]): Promise<void> {
  if (entries.length > 0) await tx.insert(idempotency).values(entries).onConflictDoNothing();
}

/** Drops the answers made before `before`. */
export async function dropOldAnswers(db: Db, before: Date): Promise<void> {
  await db.delete(idempotency).where(lt(idempotency.createdAt, before));
}
