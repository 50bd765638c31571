// The app keys of a team: its members create, list, change and revoke them. Only the answer to the creation contains the secret.
import { DEFAULT_TSIG_KEY_ALGORITHM, type TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { sqlFailure } from '#store/database.ts';
import {
  keyOfTeam,
  keysOfTeam,
  type Minter,
  revokeKeyRow,
  type TeamKeyRow,
  updateKeyTerms,
  zonesOfTeam,
} from '#store/team-keys.ts';
import { changeTeam, mustBeMember, mustBePerson, type TeamWork } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import { mustHaveRoomForKey } from '../accounts/quota.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { insist, type Refusal, refusal } from '../refusal.ts';
import { mintKey } from './keys.ts';
import { changesRights, type Grant, judgeTerms, type KeyTerms, NO_TERMS, type TermsInput } from './terms.ts';
import type { MintedTsigKey } from './tsig.ts';

export interface KeyView extends Omit<KeyTerms, 'expiresAt'> {
  id: string;
  /** Null for a key that the command line or the installation created. */
  mintedBy: Minter | null;
  expiresAt: string | null;
  createdAt: string;
  revokedAt: string | null;
  /** Accurate to one minute. */
  lastUsedAt: string | null;
  /** Its TSIG key, without the secret. Null: it has none. */
  tsig: { name: string; algorithm: TsigKeyAlgorithm } | null;
}

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null;

function keyView(key: TeamKeyRow): KeyView {
  return {
    id: key.id,
    ...termsView(key),
    mintedBy: key.mintedBy,
    createdAt: key.createdAt.toISOString(),
    revokedAt: iso(key.revokedAt),
    lastUsedAt: iso(key.lastUsedAt),
    tsig: key.tsig,
  };
}

/** The terms of a key, as the history keeps them. */
export function termsView(key: KeyTerms) {
  const { name, records, manageZones, clusters, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites } =
    key;
  const rights = { records, manageZones, clusters, grants, onlyNames, onlyTypes, networks };
  return { name, ...rights, zoneWrites, recordWrites, expiresAt: iso(key.expiresAt) };
}

/** The terms of a new key in the history, with the name of its TSIG key. */
export function mintedTerms(terms: KeyTerms, tsig: MintedTsigKey | null) {
  return { ...termsView(terms), ...(tsig === null ? {} : { tsig: { name: tsig.name, algorithm: tsig.algorithm } }) };
}

/** All keys of the team, revoked ones too, oldest first. @throws Refusal forbidden, not_found */
export async function readKeys(context: ServiceContext, actor: Actor, teamId: string): Promise<KeyView[]> {
  await mustBeMember(context, actor, teamId);
  return (await keysOfTeam(context.db, teamId)).map(keyView);
}

/** @throws Refusal forbidden, not_found */
export async function readKey(context: ServiceContext, actor: Actor, teamId: string, keyId: string): Promise<KeyView> {
  await mustBeMember(context, actor, teamId);
  const key = await keyOfTeam(context.db, teamId, keyId);
  if (!key) throw noKey();
  return keyView(key);
}

/** A new app key, with the secrets that are shown once. */
export interface MintedAppKey extends Omit<KeyView, 'tsig'> {
  /** `yk_…` */
  secret: string;
  tsig: MintedTsigKey | null;
}

/** `tsig` gives the key a TSIG key as well. */
export type NewAppKey = TermsInput & {
  name: string;
  tsig?: { algorithm?: TsigKeyAlgorithm | undefined } | null | undefined;
};

/**
 * @returns the key and its text (`yk_…`), which no later answer contains
 * @throws Refusal forbidden (app key, quota), not_found, bad_request (terms, Idempotency-Key), no_zone (grants), busy
 */
export async function mintAppKey(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  { tsig: wanted, ...input }: NewAppKey,
): Promise<MintedAppKey> {
  if (caller.once) {
    throw refusal('key-once');
  }
  return orNoZone(
    changeTeam(context, caller, teamId, 'member', async (work) => {
      const terms = insist(judgeTerms(NO_TERMS, input, { now: work.now, anyLimits: false }));
      await mustBeOurs(work, terms.grants);
      await mustHaveRoomForKey(work.tx, context, teamId, work.now);
      const minter = mustBePerson(caller.actor);
      const algorithm = wanted == null ? undefined : (wanted.algorithm ?? DEFAULT_TSIG_KEY_ALGORITHM);
      const made = { teamId, ...terms, createdBy: minter.id, createdAt: work.now, tsig: algorithm };
      const { id, text, tsig } = await mintKey(work.tx, made, context.random);
      const mintedBy = { userId: minter.id, email: minter.email, isMember: true };
      const unused = { revokedAt: null, lastUsedAt: null, lastUsedBy: null };
      const key = { id, ...terms, mintedBy, createdAt: work.now, ...unused, tsig: null };
      const after = mintedTerms(terms, tsig);
      const change = { action: 'key.mint', subject: id, before: null, after } as const;
      return { answer: { ...keyView(key), secret: text, tsig }, change };
    }),
  );
}

/**
 * Changes the fields that are set in `input`. The change applies from the key's next request on.
 * @throws as mintAppKey; Refusal conflict (revoked)
 */
export async function changeKey(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  keyId: string,
  input: TermsInput,
): Promise<KeyView> {
  return orNoZone(
    changeTeam(context, caller, teamId, 'member', async (work) => {
      const key = await mustBeKey(work, keyId);
      if (key.revokedAt !== null) {
        throw refusal('key-ended');
      }
      const terms = insist(judgeTerms(key, input, { now: work.now, anyLimits: false }));
      await mustBeOurs(work, terms.grants);
      // An expired key that becomes valid again counts towards the quota.
      if (hasEnded(key, work.now) && !hasEnded(terms, work.now)) {
        await mustHaveRoomForKey(work.tx, context, teamId, work.now);
      }
      const [before, after] = [termsView(key), termsView(terms)];
      await updateKeyTerms(work.tx, keyId, terms, changesRights(before, after) ? work.now : null);
      return {
        answer: keyView({ ...key, ...terms }),
        change: { action: 'key.change', subject: keyId, before, after },
      };
    }),
  );
}

/**
 * Revokes a key permanently. Repeated calls have no further effect. Changes of the key that still wait for their zone are refused.
 * @throws as mintAppKey
 */
export async function revokeKey(context: ServiceContext, caller: Caller, teamId: string, keyId: string): Promise<void> {
  await changeTeam(context, caller, teamId, 'member', async (work) => {
    const key = await mustBeKey(work, keyId);
    const revoked = await revokeKeyRow(work.tx, keyId, work.now);
    const change = { action: 'key.revoke', subject: keyId, before: { name: key.name }, after: null } as const;
    return { answer: null, change: revoked ? change : null };
  });
}

function hasEnded({ expiresAt }: Pick<KeyTerms, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function noKey(): Refusal {
  return refusal('no-key');
}

async function mustBeKey({ tx, team }: TeamWork, keyId: string): Promise<TeamKeyRow> {
  const key = await keyOfTeam(tx, team.id, keyId);
  if (!key) throw noKey();
  return key;
}

/** The refusal is the same for a zone of another owner and for a zone that does not exist. @throws Refusal no_zone */
async function mustBeOurs({ tx, team }: TeamWork, grants: Grant[]): Promise<void> {
  const wanted = grants.map((grant) => grant.zoneId);
  const found = new Set(await zonesOfTeam(tx, team.id, wanted));
  const missing = wanted.find((id) => !found.has(id));
  if (missing !== undefined) throw noSuchZone();
}

function noSuchZone(): Refusal {
  return refusal('grant-without-zone');
}

/** Translates the error for a zone that was deleted after mustBeOurs found it. */
async function orNoZone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlFailure(error)?.constraint?.startsWith('key_zone_grants_zone_id')) throw noSuchZone();
    throw error;
  }
}
