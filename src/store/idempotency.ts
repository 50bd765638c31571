// Answers kept for a repeated POST. Written in the transaction of the change that they answer; zone-load.ts and
// zone-commit.ts have those of changes of records.

import type { Db, Tx } from './database.ts';
import { and, eq } from './drizzle.ts';
import { statement } from './statement.ts';
import { idempotency } from './tables.ts';

export interface KeptAnswer {
  requestHash: Uint8Array;
  answer: unknown;
}

/** Any constant: the two-number form of advisory locks is used for this alone. */
const LOCKS = 0x6f6e6365;
const lock = statement(`select pg_advisory_xact_lock(${LOCKS}, hashtext($1))`);

/**
 * One request of a token at a time, in all replicas, until the transaction ends. Without it a repetition that comes
 * while the first is under way finds no answer yet, and is refused as the duplicate that it is. Fails with 55P03 as row
 * locks do.
 */
export async function lockToken(tx: Tx, keyId: string, token: string): Promise<void> {
  await lock(tx, `${keyId} ${token}`);
}

export async function keptAnswer(tx: Db | Tx, keyId: string, token: string): Promise<KeptAnswer | null> {
  const rows = await tx.build
    .select({ requestHash: idempotency.requestHash, answer: idempotency.answer })
    .from(idempotency)
    .where(and(eq(idempotency.keyId, keyId), eq(idempotency.token, token)));
  return rows[0] ?? null;
}

export async function insertAnswer(
  tx: Tx,
  entry: { keyId: string; token: string; requestHash: Uint8Array; answer: unknown; createdAt: Date },
): Promise<void> {
  await tx.build.insert(idempotency).values(entry);
}
