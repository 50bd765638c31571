// The API key of a part of the installation itself (the operator): its text is decided outside, where a Secret keeps it, and
// made known here. Everything may be repeated.
import { createHash, timingSafeEqual } from 'node:crypto';
import { insertAccountChange } from '../store/account-changes.ts';
import { openDatabase, type Tx } from '../store/database.ts';
import { insertKey, keyById } from '../store/keys.ts';
import { keyOfTeam, updateKeyTerms } from '../store/team-keys.ts';
import { ensureTeam } from './keys.ts';

type Random = (bytes: number) => Buffer;

/** As zones/keys.ts mints them. */
const FORM = /^yk_([a-z0-9]{1,32})_([0-9a-f]{64})$/;
const WHO = { keyId: null, requestId: 'bootstrap' } as const;

/** The text of a key that nobody knows yet. */
export function newKeyText(random: Random): string {
  return `yk_${random(6).toString('hex')}_${random(32).toString('hex')}`;
}

export interface HouseKey {
  /** Made when there is none of that name. */
  team: string;
  /** What the key is for. */
  name: string;
  text: string;
}

export type KeyState =
  /** Valid, and was before. */
  | { state: 'known'; keyId: string; teamId: string }
  /** Valid from now on. */
  | { state: 'registered'; keyId: string; teamId: string }
  /** Never to be valid again: revoked, expired, no key at all, or another one's id. Take a new text. */
  | { state: 'unusable'; why: string };

/** Makes the text valid for all zones and records of the team, unless the service has cause to refuse it. */
export async function ensureHouseKey(url: string, key: HouseKey, random: Random, now: Date): Promise<KeyState> {
  const [, id = '', secret = ''] = FORM.exec(key.text) ?? [];
  if (id === '') return { state: 'unusable', why: 'it is no key of an app account' };
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
    const entry = { teamId, action: 'key.mint', subject: id, before: null, after: terms, at: now, ...WHO } as const;
    await insertAccountChange(tx, entry);
    return { state: 'registered', keyId: id, teamId };
  });
}

/** The id in a key's text; undefined when it is none of an app account. */
export function keyIdOf(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/**
 * Lets a key that was replaced end at `end`, so that whoever still holds it can change over; one that ends before stays as it is.
 * Of an unknown one: nothing.
 */
export async function endHouseKey(url: string, id: string, end: Date, now: Date): Promise<void> {
  await inTransaction(url, async (tx) => {
    const teamId = (await keyById(tx, id))?.teamId;
    const before = teamId ? await keyOfTeam(tx, teamId, id) : null;
    if (!teamId || !before || (before.expiresAt !== null && before.expiresAt <= end)) return;
    const { name, records, manageZones, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites } = before;
    const same = { name, records, manageZones, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites };
    await updateKeyTerms(tx, id, { ...same, expiresAt: end });
    const change = { before: { expiresAt: before.expiresAt }, after: { expiresAt: end } };
    await insertAccountChange(tx, { teamId, action: 'key.change', subject: id, ...change, at: now, ...WHO });
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
