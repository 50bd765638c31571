// The life of a credential of a team: an app key or a trust is created, changed and revoked in the same way. keys.ts
// and trusts.ts have the differences. Each step writes an entry in the history of the team.

import { isExpired } from '#base/lifetime.ts';
import { type AccountChange, insertAccountChange } from '#store/account-changes.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import type { Grant, KeyTerms } from '#store/keys.ts';
import { zonesOfTeam } from '#store/team-keys.ts';
import { changeTeam, mustBePerson } from '../accounts/account.ts';
import { mustHaveRoomForKey, type WithQuotas } from '../accounts/quota.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { changesRights, type Limits } from '../keys/terms.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { type Author, callerAsAuthor } from './author.ts';

/** A transaction in which an author changes the credentials of a team. */
export interface CredentialWork {
  tx: Tx;
  team: { id: string; name: string };
  author: Author;
  /** The time of the change. */
  now: Date;
  random: ServiceContext['random'];
  /** Null: the quota of the team does not apply to the author. */
  quotas: WithQuotas | null;
}

/**
 * Runs a change of the credentials of a team for one of its members, with the team's row locked.
 * @throws as changeTeam
 */
export function workAsMember<Answer>(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  change: (work: CredentialWork) => Promise<Answer>,
): Promise<Answer> {
  return changeTeam(context, caller, teamId, 'member', async ({ tx, team, now }) => {
    const author = callerAsAuthor(caller, mustBePerson(caller.actor));
    const answer = await change({ tx, team, author, now, random: context.random, quotas: context });
    return { answer, change: null };
  });
}

interface Credential {
  id: string;
  name: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** The differences between keys and trusts. */
export interface CredentialKind<Terms extends KeyTerms, Shown extends Limits> {
  readonly actions: Readonly<Record<'create' | 'change' | 'revoke', AccountChange['action']>>;
  /** The refusal of a change after the revocation. */
  readonly ended: 'key-ended' | 'trust-ended';
  /** The terms as the history keeps them. */
  show(terms: Terms): Shown;
  /** Both sides of a change as the history keeps them. */
  compare(before: Shown, after: Shown): { before: object; after: object };
  /**
   * Checks terms that the zones of the team allow.
   * @param row null: a new one.
   * @throws Refusal
   */
  mustFit(work: CredentialWork, row: (Credential & Terms) | null, terms: Terms): Promise<void>;
  /**
   * @param rightsChangedAt the time of the change, if it changes rights: a restored zone then gives no earlier grant
   * back
   */
  update(tx: Tx, row: Credential, terms: Terms, rightsChangedAt: Date | null): Promise<void>;
  /** @returns whether it was not revoked before */
  revoke(tx: Tx, id: string, now: Date): Promise<boolean>;
}

/**
 * @param insert writes the rows, and returns the id with the terms for the history
 * @throws Refusal no_zone (grants), forbidden (quota), and those of `mustFit`
 */
export async function createCredential<Terms extends KeyTerms, Made extends { id: string; shown: object }>(
  work: CredentialWork,
  kind: Pick<CredentialKind<Terms, never>, 'actions' | 'mustFit'>,
  terms: Terms,
  insert: () => Promise<Made>,
): Promise<Made> {
  await mustOwnZones(work, terms.grants);
  await kind.mustFit(work, null, terms);
  await reserve(work);
  const createdCredential = await refuseMissingZone(insert());
  await recordAccountChange(work, {
    action: kind.actions.create,
    subject: createdCredential.id,
    before: null,
    after: createdCredential.shown,
  });
  return createdCredential;
}

/**
 * Gives a credential other terms, from the next request on.
 * @param judge makes the new terms
 * @throws Refusal conflict (revoked), no_zone (grants), forbidden (an expired one counts towards the quota again), and
 * those of `judge` and `mustFit`
 */
export async function changeCredential<Terms extends KeyTerms, Shown extends Limits>(
  work: CredentialWork,
  kind: CredentialKind<Terms, Shown>,
  row: Credential & Terms,
  judge: () => Terms,
): Promise<Terms> {
  if (row.revokedAt !== null) throw refusal(kind.ended);
  const terms = judge();
  await mustOwnZones(work, terms.grants);
  await kind.mustFit(work, row, terms);
  if (isProlonged(row, terms, work.now)) await reserve(work);
  const [before, after] = [kind.show(row), kind.show(terms)];
  const rightsChangedAt = changesRights(before, after) ? work.now : null;
  await refuseMissingZone(kind.update(work.tx, row, terms, rightsChangedAt));
  await recordAccountChange(work, { action: kind.actions.change, subject: row.id, ...kind.compare(before, after) });
  return terms;
}

/** The part of a CredentialWork that a revocation needs. A key of a person has no team. */
type Recording = Pick<CredentialWork, 'tx' | 'author' | 'now'> & { team: { id: string | null } };

/**
 * Revokes a credential permanently. Repeated calls have no further effect. Its changes that still wait for a zone are
 * refused.
 */
export async function revokeCredential(
  work: Recording,
  kind: Pick<CredentialKind<never, never>, 'actions' | 'revoke'>,
  { id, name }: Pick<Credential, 'id' | 'name'>,
): Promise<boolean> {
  const isRevoked = await kind.revoke(work.tx, id, work.now);
  if (isRevoked)
    await recordAccountChange(work, { action: kind.actions.revoke, subject: id, before: { name }, after: null });
  return isRevoked;
}

/** Adds an entry to the history of the team. */
export async function recordAccountChange(
  { tx, team, author, now }: Recording,
  entry: Pick<AccountChange, 'action' | 'subject' | 'before' | 'after'>,
): Promise<void> {
  await insertAccountChange(tx, { ...entry, ...author.history, teamId: team.id, at: now });
}

async function reserve({ tx, team, now, quotas }: CredentialWork): Promise<void> {
  if (quotas !== null) await mustHaveRoomForKey(tx, quotas, team.id, now);
}

/**
 * A member gets the same refusal for a zone of another owner and for a zone that does not exist.
 * @throws Refusal no_zone
 */
async function mustOwnZones({ tx, team, author }: CredentialWork, grants: readonly Grant[]): Promise<void> {
  const zoneIds = grants.map((grant) => grant.zoneId);
  const ownedIds = new Set(await zonesOfTeam(tx, team.id, zoneIds));
  const missingId = zoneIds.find((id) => !ownedIds.has(id));
  if (missingId === undefined) return;
  if (!author.isAdministrator) throw noSuchZone();
  throw new Error(`zone ${missingId} does not exist, or does not belong to team ${team.name}`);
}

/** Translates the error for a zone that was deleted after mustOwnZones found it. */
async function refuseMissingZone<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    if (/^(key|trust)_zone_grants_zone_id/.test(sqlFailure(error)?.constraint ?? '')) throw noSuchZone();
    throw error;
  }
}

function noSuchZone(): Refusal {
  return refusal('grant-without-zone');
}

type Ending = Pick<Credential, 'expiresAt'>;

/** Whether other terms make an expired credential valid again. */
export function isProlonged(before: Ending, after: Ending, now: Date): boolean {
  return isExpired(before, now) && !isExpired(after, now);
}
