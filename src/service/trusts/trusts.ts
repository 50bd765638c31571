// The trusts of a team: its members create, list, change and revoke them, as they do with app keys.
import { isDeepStrictEqual } from 'node:util';
import { sqlFailure } from '#store/database.ts';
import type { Minter } from '#store/team-keys.ts';
import { zonesOfTeam } from '#store/team-keys.ts';
import { renameSubjects } from '#store/trust-subjects.ts';
import {
  insertTrust,
  revokeTrustRow,
  type TrustRow,
  type TrustTerms,
  trustById,
  trustsOfTeam,
  updateTrust,
} from '#store/trusts.ts';
import { changeTeam, mustBeMember, mustBePerson, type TeamWork } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import { mustHaveRoomForKey } from '../accounts/quota.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { changesRights } from '../keys/terms.ts';
import { insist, refusal } from '../refusal.ts';
import { isValidAt } from './choose.ts';
import { trustChange } from './history.ts';
import { audienceOfTeam, mustHaveOwnTokens } from './reservations.ts';
import { indexOfTrust, judgeTrust, NO_TRUST, type TrustInput } from './terms.ts';

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

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null;

export function trustView(trust: TrustRow): TrustView {
  const { id, createdBy, subjects, awaitedZones } = trust;
  return {
    id,
    ...trustTermsView(trust),
    createdBy,
    createdAt: trust.createdAt.toISOString(),
    revokedAt: iso(trust.revokedAt),
    awaitedZones,
    lastUsedAt: iso(trust.lastUsedAt),
    subjects,
  };
}

/** The terms of a trust, as the history keeps them. */
export function trustTermsView(trust: TrustTerms) {
  const { name, issuer, audience, keySource, privateAddresses, match, pinSubjects } = trust;
  const { records, manageZones, clusters, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites } = trust;
  const tokens = { issuer, audience, keySource, privateAddresses, match, maxTokenAge: trust.maxTokenAgeS, pinSubjects };
  const rights = { records, manageZones, clusters, grants, onlyNames, onlyTypes, networks };
  return { name, ...tokens, ...rights, zoneWrites, recordWrites, expiresAt: iso(trust.expiresAt) };
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

export type NewTrust = Omit<TrustInput, 'ca' | 'privateAddresses'> & {
  name: string;
  issuer: string;
  match: NonNullable<TrustInput['match']>;
};

/** The id of a new trust. */
export function newTrustId(random: (bytes: number) => Buffer): string {
  return `trust_${random(6).toString('hex')}`;
}

/** @throws Refusal forbidden (app key, quota), not_found, bad_request (terms), no_zone (grants), busy */
export async function createTrust(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  input: NewTrust,
): Promise<TrustView> {
  return orNoZone(
    changeTeam(context, caller, teamId, 'member', async (work) => {
      const { tx, team, now } = work;
      const base = { ...NO_TRUST, audience: audienceOfTeam(teamId) };
      const terms = insist(judgeTrust(base, input, { now, isAdministrator: false }));
      await mustBeOurs(work, terms);
      await mustHaveOwnTokens(tx, teamId, terms, now);
      await mustHaveRoomForKey(tx, context, teamId, now);
      const { id: userId, email } = mustBePerson(caller.actor);
      const id = newTrustId(context.random);
      await insertTrust(tx, { id, teamId, ...terms, ...indexOfTrust(terms), createdBy: userId, createdAt: now });
      const made = { createdBy: { userId, email, isMember: true }, createdAt: now, revokedAt: null, lastUsedAt: null };
      const change = { action: 'trust.create', subject: id, before: null, after: trustTermsView(terms) } as const;
      return {
        answer: trustView({ id, teamId, teamName: team.name, ...terms, ...made, awaitedZones: [], subjects: 0 }),
        change,
      };
    }),
  );
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
  input: Omit<TrustInput, 'ca' | 'privateAddresses'>,
): Promise<TrustView> {
  return orNoZone(
    changeTeam(context, caller, teamId, 'member', async (work) => {
      const { tx, now } = work;
      const trust = await mustBeTrust(tx, teamId, id);
      if (trust.revokedAt !== null) throw refusal('trust-ended');
      if (input.issuer !== undefined && input.issuer !== trust.issuer) throw refusal('trust-issuer-fixed');
      const terms = insist(judgeTrust(termsOf(trust), input, { now, isAdministrator: false }));
      await mustBeOurs(work, terms);
      // An expired trust that becomes valid again counts towards the quota, and others may have its tokens now.
      const isProlonged = !isValidAt(trust, now) && isValidAt(terms, now);
      if (isProlonged || acceptsOthers(trust, terms)) await mustHaveOwnTokens(tx, teamId, terms, now);
      if (isProlonged) await mustHaveRoomForKey(tx, context, teamId, now);
      const [before, after] = [trustTermsView(trust), trustTermsView(terms)];
      await updateTrust(tx, id, { ...terms, ...indexOfTrust(terms) }, changesRights(before, after) ? now : null);
      if (terms.name !== trust.name) await renameSubjects(tx, id, terms.name);
      return {
        answer: trustView({ ...trust, ...terms }),
        change: { action: 'trust.change', subject: id, ...trustChange(before, after) },
      };
    }),
  );
}

/**
 * Revokes a trust permanently. Repeated calls have no further effect. Changes that still wait for their zone are refused.
 * @throws as createTrust
 */
export async function revokeTrust(context: ServiceContext, caller: Caller, teamId: string, id: string): Promise<void> {
  await changeTeam(context, caller, teamId, 'member', async ({ tx, now }) => {
    const { name } = await mustBeTrust(tx, teamId, id);
    const revoked = await revokeTrustRow(tx, id, now);
    const change = { action: 'trust.revoke', subject: id, before: { name }, after: null } as const;
    return { answer: null, change: revoked ? change : null };
  });
}

/** The terms alone, without the other fields of the row. */
export function termsOf(row: TrustRow): TrustTerms {
  const { id, teamId, teamName, createdBy, createdAt, revokedAt, awaitedZones, subjects, lastUsedAt, ...terms } = row;
  return terms;
}

/** @throws Refusal not_found */
export async function mustBeTrust(db: Parameters<typeof trustById>[0], teamId: string, id: string): Promise<TrustRow> {
  const trust = await trustById(db, teamId, id);
  if (!trust) throw refusal('no-trust');
  return trust;
}

/** The refusal is the same for a zone of another owner and for a zone that does not exist. @throws Refusal no_zone */
async function mustBeOurs({ tx, team }: TeamWork, { grants }: TrustTerms): Promise<void> {
  const wanted = grants.map((grant) => grant.zoneId);
  const found = new Set(await zonesOfTeam(tx, team.id, wanted));
  if (wanted.some((id) => !found.has(id))) throw refusal('grant-without-zone');
}

/** Whether the change makes the trust accept tokens that it did not accept. */
function acceptsOthers(before: TrustTerms, after: TrustTerms): boolean {
  const about = ({ audience, keySource, match }: TrustTerms) => ({ audience, keySource, match });
  return !isDeepStrictEqual(about(before), about(after));
}

/** Translates the error for a zone that was deleted after mustBeOurs found it. */
async function orNoZone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlFailure(error)?.constraint?.startsWith('trust_zone_grants_zone_id')) throw refusal('grant-without-zone');
    throw error;
  }
}
