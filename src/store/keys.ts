// API keys as rows, and the teams that have them. Secrets come in and go out as hashes only.
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { type Db, isStorable, type Tx } from './database.ts';
import type { Role } from './people.ts';
import { apiKeys, keyZoneGrants, memberships, teams, users } from './tables.ts';

export type Level = 'none' | 'read' | 'write';

export interface KeyRow {
  id: string;
  /** Of an app account's key; null for a person's. */
  teamId: string | null;
  teamName: string | null;
  /** Of a person's key; null for an app account's. */
  userId: string | null;
  userName: string | null;
  userEmail: string | null;
  /** The teams of the person. */
  memberships: { teamId: string; teamName: string; role: Role }[];
  name: string;
  secretHash: Uint8Array;
  records: Level;
  manageZones: Level;
  onlyNames: string[] | null;
  onlyTypes: string[] | null;
  networks: string[] | null;
  zoneWrites: number | null;
  recordWrites: number | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  /** Per-zone levels that win over `records`. */
  grants: { zoneId: string; records: Level }[];
}

/** One key with its holder and its per-zone levels, in one statement. */
export async function keyById(db: Db | Tx, id: string): Promise<KeyRow | null> {
  const rows = await db
    .select({
      id: apiKeys.id,
      teamId: apiKeys.teamId,
      teamName: teams.name,
      userId: apiKeys.userId,
      userName: users.name,
      userEmail: users.email,
      memberships: sql<KeyRow['memberships']>`coalesce((
        select json_agg(json_build_object('teamId', m.team_id, 'teamName', t.name, 'role', m.role) order by t.name)
        from ${memberships} m join ${teams} t on t.id = m.team_id where m.user_id = ${apiKeys.userId}), '[]')`,
      name: apiKeys.name,
      secretHash: apiKeys.secretHash,
      records: sql<Level>`${apiKeys.records}`,
      manageZones: sql<Level>`${apiKeys.manageZones}`,
      onlyNames: apiKeys.onlyNames,
      onlyTypes: apiKeys.onlyTypes,
      networks: sql<string[] | null>`${apiKeys.networks}::text[]`,
      zoneWrites: apiKeys.zoneWrites,
      recordWrites: apiKeys.recordWrites,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      lastUsedAt: apiKeys.lastUsedAt,
      grants: sql<{ zoneId: string; records: Level }[]>`coalesce((
        select json_agg(json_build_object('zoneId', g.zone_id, 'records', g.records))
        from ${keyZoneGrants} g where g.key_id = ${apiKeys.id}), '[]')`,
    })
    .from(apiKeys)
    .leftJoin(teams, eq(teams.id, apiKeys.teamId))
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .where(eq(apiKeys.id, id));
  return rows[0] ?? null;
}

export interface Standing {
  /** Neither revoked nor expired. */
  valid: boolean;
  /** The person still is a member of the team concerned; true for app accounts and personal zones. */
  member: boolean;
}

/**
 * Whether a key still may act for a team, or for the team of a zone. Takes no lock: a change asks after it has taken its
 * own, so a revocation committed before that is seen (each statement of READ COMMITTED has a snapshot of its own).
 */
export async function keyStanding(
  tx: Tx,
  keyId: string,
  scope: { teamId: string | null } | { zoneId: string },
  now: Date,
): Promise<Standing> {
  const about = 'zoneId' in scope ? scope.zoneId : scope.teamId;
  // Nothing has such an id; the caller finds that out by itself.
  const id = about !== null && isStorable(about) ? about : null;
  const team = 'zoneId' in scope ? sql`(select z.team_id from zones z where z.id = ${id})` : sql`${id}::text`;
  const rows = await tx.execute(sql`
    select k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now.toISOString()}::timestamptz) as valid,
      k.user_id is null or s.team is null
        or exists (select from memberships m where m.user_id = k.user_id and m.team_id = s.team) as member
    from api_keys k cross join (select ${team} as team) s where k.id = ${keyId}`);
  return { valid: rows[0]?.valid === true, member: rows[0]?.member === true };
}

/** Records the use of a key, at most once a minute a key: reading must not cost a write. */
export async function markUsed(db: Db, id: string, now: Date): Promise<void> {
  const minuteAgo = new Date(now.getTime() - 60_000);
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, minuteAgo))));
}

export async function insertTeam(tx: Db | Tx, team: typeof teams.$inferInsert): Promise<void> {
  await tx.insert(teams).values(team);
}

export async function teamByName(db: Db | Tx, name: string): Promise<{ id: string; name: string } | null> {
  return (await db.select({ id: teams.id, name: teams.name }).from(teams).where(eq(teams.name, name)))[0] ?? null;
}

export async function insertKey(tx: Db | Tx, key: typeof apiKeys.$inferInsert): Promise<void> {
  await tx.insert(apiKeys).values(key);
}
