// The trusts of the installation's own components, over the database. A trust is known by its team, its name and its issuer, so the
// operation can be repeated.
import { isDeepStrictEqual } from 'node:util';
import { parseZoneName } from '#dns/names/name.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import type { Db, Tx } from '#store/database.ts';
import type { Level } from '#store/keys.ts';
import { lockTeam } from '#store/people.ts';
import { renameSubjects } from '#store/trust-subjects.ts';
import { declareZones, insertTrust, type SharingTrust, trustsOfTeam, updateTrust } from '#store/trusts.ts';
import { lockZoneTree, setLockTimeout, zonesNamed } from '#store/zones.ts';
import { withDatabase } from '../accounts/administration.ts';
import { ensureTeam } from '../keys/keys.ts';
import { changesRights } from '../keys/terms.ts';
import { insist } from '../refusal.ts';
import { trustChange } from './history.ts';
import { revokeSharing } from './reservations.ts';
import { indexOfTrust, judgeTrust, NO_TRUST, type TrustInput } from './terms.ts';
import { newTrustId, termsOf, trustTermsView } from './trusts.ts';

export const AUTHOR = { keyId: null, requestId: 'bootstrap' } as const;

/** How long a declaration waits for creations of zones, in ms: it comes once in an upgrade, and many clients may create zones then. */
const LOCK_WAIT_MS = 20_000;

export interface WantedTrust {
  /** The name of the team. It is created if it does not exist. */
  team: string;
  /** The terms; omitted restrictions do not apply. */
  terms: TrustInput & { name: string; issuer: string; match: NonNullable<TrustInput['match']> };
  /** Names of zones of the team, which alone get the right on records of the terms, also if they are created later. (Default: all zones.) */
  zones?: readonly string[] | undefined;
}

interface TrustState {
  state: 'known' | 'changed' | 'registered';
  trustId: string;
  teamId: string;
  /** Those of the zones that the team does not have. */
  awaitedZones: readonly string[];
  /** The trusts of other teams' members that were revoked, because they accepted tokens of this trust. */
  revoked: readonly Pick<SharingTrust, 'id' | 'name' | 'teamName'>[];
}

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
  { team, terms: input, zones }: WantedTrust,
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustState> {
  const names = zones && [...new Set(zones.map((zone) => insist(parseZoneName(zone))))];
  // No zone is created between the look for it and the declaration of its name. Creations take this lock before that of the team.
  if (names !== undefined) {
    await setLockTimeout(tx, LOCK_WAIT_MS);
    await lockZoneTree(tx);
  }
  const { id: teamId } = await ensureTeam(tx, team, random);
  // Two Jobs at once register one trust.
  await lockTeam(tx, teamId);
  const { rights, awaitedZones } = await rightsOn(tx, teamId, names, input.records);
  const terms = insist(judgeTrust(NO_TRUST, { ...input, ...rights }, { now, isAdministrator: true }));
  // Also for a known trust, whose new terms may be those of the trust of another team.
  const revoked = await revokeSharing(tx, teamId, terms, AUTHOR, now);
  const found = (await trustsOfTeam(tx, teamId)).find(
    ({ name, issuer, revokedAt }) => name === terms.name && issuer === terms.issuer && revokedAt === null,
  );
  if (found === undefined) {
    const trustId = newTrustId(random);
    await insertTrust(tx, { id: trustId, teamId, ...terms, ...indexOfTrust(terms), createdBy: null, createdAt: now });
    await declareZones(tx, trustId, names ?? [], input.records ?? 'none');
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
    return { state: 'registered', trustId, teamId, awaitedZones, revoked };
  }
  const trustId = found.id;
  const [before, after] = [trustTermsView(termsOf(found)), trustTermsView(terms)];
  const isDeclaredAnew = await declareZones(tx, trustId, names ?? [], input.records ?? 'none');
  if (isDeepStrictEqual(before, after) && found.ca === terms.ca) {
    return { state: isDeclaredAnew ? 'changed' : 'known', trustId, teamId, awaitedZones, revoked };
  }
  await updateTrust(tx, trustId, { ...terms, ...indexOfTrust(terms) }, changesRights(before, after) ? now : null);
  await renameSubjects(tx, trustId, terms.name);
  await insertAccountChange(tx, {
    teamId,
    action: 'trust.change',
    subject: trustId,
    ...trustChange(before, after),
    at: now,
    ...AUTHOR,
  });
  return { state: 'changed', trustId, teamId, awaitedZones, revoked };
}

/** The level on records as a right on these zones. Without a list, it is a right on all zones of the team. */
async function rightsOn(tx: Tx, teamId: string, names: string[] | undefined, records: Level = 'none') {
  if (names === undefined) return { rights: {}, awaitedZones: [] };
  const found = (await zonesNamed(tx, names)).filter((zone) => zone.teamId === teamId);
  const grants = found.map(({ id }) => ({ zoneId: id, records })).sort((a, b) => (a.zoneId < b.zoneId ? -1 : 1));
  const awaitedZones = names.filter((name) => !found.some((zone) => zone.name === name));
  return { rights: { records: 'none' as const, grants }, awaitedZones };
}
