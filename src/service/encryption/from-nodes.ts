// Takes private keys that the database cannot read from the name servers, after the key that encrypts them was lost. A
// node proves a private key by its public key, which the database has.
import type { Keyring } from '#base/keyring.ts';
import { readSigningKey } from '#dns/dnssec/signing-key.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db } from '#store/database.ts';
import { namesOfZones, replaceStoredKeys, type StoredKey, storedKeyPages } from '#store/encryption.ts';
import { closeSalvage, lockForSalvage } from '#store/salvage.ts';
import { ownerOfKey } from '#store/zone-keys.ts';
import { askNodes } from '../nodes/ask-nodes.ts';
import { openSentKeys, type SentKeys } from '../nodes/salvage-parts.ts';
import { mustHaveKey } from './stored-keys.ts';

/** Zones of one request. MAX_SALVAGED of the contract bounds them. */
const AT_ONCE = 20;

export interface FromNodes {
  /** Private keys that the database can read again. */
  readonly recovered: number;
  /** The names of zones with a private key that no name server sent. */
  readonly lost: readonly string[];
}

/**
 * Asks for the keys of all zones that cannot be read, 20 zones at a time. It can be repeated.
 * @throws Error if the keyring is empty, another administrator is at work, or no name server reports; the reason of
 * the signal
 */
export async function adminTakeKeysFromNodes(url: string, keyring: Keyring, signal: AbortSignal): Promise<FromNodes> {
  mustHaveKey(keyring);
  return withDatabase(url, async (db) => {
    if (!(await lockForSalvage(db))) throw new Error('another administrator brings back zones now; wait for the end');
    const unreadable = await listUnreadable(db, keyring, signal);
    const zoneIds = [...new Set(unreadable.map(({ zoneId }) => zoneId))];
    const names = await namesOfZones(db, zoneIds);
    let recovered = 0;
    const lost: string[] = [];
    try {
      for (let at = 0; at < zoneIds.length; at += AT_ONCE) {
        const zones = zoneIds.slice(at, at + AT_ONCE).map((id) => ({ id, name: names.get(id) ?? '' }));
        const sentKeys = await askForKeys(
          db,
          zones.map(({ name }) => name),
          keyring,
          signal,
        );
        for (const { id, name } of zones) {
          const keys = unreadable.filter(({ zoneId }) => zoneId === id);
          const count = await replaceWith(db, keys, sentKeys.get(name) ?? new Map(), keyring);
          recovered += count;
          if (count < keys.length) lost.push(name);
        }
      }
    } finally {
      await closeSalvage(db);
    }
    return { recovered, lost };
  });
}

async function listUnreadable(db: Db, keyring: Keyring, signal: AbortSignal): Promise<StoredKey[]> {
  const unreadable: StoredKey[] = [];
  for await (const page of storedKeyPages(db, 'zones', null, signal))
    unreadable.push(...page.filter((key) => !canOpen(key, keyring)));
  return unreadable;
}

function canOpen(key: StoredKey, keyring: Keyring): boolean {
  try {
    keyring.open(key.text, ownerOfKey(key));
    return true;
  } catch {
    return false;
  }
}

/** @returns private keys by their public ones, of each zone */
async function askForKeys(
  db: Db,
  names: readonly string[],
  keyring: Keyring,
  signal: AbortSignal,
): Promise<Map<string, Map<string, string>>> {
  const byZone = new Map<string, Map<string, string>>();
  for (const { zone, content } of await askNodes(db, { zones: names, keysOnly: true }, signal)) {
    const sent = content as SentKeys;
    if (sent.kind !== 'keys') continue;
    const keys = byZone.get(zone) ?? new Map<string, string>();
    for (const privateKey of openSentKeys(sent.privateKeys, keyring, zone)) {
      const key = readSigningKey(privateKey);
      if (key !== null) keys.set(key.publicKey, key.privateKey);
    }
    byZone.set(zone, keys);
  }
  return byZone;
}

function replaceWith(
  db: Db,
  keys: readonly StoredKey[],
  privateKeys: ReadonlyMap<string, string>,
  keyring: Keyring,
): Promise<number> {
  const changes = keys.flatMap((key) => {
    const privateKey = privateKeys.get(key.publicKey);
    return privateKey === undefined ? [] : [{ key, text: keyring.seal(privateKey, ownerOfKey(key)) }];
  });
  return replaceStoredKeys(db, 'zones', changes);
}
