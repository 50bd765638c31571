// The app keys of a team. Only the answer to the creation contains the secret.
import { DEFAULT_TSIG_KEY_ALGORITHM, type TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { keyOfTeam, keysOfTeam, type Minter, revokeKeyRow, type TeamKeyRow, updateKeyTerms } from '#store/team-keys.ts';
import { mustBeMember } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { mintKey } from '../keys/keys.ts';
import { judgeTerms, type KeyTerms, NO_TERMS, type TermsInput } from '../keys/terms.ts';
import type { MintedTsigKey } from '../keys/tsig.ts';
import { insist, type Refusal, refusal } from '../refusal.ts';
import {
  type CredentialKind,
  type CredentialWork,
  changeCredential,
  createCredential,
  revokeCredential,
  workAsMember,
} from './lifecycle.ts';

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

function keyView(key: TeamKeyRow): KeyView {
  return {
    id: key.id,
    ...viewTerms(key),
    mintedBy: key.mintedBy,
    createdAt: key.createdAt.toISOString(),
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    tsig: key.tsig,
  };
}

/** The terms of a key, as the history keeps them. */
export function viewTerms(key: KeyTerms) {
  const { name, records, manageZones, clusters, signals, grants } = key;
  const { onlyNames, onlyTypes, networks, zoneWrites, recordWrites, expiresAt } = key;
  const rights = { records, manageZones, clusters, signals, grants, onlyNames, onlyTypes, networks };
  return { name, ...rights, zoneWrites, recordWrites, expiresAt: expiresAt?.toISOString() ?? null };
}

export const KEY: CredentialKind<KeyTerms, ReturnType<typeof viewTerms>> = {
  actions: { create: 'key.mint', change: 'key.change', revoke: 'key.revoke' },
  ended: 'key-ended',
  show: viewTerms,
  compare: (before, after) => ({ before, after }),
  mustFit: async () => undefined,
  update: (tx, { id }, terms, rightsChangedAt) => updateKeyTerms(tx, id, terms, rightsChangedAt),
  revoke: revokeKeyRow,
};

/** All keys of the team, revoked ones too, oldest first. @throws Refusal forbidden, not_found */
export async function readKeys(context: ServiceContext, actor: Actor, teamId: string): Promise<KeyView[]> {
  await mustBeMember(context, actor, teamId);
  return (await keysOfTeam(context.db, teamId)).map(keyView);
}

/** @throws Refusal forbidden, not_found */
export async function readKey(context: ServiceContext, actor: Actor, teamId: string, keyId: string): Promise<KeyView> {
  await mustBeMember(context, actor, teamId);
  return keyView(await mustBeKey(context.db, teamId, keyId));
}

/** `tsig` gives the key a TSIG key as well. */
export type NewAppKey = TermsInput & {
  name: string;
  tsig?: { algorithm?: TsigKeyAlgorithm | undefined } | null | undefined;
};

/** A new key with the secrets that are shown once. */
export interface MintedKey {
  id: string;
  /** `yk_…` */
  text: string;
  tsig: MintedTsigKey | null;
}

/** Creates a key with terms that were judged. @throws Refusal no_zone (grants), forbidden (quota) */
export async function createKey(
  work: CredentialWork,
  terms: KeyTerms,
  algorithm?: TsigKeyAlgorithm,
): Promise<MintedKey> {
  const { tx, team, author, now, random } = work;
  return createCredential(work, KEY, terms, async () => {
    const creator = author.creator === null ? {} : { createdBy: author.creator.id };
    const key = { teamId: team.id, ...terms, ...creator, createdAt: now, tsig: algorithm };
    const { id, text, tsig } = await mintKey(tx, key, random);
    const shownTsig = tsig === null ? {} : { tsig: { name: tsig.name, algorithm: tsig.algorithm } };
    return { id, text, tsig, shown: { ...viewTerms(terms), ...shownTsig } };
  });
}

/** A new app key, with the secrets that are shown once. */
export interface MintedAppKey extends Omit<KeyView, 'tsig'> {
  /** `yk_…` */
  secret: string;
  tsig: MintedTsigKey | null;
}

/**
 * @returns the key and its text (`yk_…`), which no later answer contains
 * @throws Refusal forbidden (app key, quota), not_found, bad_request (terms, Idempotency-Key), no_zone (grants), busy
 */
export async function mintAppKey(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  { tsig: wantedTsig, ...input }: NewAppKey,
): Promise<MintedAppKey> {
  if (caller.once) throw refusal('key-once');
  const algorithm = wantedTsig == null ? undefined : (wantedTsig.algorithm ?? DEFAULT_TSIG_KEY_ALGORITHM);
  return workAsMember(context, caller, teamId, async (work) => {
    const terms = insist(judgeTerms(NO_TERMS, input, { now: work.now, anyLimits: false }));
    const { id, text, tsig } = await createKey(work, terms, algorithm);
    const { creator } = work.author;
    const mintedBy = creator && { userId: creator.id, email: creator.email, isMember: true };
    const unusedFields = { revokedAt: null, lastUsedAt: null, lastUsedBy: null };
    const view = keyView({ id, ...terms, mintedBy, createdAt: work.now, ...unusedFields, tsig: null });
    return { ...view, secret: text, tsig };
  });
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
  return workAsMember(context, caller, teamId, async (work) => {
    const key = await mustBeKey(work.tx, teamId, keyId);
    const judge = () => insist(judgeTerms(key, input, { now: work.now, anyLimits: false }));
    const terms = await changeCredential(work, KEY, key, judge);
    return keyView({ ...key, ...terms });
  });
}

/** Revokes a key permanently. Repeated calls have no further effect. @throws as mintAppKey */
export async function revokeKey(context: ServiceContext, caller: Caller, teamId: string, keyId: string): Promise<void> {
  await workAsMember(context, caller, teamId, async (work) =>
    revokeCredential(work, KEY, await mustBeKey(work.tx, teamId, keyId)),
  );
}

/** @throws Refusal not_found */
async function mustBeKey(db: Parameters<typeof keyOfTeam>[0], teamId: string, keyId: string): Promise<TeamKeyRow> {
  const key = await keyOfTeam(db, teamId, keyId);
  if (!key) throw noKey();
  return key;
}

function noKey(): Refusal {
  return refusal('no-key');
}
