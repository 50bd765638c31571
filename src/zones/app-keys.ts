// The app keys of a team, for its members: mint, list, change, revoke. A secret leaves once, in the answer to its minting.

import { sqlFailure } from '../store/database.ts';
import {
  keyOfTeam,
  keysOfTeam,
  revokeKeyRow,
  type TeamKeyRow,
  updateKeyTerms,
  zonesOfTeam,
} from '../store/team-keys.ts';
import { changeTeam, mustBeMember, type TeamWork } from './account.ts';
import type { Actor } from './actor.ts';
import type { Caller, House } from './change.ts';
import { type Grant, judgeTerms, type KeyTerms, NO_TERMS, type TermsInput } from './key-terms.ts';
import { mintKey } from './keys.ts';
import { insist, Refusal } from './refusal.ts';

export interface KeyView extends Omit<KeyTerms, 'expiresAt'> {
  id: string;
  expiresAt: string | null;
  createdAt: string;
  revokedAt: string | null;
  /** To the minute. */
  lastUsedAt: string | null;
}

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null;

export function keyView(key: TeamKeyRow): KeyView {
  return {
    id: key.id,
    ...termsView(key),
    createdAt: key.createdAt.toISOString(),
    revokedAt: iso(key.revokedAt),
    lastUsedAt: iso(key.lastUsedAt),
  };
}

/** What history keeps of a key. */
export function termsView(key: KeyTerms) {
  const { name, records, manageZones, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites } = key;
  const rights = { records, manageZones, grants, onlyNames, onlyTypes, networks };
  return { name, ...rights, zoneWrites, recordWrites, expiresAt: iso(key.expiresAt) };
}

/** All keys of the team, revoked ones too, oldest first. @throws Refusal forbidden, not_found */
export async function readKeys(house: House, actor: Actor, teamId: string): Promise<KeyView[]> {
  await mustBeMember(house, actor, teamId);
  return (await keysOfTeam(house.db, teamId)).map(keyView);
}

/** @throws Refusal forbidden, not_found */
export async function readKey(house: House, actor: Actor, teamId: string, keyId: string): Promise<KeyView> {
  await mustBeMember(house, actor, teamId);
  const key = await keyOfTeam(house.db, teamId, keyId);
  if (!key) throw noKey();
  return keyView(key);
}

/**
 * @returns the key and its text (`yk_…`), which is shown this once
 * @throws Refusal forbidden, not_found, bad_request (terms, Idempotency-Key), no_zone (grants), busy
 */
export async function mintAppKey(
  house: House,
  caller: Caller,
  teamId: string,
  input: TermsInput & { name: string },
): Promise<KeyView & { secret: string }> {
  if (caller.once) {
    throw new Refusal(
      'bad_request',
      'Idempotency-Key: a key cannot be minted with one, because its answer would have to be kept with the secret. Leave it out; when an answer is lost, revoke the key that the list shows.',
    );
  }
  return orNoZone(
    changeTeam(house, caller, teamId, 'member', async (work) => {
      const terms = insist(judgeTerms(NO_TERMS, input, { now: work.now, anyLimits: false }));
      await mustBeOurs(work, terms.grants);
      const { id, text } = await mintKey(work.tx, { teamId, ...terms, createdAt: work.now }, house.random);
      const key = { id, ...terms, createdAt: work.now, revokedAt: null, lastUsedAt: null, lastUsedBy: null };
      const change = { action: 'key.mint', subject: id, before: null, after: termsView(terms) } as const;
      return { answer: { ...keyView(key), secret: text }, change };
    }),
  );
}

/** Changes what `input` names; holds from the key's next request on. @throws as mintAppKey, and conflict (revoked) */
export async function changeKey(
  house: House,
  caller: Caller,
  teamId: string,
  keyId: string,
  input: TermsInput,
): Promise<KeyView> {
  return orNoZone(
    changeTeam(house, caller, teamId, 'member', async (work) => {
      const key = await mustBeKey(work, keyId);
      if (key.revokedAt !== null) {
        throw new Refusal('conflict', 'This key is revoked for good; mint a new one.');
      }
      const terms = insist(judgeTerms(key, input, { now: work.now, anyLimits: false }));
      await mustBeOurs(work, terms.grants);
      await updateKeyTerms(work.tx, keyId, terms);
      const [before, after] = [termsView(key), termsView(terms)];
      return {
        answer: keyView({ ...key, ...terms }),
        change: { action: 'key.change', subject: keyId, before, after },
      };
    }),
  );
}

/** For good; repeating is fine. Changes that wait for their zone at this moment are refused too. @throws as mintAppKey */
export async function revokeKey(house: House, caller: Caller, teamId: string, keyId: string): Promise<void> {
  await changeTeam(house, caller, teamId, 'member', async (work) => {
    const key = await mustBeKey(work, keyId);
    const revoked = await revokeKeyRow(work.tx, keyId, work.now);
    const change = { action: 'key.revoke', subject: keyId, before: { name: key.name }, after: null } as const;
    return { answer: null, change: revoked ? change : null };
  });
}

function noKey(): Refusal {
  return new Refusal('not_found', 'No such key of this team.');
}

async function mustBeKey({ tx, team }: TeamWork, keyId: string): Promise<TeamKeyRow> {
  const key = await keyOfTeam(tx, team.id, keyId);
  if (!key) throw noKey();
  return key;
}

/** A zone of somebody else does not exist, here as everywhere. */
async function mustBeOurs({ tx, team }: TeamWork, grants: Grant[]): Promise<void> {
  const wanted = grants.map((grant) => grant.zoneId);
  const found = new Set(await zonesOfTeam(tx, team.id, wanted));
  const missing = wanted.find((id) => !found.has(id));
  if (missing !== undefined) throw noSuchZone();
}

function noSuchZone(): Refusal {
  return new Refusal('no_zone', 'grants: a zone named there does not exist, or does not belong to this team.');
}

/** A zone deleted between the look and the write. */
async function orNoZone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlFailure(error)?.constraint?.startsWith('key_zone_grants_zone_id')) throw noSuchZone();
    throw error;
  }
}
