// The trusts that an installation declares, as a whole: those of the list exist with exactly these terms, and those
// that left the list are revoked. The name of each ends with the place of the installation, so that the trusts of
// others stay as they are.
import { formatError } from '#base/error-text.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db } from '#store/database.ts';
import { allTrusts, type SharingTrust } from '#store/trusts.ts';
import { INSTALLATION } from './author.ts';
import { ensureTrust, type WantedTrust } from './ensure-trust.ts';
import { revokeCredential } from './lifecycle.ts';
import { TRUST } from './trusts.ts';

interface TrustOutcome {
  /** As declared. */
  name: string;
  state: 'known' | 'changed' | 'registered' | 'revoked';
  /** Declared zones that the team does not have: the trust gets its right on each when the team creates it. */
  awaitedZones: readonly string[];
  /** The trusts of other teams' members that were revoked, because they accepted tokens of this trust. */
  replaced: readonly Pick<SharingTrust, 'id' | 'name' | 'teamName'>[];
}

/**
 * Can be repeated, also by two Jobs at once.
 * @param place a text that no other installation at this database has
 * @throws Error that names the trust whose terms are not accepted
 */
export async function applyDeclaredTrusts(
  url: string,
  place: string,
  declared: readonly WantedTrust[],
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustOutcome[]> {
  const end = ` (${place})`;
  const keptIds = new Set<string>();
  const outcomes: TrustOutcome[] = [];
  for (const wantedTrust of declared) {
    const { name } = wantedTrust.terms;
    try {
      const terms = { ...wantedTrust.terms, name: name + end };
      const { state, trustId, awaitedZones, revoked } = await ensureTrust(url, { ...wantedTrust, terms }, random, now);
      keptIds.add(trustId);
      outcomes.push({ name, state, awaitedZones, replaced: revoked });
    } catch (cause) {
      throw new Error(`trust ${name}: ${formatError(cause)}`, { cause });
    }
  }
  const revokedNames = await withDatabase(url, (db) => revokeOthers(db, end, keptIds, now));
  return [
    ...outcomes,
    ...revokedNames.map((name) => ({ name, state: 'revoked' as const, awaitedZones: [], replaced: [] })),
  ];
}

/** @returns the declared names of the trusts that this call revoked */
async function revokeOthers(db: Db, end: string, keptIds: ReadonlySet<string>, now: Date): Promise<string[]> {
  const goneTrusts = (await allTrusts(db, null)).filter(
    ({ id, name, createdBy, revokedAt }) =>
      name.endsWith(end) && createdBy === null && revokedAt === null && !keptIds.has(id),
  );
  const names: string[] = [];
  for (const { id, teamId, name } of goneTrusts) {
    const isRevoked = await db.transaction((tx) =>
      revokeCredential({ tx, team: { id: teamId }, author: INSTALLATION, now }, TRUST, { id, name }),
    );
    if (isRevoked) names.push(name.slice(0, -end.length));
  }
  return names;
}
