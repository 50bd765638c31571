// Looks up the key of every request.
import type { Db } from '#store/database.ts';
import { type KeyRow, keysByIds } from '#store/keys.ts';
import { sharedLookUp } from './shared-look-up.ts';

const lookUp = sharedLookUp<string, KeyRow | null>(async (db, ids) => {
  const rowById = new Map((await keysByIds(db, ids)).map((key) => [key.id, key]));
  return ids.map((id) => rowById.get(id) ?? null);
});

/** Null: there is no such key. */
export function lookUpKey(db: Db, id: string): Promise<KeyRow | null> {
  return lookUp(db, id, id);
}
