// Encrypts the private keys of zones with the first key of a keyring: those in clear, and those with another key. Rows
// change by pages while the service works, and a zone keeps its key, so name servers notice nothing. It can be repeated
// and ended at any time.
import { type Keyring, sealedPrefix } from '#base/keyring.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db } from '#store/database.ts';
import { countStoredKeys, KEY_PLACES, type KeyPlace, replaceStoredKeys, storedKeyPages } from '#store/encryption.ts';
import { ownerOfKey } from '#store/zone-keys.ts';
import { judgeStoredKeys, mustHaveKey, type StoredKeys } from './stored-keys.ts';

export interface EncryptResult {
  readonly before: StoredKeys;
  readonly encrypted: number;
  /** Why keys could not be opened, each reason once. */
  readonly problems: readonly string[];
}

/** @throws Error if the database does not answer; the reason of the signal */
export async function adminReadStoredKeys(url: string, keyring: Keyring): Promise<StoredKeys> {
  return withDatabase(url, async (db) => judgeStoredKeys(await countStoredKeys(db), keyring));
}

/** @throws as adminReadStoredKeys; Error if the keyring has no key */
export async function adminEncryptKeys(url: string, keyring: Keyring, signal: AbortSignal): Promise<EncryptResult> {
  const prefix = sealedPrefix(mustHaveKey(keyring));
  return withDatabase(url, async (db) => {
    const before = judgeStoredKeys(await countStoredKeys(db), keyring);
    const problems = new Set<string>();
    let encrypted = 0;
    let changed: number;
    // A zone that is deleted or restored meanwhile moves its keys to a place that was done.
    do {
      changed = 0;
      for (const place of KEY_PLACES) changed += await encryptPlace({ db, keyring, prefix, problems }, place, signal);
      encrypted += changed;
    } while (changed > 0);
    return { before, encrypted, problems: [...problems] };
  });
}

interface Work {
  readonly db: Db;
  readonly keyring: Keyring;
  readonly prefix: string;
  readonly problems: Set<string>;
}

async function encryptPlace(work: Work, place: KeyPlace, signal: AbortSignal): Promise<number> {
  const { db, keyring, prefix, problems } = work;
  let changed = 0;
  for await (const page of storedKeyPages(db, place, prefix, signal)) {
    const changes = page.flatMap((key) => {
      try {
        const owner = ownerOfKey(key);
        return [{ key, text: keyring.seal(keyring.open(key.text, owner), owner) }];
      } catch (error) {
        problems.add((error as Error).message);
        return [];
      }
    });
    if (changes.length > 0) changed += await replaceStoredKeys(db, place, changes);
  }
  return changed;
}
