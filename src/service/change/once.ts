// Idempotency: a request with an Idempotency-Key (a token) is made at most once, and a repeated one gets the answer of
// the first. The answers of grouped changes are loaded and written with their zone (load.ts, judge.ts); every other
// change runs in a transaction that locks its token.
import { confirmEarlierCommits } from '#store/confirm.ts';
import { type Db, sqlFailure, type Tx } from '#store/database.ts';
import { insertAnswer, type KeptAnswer, keptAnswer, lockToken } from '#store/idempotency.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { busy } from './queue.ts';

/** An Idempotency-Key with the hash of its request. */
export type Once = NonNullable<Caller['once']>;

/** The rights that a repeated request needs to get the stored answer: they may have ended since. @throws Refusal */
export type MustRepeat = (tx: Tx) => Promise<unknown>;

/**
 * Runs one transaction. With an Idempotency-Key it runs at most once: a repeated request gets the answer of the first
 * one.
 * @param mustRepeat absent: the rights were checked before
 * @throws Refusal busy if a lock was not acquired in time; conflict if the Idempotency-Key was used for another request
 */
export async function once<T>(
  context: ServiceContext,
  caller: Caller,
  work: (tx: Tx) => Promise<T>,
  mustRepeat?: MustRepeat,
): Promise<T> {
  try {
    const outcome = await context.db.transaction((tx) => runWithToken(tx, context, caller, work, mustRepeat));
    context.commits?.announce();
    return 'answer' in outcome ? outcome.answer : await confirmStored<T>(context, caller);
  } catch (error) {
    if (isLockFailure(error)) throw busy();
    // A grouped change used the token at the same time.
    if (isTokenTaken(error)) throw tokenReused();
    throw error;
  }
}

async function runWithToken<T>(
  tx: Tx,
  context: ServiceContext,
  caller: Caller,
  work: (tx: Tx) => Promise<T>,
  mustRepeat?: MustRepeat,
): Promise<{ answer: T } | { isStored: true }> {
  if (!caller.once) return { answer: await work(tx) };
  const { token, requestHash } = caller.once;
  await lockToken(tx, caller.actor.keyId, token);
  if (await storedAnswer(tx, caller)) {
    await mustRepeat?.(tx);
    return { isStored: true };
  }
  const answer = await work(tx);
  await insertAnswer(tx, { keyId: caller.actor.keyId, token, requestHash, answer, createdAt: context.now() });
  return { answer };
}

/**
 * The answer to a repetition, from a transaction of its own. With the lock on the token, each repetition would wait
 * until the log of the one before it is written, and on a busy disk some would be refused as `busy`.
 */
function confirmStored<T>(context: ServiceContext, caller: Caller): Promise<T> {
  return context.db.transaction(async (tx) => {
    const answerRow = await storedAnswer(tx, caller);
    // The database failed over to a server without the answer.
    if (!answerRow) throw busy();
    await confirmEarlierCommits(tx);
    return answerRow.answer as T;
  });
}

/**
 * The answer to a repetition, for operations that would wait before they find it; null: the request is not a
 * repetition.
 * @throws Refusal conflict if the token was used for another request; busy
 */
export async function repeatedAnswer<T>(context: ServiceContext, caller: Caller): Promise<T | null> {
  if ((await storedAnswer(context.db, caller)) === null) return null;
  return confirmStored<T>(context, caller);
}

/**
 * Null: the token is new, or the request has none.
 * @throws Refusal conflict if the token was used for another request
 */
export async function storedAnswer(db: Db | Tx, { actor, once: onceRequest }: Caller): Promise<KeptAnswer | null> {
  const answerRow = onceRequest && (await keptAnswer(db, actor.keyId, onceRequest.token));
  if (answerRow) mustBeSameRequest(answerRow, onceRequest);
  return answerRow;
}

/** @throws Refusal conflict if the Idempotency-Key was used for another request */
export function mustBeSameRequest(answerRow: KeptAnswer, { requestHash }: Once): void {
  if (Buffer.compare(answerRow.requestHash, requestHash) !== 0) throw tokenReused();
}

function tokenReused(): Refusal {
  return refusal('token-reused');
}

/** Whether a request for another zone used the same token at the same time. */
export function isTokenTaken(error: unknown): boolean {
  return sqlFailure(error)?.constraint === 'idempotency_pkey';
}

const LOCK_FAILURES: ReadonlySet<string> = new Set(['55P03', '40P01']);

/** Whether a lock was not acquired in time, or there was a deadlock. Nothing was written, and a retry can succeed. */
export function isLockFailure(error: unknown): boolean {
  return LOCK_FAILURES.has(sqlFailure(error)?.code ?? '');
}
