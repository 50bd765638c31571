// Answers kept for a repeated POST. Written in the transaction of the change that they answer.
import { and, eq, lt } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { idempotency } from './tables.ts';

export interface KeptAnswer {
  requestHash: Uint8Array;
  answer: unknown;
}

export async function keptAnswer(tx: Tx, keyId: string, token: string): Promise<KeptAnswer | null> {
  const rows = await tx
    .select({ requestHash: idempotency.requestHash, answer: idempotency.answer })
    .from(idempotency)
    .where(and(eq(idempotency.keyId, keyId), eq(idempotency.token, token)));
  return rows[0] ?? null;
}

/** @throws SQLSTATE 23505 (idempotency_pkey) when the same request is under way elsewhere and commits first */
export async function keepAnswer(
  tx: Tx,
  entry: { keyId: string; token: string; requestHash: Uint8Array; answer: unknown; createdAt: Date },
): Promise<void> {
  await tx.insert(idempotency).values(entry);
}

/** Drops the answers made before `before`. */
export async function dropOldAnswers(db: Db, before: Date): Promise<void> {
  await db.delete(idempotency).where(lt(idempotency.createdAt, before));
}
