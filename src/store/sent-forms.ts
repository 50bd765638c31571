// Forms of the console that were sent, so that each takes effect once. Their rows are among those of Idempotency-Keys,
// so the retention deletes them at the same age. No rule is known here.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

/** An answer that is not known yet. */
const RUNNING = { state: 'running' };

type KeptForm = { state: 'running' } | { state: 'done'; sealed: string };

/** @returns whether the form is a new one; another request of the same form gets false */
export async function insertSentForm(
  db: Db,
  form: { keyId: string; token: string; digest: Uint8Array; now: Date },
): Promise<boolean> {
  const { keyId, token, digest, now } = form;
  return (await insert(db, keyId, token, digest, JSON.stringify(RUNNING), now.toISOString())).length === 1;
}

const insert = statement<{ token: string }>(`
  insert into idempotency (key_id, token, request_hash, answer, created_at) values ($1, $2, $3, $4::text::jsonb, $5)
  on conflict do nothing returning token`);

/** Null if the form was not sent, or was refused. */
export async function sentForm(db: Db, keyId: string, token: string): Promise<KeptForm | null> {
  const [row] = await select(db, keyId, token);
  return row?.answer ?? null;
}

const select = statement<{ answer: KeptForm }>('select answer from idempotency where key_id = $1 and token = $2');

/** Keeps the outcome in place of an earlier one. @param sealedText base64 */
export async function updateSentForm(db: Db, keyId: string, token: string, sealedText: string): Promise<void> {
  await update(db, keyId, token, JSON.stringify({ state: 'done', sealed: sealedText }));
}

const update = statement('update idempotency set answer = $3::text::jsonb where key_id = $1 and token = $2');

/** The form may be sent again. */
export async function deleteSentForm(db: Db, keyId: string, token: string): Promise<void> {
  await remove(db, keyId, token);
}

const remove = statement('delete from idempotency where key_id = $1 and token = $2');
