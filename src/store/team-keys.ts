// The app keys of a team as rows to be listed, changed and revoked. Hashes of secrets never leave through here.

import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { columns } from './column-lists.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, eq, gt, inArray, isNull, or, sql } from './drizzle.ts';
import { type Grant, type KeyTerms, TERM_KEYS } from './keys.ts';
import { apiKeys, keyZoneGrants, teams, tsigKeys, users, zones } from './tables.ts';

/** The person who created a key. */
export interface Minter {
  userId: string;
  email: string;
  /** Whether the person still is a member of the team. */
  isMember: boolean;
}

export interface TeamKeyRow extends KeyTerms {
  id: string;
  /** Null for a key that the command line or the installation made. */
  mintedBy: Minter | null;
  createdAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  /** The User-Agent of that use. */
  lastUsedBy: string | null;
  /** Its TSIG key, without the secret. */
  tsig: { name: string; algorithm: TsigKeyAlgorithm } | null;
}

const keyColumns = columns(apiKeys, ['id', ...TERM_KEYS, 'createdAt', 'revokedAt', 'lastUsedAt', 'lastUsedBy']);

const fields = {
  ...keyColumns.fields,
  // Written out, because a column without its table would be that of the inner query.
  grants: sql<Grant[]>`coalesce((
    select json_agg(json_build_object('zoneId', g.zone_id, 'records', g.records) order by g.zone_id)
    from ${keyZoneGrants} g where g.key_id = "api_keys"."id"), '[]')`,
  mintedBy: sql<Minter | null>`(
    select json_build_object('userId', u.id, 'email', u.email, 'isMember', exists (
      select from memberships m where m.team_id = "api_keys"."team_id" and m.user_id = u.id))
    from users u where u.id = "api_keys"."created_by")`,
  tsig: sql<{ name: string; algorithm: TsigKeyAlgorithm } | null>`(
    select json_build_object('name', s.name, 'algorithm', s.algorithm) from ${tsigKeys} s where s.key_id = "api_keys"."id")`,
};

/** Leaves the subjects of trusts out: their rows are not keys (trust-subjects.ts). */
const IS_KEY = isNull(apiKeys.trustId);

/** All keys of a team, revoked ones too, oldest first. */
export async function keysOfTeam(db: Db | Tx, teamId: string): Promise<TeamKeyRow[]> {
  return db.build
    .select(fields)
    .from(apiKeys)
    .where(and(eq(apiKeys.teamId, teamId), IS_KEY))
    .orderBy(asc(apiKeys.createdAt), apiKeys.id);
}

export async function keyOfTeam(db: Db | Tx, teamId: string, id: string): Promise<TeamKeyRow | null> {
  if (!isStorable(id)) return null;
  const rows = await db.build
    .select(fields)
    .from(apiKeys)
    .where(and(eq(apiKeys.teamId, teamId), eq(apiKeys.id, id), IS_KEY));
  return rows[0] ?? null;
}

/** The keys of a team that a person created and that are neither revoked nor expired. */
export async function validKeysMintedBy(
  tx: Tx,
  teamId: string,
  userId: string,
  now: Date,
): Promise<{ id: string; name: string }[]> {
  return tx.build
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.teamId, teamId),
        eq(apiKeys.createdBy, userId),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
      ),
    )
    .orderBy(asc(apiKeys.createdAt), apiKeys.id);
}

/**
 * @param rightsChangedAt the time of the change, if it changes rights: a restored zone then gives no earlier grant back
 */
export async function updateKeyTerms(
  tx: Tx,
  id: string,
  { grants, ...set }: KeyTerms,
  rightsChangedAt: Date | null,
): Promise<void> {
  const rightsChange = rightsChangedAt === null ? {} : { rightsChangedAt };
  await tx.build
    .update(apiKeys)
    .set({ ...set, ...rightsChange })
    .where(eq(apiKeys.id, id));
  await tx.build.delete(keyZoneGrants).where(eq(keyZoneGrants.keyId, id));
  await insertGrants(tx, id, grants);
}

/** @throws SQLSTATE 23503 (key_zone_grants_zone_id_zones_id_fk) when a zone is gone */
export async function insertGrants(tx: Db | Tx, keyId: string, grants: Grant[]): Promise<void> {
  if (grants.length > 0) await tx.build.insert(keyZoneGrants).values(grants.map((grant) => ({ keyId, ...grant })));
}

/** The zones among `ids` that belong to the team. */
export async function zonesOfTeam(tx: Tx, teamId: string, ids: string[]): Promise<string[]> {
  const possible = ids.filter(isStorable);
  if (possible.length === 0) return [];
  const rows = await tx.build
    .select({ id: zones.id })
    .from(zones)
    .where(and(eq(zones.teamId, teamId), inArray(zones.id, possible)));
  return rows.map((row) => row.id);
}

/** Revokes the key unless it is revoked. @returns whether it was not */
export async function revokeKeyRow(tx: Db | Tx, id: string, now: Date): Promise<boolean> {
  const rows = await tx.build
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return rows.length > 0;
}

/** Every key of the service with its holder, for the command line. */
export async function allKeys(db: Db, team: string | null) {
  return db.build
    .select({ ...fields, team: teams.name, email: users.email })
    .from(apiKeys)
    .leftJoin(teams, eq(teams.id, apiKeys.teamId))
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .where(and(IS_KEY, team === null ? undefined : eq(teams.name, team)))
    .orderBy(asc(apiKeys.createdAt), apiKeys.id);
}
