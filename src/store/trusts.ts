// Trusts as rows: the issuers whose tokens give rights on the zones of a team. trust-subjects.ts has the holders of
// these tokens.

import type { KeySource } from '#base/key-source.ts';
import { columns } from './column-lists.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, eq, gt, isNull, or, sql } from './drizzle.ts';
import type { ClaimMatch } from './key-tables.ts';
import { type Grant, type KeyTerms, type Level, TERM_KEYS } from './keys.ts';
import { statement } from './statement.ts';
import { teams, trusts, trustZoneGrants, trustZoneNames } from './tables.ts';
import type { Minter } from './team-keys.ts';

export type { ClaimMatch } from './key-tables.ts';

/** The tokens that a trust accepts, and the rights of their holders. */
export interface TrustTerms extends KeyTerms {
  issuer: string;
  audience: string;
  keySource: KeySource;
  /** Certificates as PEM; null: those of the system. */
  ca: string | null;
  privateAddresses: boolean;
  match: ClaimMatch;
  /** The longest lifetime of a token, in seconds. */
  maxTokenAgeS: number;
  pinSubjects: boolean;
}

/** The columns that the look-up of a token compares with it. */
export interface TrustIndex {
  facts: string[];
  kids: string[] | null;
}

export interface TrustRow extends TrustTerms {
  id: string;
  teamId: string;
  teamName: string;
  /** Null for a trust that the command line or the installation made. */
  createdBy: Minter | null;
  createdAt: Date;
  revokedAt: Date | null;
  /** The names of the declared zones that the team does not have. */
  awaitedZones: string[];
  /** The number of its subjects. */
  subjects: number;
  /** The last use by any subject. */
  lastUsedAt: Date | null;
}

/** The columns of a trust and of its terms. */
export const TRUST_KEYS = [
  'id',
  'teamId',
  'issuer',
  'audience',
  'keySource',
  'ca',
  'privateAddresses',
  'match',
  'maxTokenAgeS',
  'pinSubjects',
  ...TERM_KEYS,
] as const satisfies readonly (keyof TrustRow)[];

const fields = {
  ...columns(trusts, [...TRUST_KEYS, 'createdAt', 'revokedAt']).fields,
  teamName: teams.name,
  grants: sql<Grant[]>`coalesce((
    select json_agg(json_build_object('zoneId', g.zone_id, 'records', g.records) order by g.zone_id)
    from ${trustZoneGrants} g where g.trust_id = "trusts"."id"), '[]')`,
  // Written out, because a column without its table would be that of the inner query.
  createdBy: sql<Minter | null>`(
    select json_build_object('userId', u.id, 'email', u.email, 'isMember', exists (
      select from memberships m where m.team_id = "trusts"."team_id" and m.user_id = u.id))
    from users u where u.id = "trusts"."created_by")`,
  awaitedZones: sql<string[]>`array(
    select n.zone_name from ${trustZoneNames} n where n.trust_id = "trusts"."id" and not exists (
      select from zones z where z.name = n.zone_name and z.team_id = "trusts"."team_id")
    order by n.zone_name)`,
  subjects: sql<number>`(select count(*)::int from api_keys k where k.trust_id = "trusts"."id")`,
  lastUsedAt: sql<Date | null>`(select max(k.last_used_at) from api_keys k where k.trust_id = "trusts"."id")`.mapWith(
    trusts.revokedAt,
  ),
};

const selectTrusts = (db: Db | Tx) =>
  db.build.select(fields).from(trusts).innerJoin(teams, eq(teams.id, trusts.teamId));

/** All trusts of a team, revoked ones too, oldest first. */
export async function trustsOfTeam(db: Db | Tx, teamId: string): Promise<TrustRow[]> {
  return selectTrusts(db).where(eq(trusts.teamId, teamId)).orderBy(asc(trusts.createdAt), trusts.id);
}

/** Every trust of the service, or those of the team with this name. */
export async function allTrusts(db: Db | Tx, team: string | null): Promise<TrustRow[]> {
  return selectTrusts(db)
    .where(team === null ? undefined : eq(teams.name, team))
    .orderBy(asc(trusts.createdAt), trusts.id);
}

/** @param teamId null: of any team */
export async function trustById(db: Db | Tx, teamId: string | null, id: string): Promise<TrustRow | null> {
  if (!isStorable(id)) return null;
  const [row] = await selectTrusts(db).where(
    and(eq(trusts.id, id), teamId === null ? undefined : eq(trusts.teamId, teamId)),
  );
  return row ?? null;
}

/** @throws SQLSTATE 23503 (trust_zone_grants_zone_id_zones_id_fk) when a zone of the grants is gone */
export async function insertTrust(
  tx: Db | Tx,
  {
    grants,
    ...trust
  }: TrustTerms & TrustIndex & { id: string; teamId: string; createdBy: string | null; createdAt: Date },
): Promise<void> {
  await tx.build.insert(trusts).values(trust);
  await insertTrustGrants(tx, trust.id, grants);
}

/**
 * @param rightsChangedAt as updateKeyTerms has it
 * @throws as insertTrust
 */
export async function updateTrustRow(
  tx: Tx,
  id: string,
  { grants, ...set }: TrustTerms & TrustIndex,
  rightsChangedAt: Date | null,
): Promise<void> {
  const rightsChange = rightsChangedAt === null ? {} : { rightsChangedAt };
  await tx.build
    .update(trusts)
    .set({ ...set, ...rightsChange })
    .where(eq(trusts.id, id));
  await tx.build.delete(trustZoneGrants).where(eq(trustZoneGrants.trustId, id));
  await insertTrustGrants(tx, id, grants);
}

async function insertTrustGrants(tx: Db | Tx, trustId: string, grants: readonly Grant[]): Promise<void> {
  if (grants.length > 0) await tx.build.insert(trustZoneGrants).values(grants.map((grant) => ({ trustId, ...grant })));
}

const selectDeclared = statement<{ names: Record<string, Level> }>(`
  select coalesce(json_object_agg(zone_name, records), '{}') as names from trust_zone_names where trust_id = $1`);
const deleteDeclared = statement('delete from trust_zone_names where trust_id = $1');
const insertDeclared = statement(`
  insert into trust_zone_names (trust_id, zone_name, records)
  select $1, name, $3 from unnest($2::text[]) as wanted(name)`);

/**
 * Declares the zones of a trust by their names, in the place of those declared before: it gets this right on each that
 * its team creates from now on (grantDeclared). Those that exist belong to its grants.
 * @returns whether something changed
 */
export async function declareZones(tx: Tx, id: string, names: readonly string[], records: Level): Promise<boolean> {
  const before = (await selectDeclared(tx, id))[0]?.names ?? {};
  if (Object.keys(before).length === names.length && names.every((name) => before[name] === records)) return false;
  await deleteDeclared(tx, id);
  await insertDeclared(tx, id, names, records);
  return true;
}

const insertDeclaredGrants = statement(`
  insert into trust_zone_grants (trust_id, zone_id, records)
  select n.trust_id, $1, n.records from trust_zone_names n join trusts t on t.id = n.trust_id
  where n.zone_name = $2 and t.team_id = $3 and t.revoked_at is null
  on conflict do nothing`);

/**
 * Gives the trusts that were declared for a zone of this name their right on it, when its team has created it or
 * brought it back.
 */
export async function grantDeclared(
  tx: Tx,
  { id, name, teamId }: { id: string; name: string; teamId: string | null },
): Promise<void> {
  if (teamId !== null) await insertDeclaredGrants(tx, id, name, teamId);
}

const lockAudiences = statement(`select pg_advisory_xact_lock(${0x74727374})`);
/**
 * Whether the trust of this alias is valid at the time, and perhaps has the same keys as one with these ids of keys.
 */
export const SHARES_TOKENS = (alias: string, kids: string, at: string) =>
  `${alias}.revoked_at is null and (${alias}.expires_at is null or ${alias}.expires_at > ${at})
    and (${alias}.kids is null or ${kids} is null or ${alias}.kids && ${kids})`;

/** A trust of another team that has the same issuer and audience, and perhaps the same keys. */
export interface SharingTrust {
  id: string;
  name: string;
  teamId: string;
  teamName: string;
  /** Whether the administrator of the service made it. */
  isAdministrators: boolean;
  match: ClaimMatch;
}

const selectSharing = statement<SharingTrust>(`
  select t.id, t.name, t.team_id as "teamId", e.name as "teamName", t.created_by is null as "isAdministrators", t.match
  from trusts t join teams e on e.id = t.team_id
  where t.issuer = $1 and t.audience = $2 and t.team_id <> $3
    and ${SHARES_TOKENS('t', '(select $4::text[])', '$5::timestamptz')}
  order by t.created_at, t.id`);

/**
 * The valid trusts of other teams that may accept the same tokens. Holds a lock until the end of the transaction, so
 * that two teams cannot both be told that they are the first.
 */
export async function sharingTrusts(
  tx: Tx,
  {
    teamId,
    issuer,
    audience,
    kids,
  }: Pick<TrustTerms, 'issuer' | 'audience'> & Pick<TrustIndex, 'kids'> & { teamId: string },
  now: Date,
): Promise<readonly SharingTrust[]> {
  await lockAudiences(tx);
  return selectSharing(tx, issuer, audience, teamId, kids, now.toISOString());
}

const selectClusterIssuer = statement<{ found: boolean }>(`
  select exists (select from trusts where issuer = $1 and key_source ->> 'kind' in ('cluster', 'token-review')
    and revoked_at is null) as found`);

/** Whether a trust for the cluster of the service has this issuer. */
export async function isClusterIssuer(tx: Tx, issuer: string): Promise<boolean> {
  return (await selectClusterIssuer(tx, issuer))[0]?.found === true;
}

/** Revokes the trust unless it is revoked. @returns whether it was not */
export async function revokeTrustRow(tx: Db | Tx, id: string, now: Date): Promise<boolean> {
  const rows = await tx.build
    .update(trusts)
    .set({ revokedAt: now })
    .where(and(eq(trusts.id, id), isNull(trusts.revokedAt)))
    .returning({ id: trusts.id });
  return rows.length > 0;
}

/** The trusts of a team that a person created and that are neither revoked nor expired. */
export async function validTrustsMadeBy(
  tx: Tx,
  teamId: string,
  userId: string,
  now: Date,
): Promise<{ id: string; name: string }[]> {
  return tx.build
    .select({ id: trusts.id, name: trusts.name })
    .from(trusts)
    .where(
      and(
        eq(trusts.teamId, teamId),
        eq(trusts.createdBy, userId),
        isNull(trusts.revokedAt),
        or(isNull(trusts.expiresAt), gt(trusts.expiresAt, now)),
      ),
    )
    .orderBy(asc(trusts.createdAt), trusts.id);
}
