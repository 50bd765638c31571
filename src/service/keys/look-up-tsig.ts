// Looks up the TSIG key of a message. Its sender may be forged, so look-ups share statements, and a name without a key
// is remembered for a moment: a flood of such messages takes two connections at most, and asks once for each name.
import type { Db } from '#store/database.ts';
import { findTsigSecrets, type TsigSecretRow } from '#store/tsig-keys.ts';
import { sharedLookUp } from './shared-look-up.ts';

/** How long a name without a key is remembered, in ms. A new key has a name that no message had before. */
const ABSENT_MS = 5_000;
const MAX_ABSENT = 10_000;

const lookUp = sharedLookUp<string, TsigSecretRow | null>(async (db, names) => {
  const rowByName = new Map((await findTsigSecrets(db, names)).map((row) => [row.name, row]));
  return names.map((name) => rowByName.get(name) ?? null);
});

/** The times until which names are known to be absent, by database. */
const absent = new WeakMap<Db, Map<string, number>>();

/**
 * @param name in lower case, without final dot.
 * @returns null if no key has this name
 */
export async function lookUpTsigKey(db: Db, name: string): Promise<TsigSecretRow | null> {
  const expiryByName = absent.get(db) ?? new Map<string, number>();
  absent.set(db, expiryByName);
  if ((expiryByName.get(name) ?? 0) > performance.now()) return null;
  const row = await lookUp(db, name, name);
  if (row !== null) return row;
  expiryByName.delete(name);
  expiryByName.set(name, performance.now() + ABSENT_MS);
  // The map keeps the order of insertion, so its first name is the oldest.
  for (const oldest of expiryByName.keys()) {
    if (expiryByName.size <= MAX_ABSENT) break;
    expiryByName.delete(oldest);
  }
  return null;
}
