// TSIG keys as rows. The secret leaves only through findTsigSecrets, for the check of a message.
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

const selectSecrets = statement<TsigSecretRow & { name: string }>(
  'select name, key_id as "keyId", algorithm, secret from tsig_keys where name = any($1::text[])',
);

/** Those of these keys that exist. @param names in lower case, without final dot */
export async function findTsigSecrets(
  db: Db | Tx,
  names: readonly string[],
): Promise<readonly (TsigSecretRow & { name: string })[]> {
  return selectSecrets(db, names);
}

/** @throws SQLSTATE 23505 if the app key has a TSIG key already */
export async function insertTsigKey(tx: Db | Tx, key: TsigSecretRow & { name: string }): Promise<void> {
  await tx.build.insert(tsigKeys).values(key);
}
