// Teams and API keys as rows. Secrets come in and go out as hashes only.
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { apiKeys, keyZoneGrants, teams } from './tables.ts';

export type Level = 'none' | 'read' | 'write';

export interface KeyRow {
  id: string;
  teamId: string;
  teamName: string;
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

/** One key with its team and its per-zone levels, in one statement. */
export async function keyById(db: Db | Tx, id: string): Promise<KeyRow | null> {
  const rows = await db
    .select({
      id: apiKeys.id,
      teamId: apiKeys.teamId,
      teamName: teams.name,
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
    .innerJoin(teams, eq(teams.id, apiKeys.teamId))
    .where(eq(apiKeys.id, id));
  return rows[0] ?? null;
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
