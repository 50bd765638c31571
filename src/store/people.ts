// People, teams and memberships as rows.

import type { Role } from './account-tables.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, count, eq, isNull, ne, sql } from './drizzle.ts';
import { apiKeys, memberships, teams, trusts, users } from './tables.ts';

export { type Role, TEAM_ROLES } from './account-tables.ts';

export interface UserRow {
  id: string;
  email: string;
  name: string;
}

const userColumns = { id: users.id, email: users.email, name: users.name };

/** @throws SQLSTATE 23505 (users_email_key) */
export async function insertUser(tx: Db | Tx, user: UserRow): Promise<void> {
  await tx.build.insert(users).values(user);
}

/** @param email in lower case */
export async function userByEmail(
  db: Db | Tx,
  email: string,
): Promise<(UserRow & { suspendedAt: Date | null }) | null> {
  return (
    (
      await db.build
        .select({ ...userColumns, suspendedAt: users.suspendedAt })
        .from(users)
        .where(eq(users.email, email))
    )[0] ?? null
  );
}

export interface TeamRow {
  id: string;
  name: string;
  createdAt: Date;
}

const teamColumns = { id: teams.id, name: teams.name, createdAt: teams.createdAt };

/** The teams of a person with its role in each, by name. */
export async function listUserTeams(db: Db | Tx, userId: string): Promise<(TeamRow & { role: Role })[]> {
  return db.build
    .select({ ...teamColumns, role: memberships.role })
    .from(memberships)
    .innerJoin(teams, eq(teams.id, memberships.teamId))
    .where(eq(memberships.userId, userId))
    .orderBy(asc(teams.name));
}

/** Locks the person's row until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<void> {
  await tx.build.select({ id: users.id }).from(users).where(eq(users.id, id)).for('no key update');
}

/** The same, and no session starts and no account is attached for the person meanwhile: both refer to the row. */
export async function lockUserAlone(tx: Tx, id: string): Promise<void> {
  await tx.build.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update');
}

export async function countMemberships(tx: Tx, userId: string): Promise<number> {
  const rows = await tx.build.select({ teams: count() }).from(memberships).where(eq(memberships.userId, userId));
  return rows[0]?.teams ?? 0;
}

/** The row, locked until the transaction ends: members and keys of one team change one after the other. */
export async function lockTeam(tx: Tx, id: string): Promise<TeamRow | null> {
  if (!isStorable(id)) return null;
  return (await tx.build.select(teamColumns).from(teams).where(eq(teams.id, id)).for('no key update'))[0] ?? null;
}

/** @throws SQLSTATE 23505 (teams_name_key) */
export async function renameTeamRow(tx: Tx, id: string, name: string): Promise<void> {
  await tx.build.update(teams).set({ name }).where(eq(teams.id, id));
}

export interface MemberRow {
  userId: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
}

const memberColumns = {
  userId: users.id,
  email: users.email,
  name: users.name,
  role: memberships.role,
  createdAt: memberships.createdAt,
};

export interface ListedMember extends MemberRow {
  /** App keys of the team that the member created and that are neither revoked nor expired. */
  validKeys: number;
}

/** The members of a team, by e-mail address. */
export async function listTeamMembers(db: Db | Tx, teamId: string): Promise<ListedMember[]> {
  return db.build
    .select({
      ...memberColumns,
      validKeys: sql<number>`(
        select count(*)::int from (
          select team_id, created_by, revoked_at, expires_at from ${apiKeys}
          union all select team_id, created_by, revoked_at, expires_at from ${trusts}) k
        where k.team_id = ${memberships.teamId} and k.created_by = ${users.id}
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(memberships.teamId, teamId))
    .orderBy(asc(users.email));
}

export async function findMember(db: Db | Tx, teamId: string, userId: string): Promise<MemberRow | null> {
  if (!isStorable(teamId) || !isStorable(userId)) return null;
  const rows = await db.build
    .select(memberColumns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.teamId, teamId), eq(memberships.userId, userId)));
  return rows[0] ?? null;
}

/**
 * Whether the team has another owner than this person. A suspended owner does not count, because such a person cannot
 * act.
 */
export async function hasOtherOwner(tx: Tx, teamId: string, userId: string): Promise<boolean> {
  const rows = await tx.build
    .select({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(memberships.teamId, teamId),
        eq(memberships.role, 'owner'),
        ne(memberships.userId, userId),
        isNull(users.suspendedAt),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** @throws SQLSTATE 23505 (memberships_pkey) */
export async function insertMember(
  tx: Db | Tx,
  member: { teamId: string; userId: string; role: Role; createdAt: Date },
): Promise<void> {
  await tx.build.insert(memberships).values(member);
}

export async function setRole(tx: Tx, teamId: string, userId: string, role: Role): Promise<void> {
  await tx.build
    .update(memberships)
    .set({ role })
    .where(and(eq(memberships.teamId, teamId), eq(memberships.userId, userId)));
}

export async function deleteMember(tx: Tx, teamId: string, userId: string): Promise<void> {
  await tx.build.delete(memberships).where(and(eq(memberships.teamId, teamId), eq(memberships.userId, userId)));
}
