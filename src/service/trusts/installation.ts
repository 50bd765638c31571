// The trusts that an installation declares, as a whole: those of the list exist with exactly these terms, and those that left the list
// are revoked. The name of each ends with the place of the installation, so that the trusts of others stay as they are.
import { plainName } from '#dns/names/plain.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import type { Db } from '#store/database.ts';
import { allTrusts, revokeTrustRow } from '#store/trusts.ts';
import { zonesNamed } from '#store/zones.ts';
import { withDatabase } from '../accounts/administration.ts';
import { ensureTeam } from '../keys/keys.ts';
import { AUTHOR, ensureTrust, type WantedTrust } from './ensure.ts';

export interface DeclaredTrust extends WantedTrust {
  /** Names of zones of the team, which alone get the right on records. (Default: all zones of the team.) */
  zones?: readonly string[] | undefined;
}

interface TrustOutcome {
  /** As declared. */
  name: string;
  state: 'known' | 'changed' | 'registered' | 'revoked';
  /** Declared zones that the team does not have: the trust gives no right on them. */
  missingZones: readonly string[];
}

/**
 * Can be repeated, also by two Jobs at once.
 * @param place a text that no other installation at this database has
 * @throws Error that names the trust whose terms are not accepted
 */
export async function applyDeclaredTrusts(
  url: string,
  place: string,
  declared: readonly DeclaredTrust[],
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<TrustOutcome[]> {
  const end = ` (${place})`;
  const kept = new Set<string>();
  const outcomes: TrustOutcome[] = [];
  for (const { zones, ...wanted } of declared) {
    const { name } = wanted.terms;
    try {
      const { rights, missing } = await rightsOf(url, wanted, zones, random);
      const terms = { ...wanted.terms, ...rights, name: name + end };
      const { state, trustId } = await ensureTrust(url, { ...wanted, terms }, random, now);
      kept.add(trustId);
      outcomes.push({ name, state, missingZones: missing });
    } catch (cause) {
      throw new Error(`trust ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
  const revoked = await withDatabase(url, (db) => revokeOthers(db, end, kept, now));
  return [...outcomes, ...revoked.map((name) => ({ name, state: 'revoked' as const, missingZones: [] }))];
}

/** The level on records as a right on these zones. Without a list, it is a right on all zones of the team. */
async function rightsOf(
  url: string,
  { team, terms }: WantedTrust,
  zones: readonly string[] | undefined,
  random: (bytes: number) => Buffer,
) {
  if (zones === undefined) return { rights: {}, missing: [] };
  const names = [...new Set(zones.map(plainName))];
  const records = terms.records ?? 'none';
  return withDatabase(url, async (db) => {
    const { id: teamId } = await ensureTeam(db, team, random);
    const found = (await zonesNamed(db, names)).filter((zone) => zone.teamId === teamId);
    const grants = found.map(({ id }) => ({ zoneId: id, records })).sort((a, b) => (a.zoneId < b.zoneId ? -1 : 1));
    const missing = names.filter((name) => !found.some((zone) => plainName(zone.name) === name));
    return { rights: { records: 'none' as const, grants }, missing };
  });
}

/** @returns the declared names of the trusts that this call revoked */
async function revokeOthers(db: Db, end: string, kept: ReadonlySet<string>, now: Date): Promise<string[]> {
  const gone = (await allTrusts(db, null)).filter(
    ({ id, name, createdBy, revokedAt }) =>
      name.endsWith(end) && createdBy === null && revokedAt === null && !kept.has(id),
  );
  const names: string[] = [];
  for (const { id, teamId, name } of gone) {
    await db.transaction(async (tx) => {
      if (!(await revokeTrustRow(tx, id, now))) return;
      const change = { action: 'trust.revoke', subject: id, before: { name }, after: null, at: now } as const;
      await insertAccountChange(tx, { teamId, ...change, ...AUTHOR });
      names.push(name.slice(0, -end.length));
    });
  }
  return names;
}
