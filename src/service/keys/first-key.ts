// The API keys of the installation's own components (the operator). The installation generates the text and keeps it in a Secret;
// this module registers it in the database. All operations can be repeated.
import { createHash, timingSafeEqual } from 'node:crypto';
import { insertAccountChange } from '#store/account-changes.ts';
import { openDatabase, type Tx } from '#store/database.ts';
import { insertKey, keyById } from '#store/keys.ts';
import { keyOfTeam, updateKeyTerms } from '#store/team-keys.ts';
import { ensureTeam } from './keys.ts';

type Random = (bytes: number) => Buffer;

/** The form of the keys that keys.ts creates. */
const FORM = /^yk_([a-z0-9]{1,32})_([0-9a-f]{64})$/;
const AUTHOR = { keyId: null, requestId: 'bootstrap' } as const;

/** The text of a new key, which is not registered yet. */
export function newKeyText(random: Random): string {
  return `yk_${random(6).toString('hex')}_${random(32).toString('hex')}`;
}

interface ComponentKey {
  /** The name of the team that the key belongs to. It is created if it does not exist. */
  team: string;
  /** The purpose of the key. */
  name: string;
  text: string;
}

type KeyState =
  /** The key was registered before and is valid. */
  | { state: 'known'; keyId: string; teamId: string }
  /** The key is registered now. */
  | { state: 'registered'; keyId: string; teamId: string }
  /** The text can never become valid: it is revoked, expired or malformed, or another key has its id. Generate a new text. */
  | { state: 'unusable'; why: string };

/** Registers the key with all rights on the zones and records of the team, unless it is unusable. */
export async function ensureComponentKey(url: string, key: ComponentKey, random: Random, now: Date): Promise<KeyState> {
  const [, id = '', secret = ''] = FORM.exec(key.text) ?? [];
  if (id === '') return { state: 'unusable', why: 'it is not a key of an app account' };
  return inTransaction(url, async (tx) => {
    const hash = createHash('sha256').update(secret).digest();
    const found = await keyById(tx, id);
    if (found) {
      if (!timingSafeEqual(hash, Buffer.from(found.secretHash)))
        return { state: 'unusable', why: 'another key has its id' };
      if (found.revokedAt !== null) return { state: 'unusable', why: 'it is revoked' };
      if (found.expiresAt !== null && found.expiresAt <= now) return { state: 'unusable', why: 'it has expired' };
      return { state: 'known', keyId: id, teamId: found.teamId ?? '' };
    }
    const { id: teamId } = await ensureTeam(tx, key.team, random);
    const terms = { name: key.name, records: 'write', manageZones: 'write' } as const;
    await insertKey(tx, { id, teamId, ...terms, secretHash: hash });
    const entry = { teamId, action: 'key.mint', subject: id, before: null, after: terms, at: now, ...AUTHOR } as const;
    await insertAccountChange(tx, entry);
    return { state: 'registered', keyId: id, teamId };
  });
}

/** The id in the text of an app account's key; undefined for any other text. */
export function keyIdOf(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/**
 * Lets a replaced key expire at `end`, so that a component that still uses it has time to load the new one. A key that expires
 * earlier stays as it is. An unknown id has no effect.
 */
export async function expireComponentKey(url: string, id: string, end: Date, now: Date): Promise<void> {
  await inTransaction(url, async (tx) => {
    const teamId = (await keyById(tx, id))?.teamId;
    const before = teamId ? await keyOfTeam(tx, teamId, id) : null;
    if (!teamId || !before || (before.expiresAt !== null && before.expiresAt <= end)) return;
    const { name, records, manageZones, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites } = before;
    const same = { name, records, manageZones, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites };
    await updateKeyTerms(tx, id, { ...same, expiresAt: end });
    const change = { before: { expiresAt: before.expiresAt }, after: { expiresAt: end } };
    await insertAccountChange(tx, { teamId, action: 'key.change', subject: id, ...change, at: now, ...AUTHOR });
  });
}

async function inTransaction<T>(url: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'zonestead-bootstrap' });
  try {
    return await database.db.transaction(work);
  } finally {
    await database.close();
  }
}
