// API keys as rows, and the teams that have them. Secrets come in and go out as hashes only.

import { columns, type Plain } from './column-lists.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { and, desc, eq, gt, isNull, lt, or, sql } from './drizzle.ts';
import type { ClusterRight, Level } from './key-tables.ts';
import type { Role } from './people.ts';
import { statement } from './statement.ts';
import { apiKeys, teams } from './tables.ts';

export type { ClusterRight, Level } from './key-tables.ts';

export interface Grant {
  zoneId: string;
  records: Level;
}

/** The rights of a key, and its end. */
export interface KeyTerms {
  name: string;
  records: Level;
  manageZones: Level;
  clusters: ClusterRight;
  /** Names and patterns of the checks that signals may be sent for. */
  signals: string[];
  /** Per-zone levels that override `records`. */
  grants: Grant[];
  onlyNames: string[] | null;
  onlyTypes: string[] | null;
  networks: string[] | null;
  zoneWrites: number | null;
  recordWrites: number | null;
  expiresAt: Date | null;
}

export interface KeyRow extends KeyTerms {
  id: string;
  /** The account of an app key; null for a person's key. */
  teamId: string | null;
  teamName: string | null;
  /** The person of a person's key; null for an app account's key. */
  userId: string | null;
  userName: string | null;
  userEmail: string | null;
  /** The teams of the person. */
  memberships: { teamId: string; teamName: string; role: Role }[];
  secretHash: Uint8Array;
  /** Also the time at which the person was suspended. */
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  /**
   * The trust that the row is a subject of: no secret proves it, and its rights are those of the trust. Null for every
   * key.
   */
  trustId: string | null;
}

/** The columns of KeyTerms, which keys and trusts have. The grants are in a table of their own. */
export const TERM_KEYS = [
  'name',
  'records',
  'manageZones',
  'clusters',
  'signals',
  'onlyNames',
  'onlyTypes',
  'networks',
  'zoneWrites',
  'recordWrites',
  'expiresAt',
] as const satisfies readonly (keyof KeyTerms)[];

const OWN = ['id', 'teamId', 'userId', ...TERM_KEYS, 'secretHash', 'revokedAt', 'lastUsedAt', 'trustId'] as const;
const keyColumns = columns(apiKeys, OWN, {
  alias: 'k',
  computed: { revokedAt: 'coalesce(k.revoked_at, u.suspended_at)' },
});

type KeyColumns = Pick<KeyRow, (typeof OWN)[number]>;

const selectKeys = statement<Omit<KeyRow, keyof KeyColumns> & Plain<KeyColumns>>(`
  select ${keyColumns.list}, t.name as "teamName", u.name as "userName", u.email as "userEmail",
    case when k.user_id is null then '[]' else coalesce((
      select json_agg(json_build_object('teamId', m.team_id, 'teamName', mt.name, 'role', m.role) order by mt.name)
      from memberships m join teams mt on mt.id = m.team_id where m.user_id = k.user_id), '[]') end as memberships,
    coalesce((select json_agg(json_build_object('zoneId', g.zone_id, 'records', g.records))
      from key_zone_grants g where g.key_id = k.id), '[]') as grants
  from api_keys k left join teams t on t.id = k.team_id left join users u on u.id = k.user_id where k.id = any((select $1::text[])::text[])`);

/** Keys with their holders and their per-zone levels, in one statement. Unknown ids are omitted. */
export async function keysByIds(db: Db | Tx, ids: readonly string[]): Promise<KeyRow[]> {
  return (await selectKeys(db, ids)).map((row) => keyColumns.read(row));
}

export async function keyById(db: Db | Tx, id: string): Promise<KeyRow | null> {
  return (await keysByIds(db, [id]))[0] ?? null;
}

interface Standing {
  /** Neither revoked nor expired. */
  valid: boolean;
  /** The person still is a member of the team concerned; true for app accounts and personal zones. */
  member: boolean;
}

/**
 * Whether a key still may act for a team, or for the team of a zone. Takes no lock: a change asks after it has taken
 * its own, so a revocation committed before that is seen (each statement of READ COMMITTED has a snapshot of its own).
 */
export async function keyStanding(
  tx: Db | Tx,
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

/**
 * Whether the key `k`, or the trust whose subject it is, is neither revoked nor expired, and its person not suspended.
 * @param now the parameter with the time
 */
export const isValidAt = (
  now: string,
) => `k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}::timestamptz)
    and not exists (select from users p where p.id = k.user_id and p.suspended_at is not null)
    and (k.trust_id is null or exists (select from trusts t where t.id = k.trust_id and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now}::timestamptz)))`;

const standingFor = (team: string) =>
  statement<{ valid: boolean; member: boolean }>(`
  select ${isValidAt('$2')} as valid,
    k.user_id is null or s.team is null
      or exists (select from memberships m where m.user_id = k.user_id and m.team_id = s.team) as member
  from api_keys k cross join (select ${team} as team) s where k.id = $1`);

const selectStandingForZone = standingFor('(select z.team_id from zones z where z.id = $3)');
const selectStandingForTeam = standingFor('$3::text');

/**
 * Records the use of a key, at most once a minute a key: reading must not cost a write. Its commit waits neither for
 * the disk nor for a standby.
 */
export async function markUsed(db: Db, id: string, now: Date, agent: string | null = null): Promise<void> {
  const minuteAgo = new Date(now.getTime() - 60_000);
  await db.build
    .update(apiKeys)
    .set({ lastUsedAt: now, lastUsedBy: agent?.slice(0, 200) ?? null })
    .where(
      and(
        eq(apiKeys.id, id),
        or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, minuteAgo)),
        sql`set_config('synchronous_commit', 'off', true) = 'off'`,
      ),
    );
}

export async function insertTeam(tx: Db | Tx, team: typeof teams.$inferInsert): Promise<void> {
  await tx.build.insert(teams).values(team);
}

export async function teamByName(db: Db | Tx, name: string): Promise<{ id: string; name: string } | null> {
  return (await db.build.select({ id: teams.id, name: teams.name }).from(teams).where(eq(teams.name, name)))[0] ?? null;
}

/** The valid keys of that name that a person has beyond the newest `keep`. */
export async function oldSessions(
  tx: Tx,
  userId: string,
  name: string,
  { now, keep }: { now: Date; keep: number },
): Promise<string[]> {
  const rows = await tx.build
    .select({ id: apiKeys.id })
    .from(apiKeys)
    // Only sessions expire, of a person's keys: one that a person calls like a session is not ended.
    .where(
      and(eq(apiKeys.userId, userId), eq(apiKeys.name, name), isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now)),
    )
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .offset(keep);
  return rows.map(({ id }) => id);
}

export async function insertKey(tx: Db | Tx, values: typeof apiKeys.$inferInsert): Promise<void> {
  await tx.build.insert(apiKeys).values(values);
}
