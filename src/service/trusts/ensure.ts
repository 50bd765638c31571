// The trusts of the installation's own components, over the database. A trust is known by its team, its name and its issuer, so the
// operation can be repeated.
import { isDeepStrictEqual } from 'node:util';
import { insertAccountChange } from '#store/account-changes.ts';
import type { Db, Tx } from '#store/database.ts';
import { lockTeam } from '#store/people.ts';
import { renameSubjects } from '#store/trust-subjects.ts';
import { insertTrust, trustsOfTeam, updateTrust } from '#store/trusts.ts';
import { withDatabase } from '../accounts/administration.ts';
import { ensureTeam } from '../keys/keys.ts';
import { insist } from '../refusal.ts';
import { indexOfTrust, judgeTrust, NO_TRUST, type TrustInput } from './terms.ts';
import { newTrustId, termsOf, trustTermsView } from './trusts.ts';

export const AUTHOR = { keyId: null, requestId: 'bootstrap' } as const;

export interface WantedTrust {
  /** The name of the team. It is created if it does not exist. */
  team: string;
  /** The terms; omitted restrictions do not apply. */
  terms: TrustInput & { name: string; issuer: string; match: NonNullable<TrustInput['match']> };
}

type TrustState = { state: 'known' | 'changed' | 'registered'; trustId: string; teamId: string };

/**
 * Registers the trust in the database at `url`, or changes the one with this name and issuer to these terms. If it was
 * revoked, another one is registered, as the installation does with its keys.
 * @throws Refusal bad_request for terms that are not accepted
 */
export async function ensureTrust(
  url: string,
  wanted: WantedTrust,
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustState> {
  return withDatabase(url, (db: Db) => db.transaction((tx) => ensureTrustIn(tx, wanted, random, now)));
}

async function ensureTrustIn(
  tx: Tx,
  { team, terms: input }: WantedTrust,
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustState> {
  const { id: teamId } = await ensureTeam(tx, team, random);
  // Two Jobs at once register one trust.
  await lockTeam(tx, teamId);
  const terms = insist(judgeTrust(NO_TRUST, input, { now, isAdministrator: true }));
  const found = (await trustsOfTeam(tx, teamId)).find(
    ({ name, issuer, revokedAt }) => name === terms.name && issuer === terms.issuer && revokedAt === null,
  );
  if (found === undefined) {
    const trustId = newTrustId(random);
    await insertTrust(tx, { id: trustId, teamId, ...terms, ...indexOfTrust(terms), createdBy: null, createdAt: now });
    const after = trustTermsView(terms);
    await insertAccountChange(tx, {
      teamId,
      action: 'trust.create',
      subject: trustId,
      before: null,
      after,
      at: now,
      ...AUTHOR,
    });
    return { state: 'registered', trustId, teamId };
  }
  const trustId = found.id;
  const [before, after] = [trustTermsView(termsOf(found)), trustTermsView(terms)];
  if (isDeepStrictEqual(before, after) && found.ca === terms.ca) return { state: 'known', trustId, teamId };
  await updateTrust(tx, trustId, { ...terms, ...indexOfTrust(terms) });
  await renameSubjects(tx, trustId, terms.name);
  await insertAccountChange(tx, {
    teamId,
    action: 'trust.change',
    subject: trustId,
    before,
    after,
    at: now,
    ...AUTHOR,
  });
  return { state: 'changed', trustId, teamId };
}
