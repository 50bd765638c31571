// The trusts of the installation's own components, over the database. A trust is known by its team, its name and its
// issuer, so the operation can be repeated.
import { isDeepStrictEqual } from 'node:util';
import { parseZoneName } from '#dns/names/name.ts';
import type { Tx } from '#store/database.ts';
import type { Level } from '#store/keys.ts';
import { lockTeam } from '#store/people.ts';
import { declareZones, type SharingTrust, trustsOfTeam } from '#store/trusts.ts';
import { lockZoneTree, setLockTimeout, zonesNamed } from '#store/zones.ts';
import { inTransaction } from '../administrator.ts';
import { ensureTeam } from '../keys/keys.ts';
import { insist } from '../refusal.ts';
import { judgeTrust, NO_TRUST, type TrustInput } from '../trusts/terms.ts';
import { INSTALLATION } from './author.ts';
import { changeCredential } from './lifecycle.ts';
import { addTrust, revokeSharing, TRUST, viewTrustTerms } from './trusts.ts';

/**
 * How long a declaration waits for creations of zones, in ms: it comes once in an upgrade, and many clients may create
 * zones then.
 */
const LOCK_WAIT_MS = 20_000;

export interface WantedTrust {
  /** The name of the team. It is created if it does not exist. */
  team: string;
  /** The terms; omitted restrictions do not apply. */
  terms: TrustInput & { name: string; issuer: string; match: NonNullable<TrustInput['match']> };
  /**
   * Names of zones of the team, which alone get the right on records of the terms, also if they are created later.
   * (Default: all zones.)
   */
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
  wantedTrust: WantedTrust,
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustState> {
  return inTransaction(url, (tx) => ensureTrustIn(tx, wantedTrust, random, now));
}

async function ensureTrustIn(
  tx: Tx,
  { team, terms: input, zones }: WantedTrust,
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustState> {
  const names = zones && [...new Set(zones.map((zone) => insist(parseZoneName(zone))))];
  // No zone is created between the look for it and the declaration of its name. Creations take this lock before that of
  // the team.
  if (names !== undefined) {
    await setLockTimeout(tx, LOCK_WAIT_MS);
    await lockZoneTree(tx);
  }
  const { id: teamId } = await ensureTeam(tx, team, random);
  // Two Jobs at once register one trust.
  await lockTeam(tx, teamId);
  const work = { tx, team: { id: teamId, name: team }, author: INSTALLATION, now, random, quotas: null };
  const { rights, awaitedZones } = await rightsOn(tx, teamId, names, input.records);
  const terms = insist(judgeTrust(NO_TRUST, { ...input, ...rights }, { now, isAdministrator: true }));
  const current = (await trustsOfTeam(tx, teamId)).find(
    ({ name, issuer, revokedAt }) => name === terms.name && issuer === terms.issuer && revokedAt === null,
  );
  const records = input.records ?? 'none';
  if (current === undefined) {
    const { id: trustId, revoked } = await addTrust(work, terms);
    await declareZones(tx, trustId, names ?? [], records);
    return { state: 'registered', trustId, teamId, awaitedZones, revoked };
  }
  const { id: trustId, ca } = current;
  // Also if no term changes: a trust of another team may be for the same tokens since then.
  const revokedTrusts = await revokeSharing(work, terms);
  const isDeclaredAnew = await declareZones(tx, trustId, names ?? [], records);
  const isSame = ca === terms.ca && isDeepStrictEqual(viewTrustTerms(current), viewTrustTerms(terms));
  if (!isSame) await changeCredential(work, TRUST, current, () => terms);
  return {
    state: isSame && !isDeclaredAnew ? 'known' : 'changed',
    trustId,
    teamId,
    awaitedZones,
    revoked: revokedTrusts,
  };
}

/** The level on records as a right on these zones. Without a list, it is a right on all zones of the team. */
async function rightsOn(tx: Tx, teamId: string, names: string[] | undefined, records: Level = 'none') {
  if (names === undefined) return { rights: {}, awaitedZones: [] };
  const teamZones = (await zonesNamed(tx, names)).filter((zone) => zone.teamId === teamId);
  const grants = teamZones.map(({ id }) => ({ zoneId: id, records })).sort((a, b) => (a.zoneId < b.zoneId ? -1 : 1));
  const awaitedZones = names.filter((name) => !teamZones.some((zone) => zone.name === name));
  return { rights: { records: 'none' as const, grants }, awaitedZones };
}
