// API keys as rows, and the teams that have them. Secrets come in and go out as hashes only.
import { and, eq, isNull, lt, or } from 'drizzle-orm';
import { type Db, isStorable, type Tx } from './database.ts';
import type { Role } from './people.ts';
import { statement } from './statement.ts';
import { apiKeys, teams } from './tables.ts';

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

type Plain = Omit<KeyRow, 'expiresAt' | 'revokedAt' | 'lastUsedAt'> &
  Record<'expiresAt' | 'revokedAt' | 'lastUsedAt', string | null>;

const selectKey = statement<Plain>(`
  select k.id, k.team_id as "teamId", t.name as "teamName", k.user_id as "userId", u.name as "userName", u.email as "userEmail",
    case when k.user_id is null then '[]' else coalesce((
      select json_agg(json_build_object('teamId', m.team_id, 'teamName', mt.name, 'role', m.role) order by mt.name)
      from memberships m join teams mt on mt.id = m.team_id where m.user_id = k.user_id), '[]') end as memberships,
    k.name, k.secret_hash as "secretHash", k.records, k.manage_zones as "manageZones", k.only_names as "onlyNames",
    k.only_types as "onlyTypes", k.networks::text[] as networks, k.zone_writes as "zoneWrites",
    k.record_writes as "recordWrites", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
    k.last_used_at as "lastUsedAt",
    coalesce((select json_agg(json_build_object('zoneId', g.zone_id, 'records', g.records))
      from key_zone_grants g where g.key_id = k.id), '[]') as grants
  from api_keys k left join teams t on t.id = k.team_id left join users u on u.id = k.user_id where k.id = $1`);

/** One key with its holder and its per-zone levels, in one statement: every request begins with it. */
export async function keyById(db: Db | Tx, id: string): Promise<KeyRow | null> {
  const [row] = await selectKey(db, id);
  if (!row) return null;
  return { ...row, expiresAt: at(row.expiresAt), revokedAt: at(row.revokedAt), lastUsedAt: at(row.lastUsedAt) };
}

const at = (text: string | null): Date | null => (text === null ? null : new Date(text));

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
  const select = 'zoneId' in scope ? selectStandingForZone : selectStandingForTeam;
  const [row] = await select(tx, keyId, now.toISOString(), id);
  return { valid: row?.valid === true, member: row?.member === true };
}

const standingFor = (team: string) =>
  statement<{ valid: boolean; member: boolean }>(`
  select k.revoked_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz) as valid,
    k.user_id is null or s.team is null
      or exists (select from memberships m where m.user_id = k.user_id and m.team_id = s.team) as member
  from api_keys k cross join (select ${team} as team) s where k.id = $1`);

const selectStandingForZone = standingFor('(select z.team_id from zones z where z.id = $3)');
const selectStandingForTeam = standingFor('$3::text');

/** Records the use of a key, at most once a minute a key: reading must not cost a write. */
export async function markUsed(db: Db, id: string, now: Date, agent: string | null = null): Promise<void> {
  const minuteAgo = new Date(now.getTime() - 60_000);
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now, lastUsedBy: agent?.slice(0, 200) ?? null })
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
