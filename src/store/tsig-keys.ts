// TSIG keys as rows. The secret leaves only through tsigSecretOf, for the check of a message.
import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { tsigKeys } from './tables.ts';

export interface TsigSecretRow {
  keyId: string;
  algorithm: TsigKeyAlgorithm;
  /** Base64. */
  secret: string;
}

const selectSecret = statement<TsigSecretRow>(
  'select key_id as "keyId", algorithm, secret from tsig_keys where name = $1',
);

/** @param name in lower case, without final dot. @returns null if no key has this name */
export async function tsigSecretOf(db: Db | Tx, name: string): Promise<TsigSecretRow | null> {
  return (await selectSecret(db, name))[0] ?? null;
}

/** @throws SQLSTATE 23505 if the app key has a TSIG key already */
export async function insertTsigKey(tx: Db | Tx, key: TsigSecretRow & { name: string }): Promise<void> {
  await tx.insert(tsigKeys).values(key);
}
