// The trusts of a team. Tokens of their issuers are accepted in the place of an app key.
import { isDeepStrictEqual } from 'node:util';
import type { Minter } from '#store/team-keys.ts';
import { renameSubjects } from '#store/trust-subjects.ts';
import {
  insertTrust,
  revokeTrustRow,
  type SharingTrust,
  type TrustRow,
  type TrustTerms,
  trustById,
  trustsOfTeam,
  updateTrustRow,
} from '#store/trusts.ts';
import { mustBeMember } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { insist, refusal } from '../refusal.ts';
import { trustChange } from '../trusts/history.ts';
import { audienceOfTeam, findSharing, mustHaveOwnTokens } from '../trusts/reservations.ts';
import { indexOfTrust, judgeTrust, NO_TRUST, type TrustInput } from '../trusts/terms.ts';
import { viewTerms } from './keys.ts';
import {
  type CredentialKind,
  type CredentialWork,
  changeCredential,
  createCredential,
  isProlonged,
  revokeCredential,
  workAsMember,
} from './lifecycle.ts';

export interface TrustView extends Omit<TrustTerms, 'expiresAt' | 'maxTokenAgeS' | 'ca'> {
  id: string;
  /** The longest lifetime of a token, in seconds. */
  maxTokenAge: number;
  /** Null for a trust that the command line or the installation created. */
  createdBy: Minter | null;
  expiresAt: string | null;
  createdAt: string;
  revokedAt: string | null;
  /** The zones that the installation declared for the trust and the team does not have yet. */
  awaitedZones: string[];
  /** Accurate to one minute. */
  lastUsedAt: string | null;
  /** The number of subjects that have used it. */
  subjects: number;
}

export function trustView(trust: TrustRow): TrustView {
  const { id, createdBy, subjects, awaitedZones } = trust;
  return {
    id,
    ...viewTrustTerms(trust),
    createdBy,
    createdAt: trust.createdAt.toISOString(),
    revokedAt: trust.revokedAt?.toISOString() ?? null,
    awaitedZones,
    lastUsedAt: trust.lastUsedAt?.toISOString() ?? null,
    subjects,
  };
}

/** The terms of a trust, as the history keeps them. */
export function viewTrustTerms(trust: TrustTerms) {
  const { issuer, audience, keySource, privateAddresses, match, pinSubjects } = trust;
  const { name, ...terms } = viewTerms(trust);
  const tokens = { issuer, audience, keySource, privateAddresses, match, maxTokenAge: trust.maxTokenAgeS, pinSubjects };
  return { name, ...tokens, ...terms };
}

export const TRUST: CredentialKind<TrustTerms, ReturnType<typeof viewTrustTerms>> = {
  actions: { create: 'trust.create', change: 'trust.change', revoke: 'trust.revoke' },
  ended: 'trust-ended',
  show: viewTrustTerms,
  compare: trustChange,
  async mustFit({ tx, team, author, now }, row, terms) {
    // An expired trust that becomes valid again may find that its tokens belong to another team now.
    const isNew = row === null || isProlonged(row, terms, now) || acceptsOthers(row, terms);
    if (!author.isAdministrator && isNew) await mustHaveOwnTokens(tx, team.id, terms, now);
  },
  async update(tx, { id, name }, terms, rightsChangedAt) {
    await updateTrustRow(tx, id, { ...terms, ...indexOfTrust(terms) }, rightsChangedAt);
    if (terms.name !== name) await renameSubjects(tx, id, terms.name);
  },
  revoke: revokeTrustRow,
};

/** Whether the change makes the trust accept tokens that it did not accept. */
function acceptsOthers(before: TrustTerms, after: TrustTerms): boolean {
  const about = ({ audience, keySource, match }: TrustTerms) => ({ audience, keySource, match });
  return !isDeepStrictEqual(about(before), about(after));
}

/** All trusts of the team, revoked ones too, oldest first. @throws Refusal forbidden, not_found */
export async function readTrusts(context: ServiceContext, actor: Actor, teamId: string): Promise<TrustView[]> {
  await mustBeMember(context, actor, teamId);
  return (await trustsOfTeam(context.db, teamId)).map(trustView);
}

/** @throws Refusal forbidden, not_found */
export async function readTrust(context: ServiceContext, actor: Actor, teamId: string, id: string): Promise<TrustView> {
  await mustBeMember(context, actor, teamId);
  return trustView(await mustBeTrust(context.db, teamId, id));
}

/** The input of a new trust. */
export type NewTrust = TrustInput & { name: string };

/** The terms that only an administrator may set are missing. */
type MemberInput<Input extends TrustInput> = Omit<Input, 'ca' | 'privateAddresses'>;

/** A new trust, with the trusts of other teams that were revoked because they accepted its tokens. */
export interface CreatedTrust {
  id: string;
  revoked: readonly SharingTrust[];
}

/**
 * Creates a trust with terms that were judged.
 * @throws Refusal no_zone (grants), bad_request (tokens), forbidden (quota)
 */
export async function addTrust(work: CredentialWork, terms: TrustTerms): Promise<CreatedTrust> {
  const { tx, team, author, now, random } = work;
  const { id } = await createCredential(work, TRUST, terms, async () => {
    const creation = {
      id: `trust_${random(6).toString('hex')}`,
      createdBy: author.creator?.id ?? null,
      createdAt: now,
    };
    await insertTrust(tx, { ...creation, teamId: team.id, ...terms, ...indexOfTrust(terms) });
    return { id: creation.id, shown: viewTrustTerms(terms) };
  });
  return { id, revoked: await revokeSharing(work, terms) };
}

/**
 * Revokes the trusts of members of other teams that accept tokens of a trust of an administrator.
 * @returns the revoked trusts
 */
export async function revokeSharing(work: CredentialWork, terms: TrustTerms): Promise<readonly SharingTrust[]> {
  const { tx, team, author, now } = work;
  if (!author.isAdministrator) return [];
  const sharing = (await findSharing(tx, team.id, terms, now)).filter(({ isAdministrators }) => !isAdministrators);
  for (const { id, teamId, name } of sharing)
    await revokeCredential({ tx, author, now, team: { id: teamId } }, TRUST, { id, name });
  return sharing;
}

/** @throws Refusal forbidden (app key, quota), not_found, bad_request (terms), no_zone (grants), busy */
export async function createTrust(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  input: MemberInput<NewTrust>,
): Promise<TrustView> {
  return workAsMember(context, caller, teamId, async (work) => {
    const base = { ...NO_TRUST, audience: audienceOfTeam(teamId) };
    const terms = insist(judgeTrust(base, input, { now: work.now, isAdministrator: false }));
    const { id } = await addTrust(work, terms);
    return trustView(await mustBeTrust(work.tx, teamId, id));
  });
}

/**
 * Changes the fields that are set in `input`. The change applies from the next request on.
 * @throws as createTrust; Refusal conflict (revoked)
 */
export async function changeTrust(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  id: string,
  input: MemberInput<TrustInput>,
): Promise<TrustView> {
  return workAsMember(context, caller, teamId, async (work) => {
    const trust = await mustBeTrust(work.tx, teamId, id);
    const terms = await changeCredential(work, TRUST, trust, () => {
      if (input.issuer !== undefined && input.issuer !== trust.issuer) throw refusal('trust-issuer-fixed');
      return insist(judgeTrust(pickTrustTerms(trust), input, { now: work.now, isAdministrator: false }));
    });
    return trustView({ ...trust, ...terms });
  });
}

/** Revokes a trust permanently. Repeated calls have no further effect. @throws as createTrust */
export async function revokeTrust(context: ServiceContext, caller: Caller, teamId: string, id: string): Promise<void> {
  await workAsMember(context, caller, teamId, async (work) =>
    revokeCredential(work, TRUST, await mustBeTrust(work.tx, teamId, id)),
  );
}

/** The terms alone, without the other fields of the row. */
export function pickTrustTerms(row: TrustRow): TrustTerms {
  const { id, teamId, teamName, createdBy, createdAt, revokedAt, awaitedZones, subjects, lastUsedAt, ...terms } = row;
  return terms;
}

/** @throws Refusal not_found */
export async function mustBeTrust(db: Parameters<typeof trustById>[0], teamId: string, id: string): Promise<TrustRow> {
  const trust = await trustById(db, teamId, id);
  if (!trust) throw refusal('no-trust');
  return trust;
}
