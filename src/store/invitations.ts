// Invitations to teams as rows. There is a row only while an invitation is open; an expired one is as good as none.

import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, count, desc, eq, gt, lte, or, sql } from './drizzle.ts';
import type { Role } from './people.ts';
import { invitations, memberships, teams, users } from './tables.ts';

export interface InvitationRow {
  id: string;
  teamId: string;
  teamName: string;
  /** In lower case. It need not belong to a person yet. */
  email: string;
  role: Role;
  /** The address of the inviter. */
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

const columns = {
  id: invitations.id,
  teamId: invitations.teamId,
  teamName: teams.name,
  email: invitations.email,
  role: invitations.role,
  invitedBy: users.email,
  createdAt: invitations.createdAt,
  expiresAt: invitations.expiresAt,
};

const rows = (db: Db | Tx) =>
  db.build
    .select(columns)
    .from(invitations)
    .innerJoin(teams, eq(teams.id, invitations.teamId))
    .innerJoin(users, eq(users.id, invitations.invitedBy));

/** The open invitations of a team, by address. */
export async function invitationsOfTeam(db: Db, teamId: string, now: Date): Promise<InvitationRow[]> {
  return rows(db)
    .where(and(eq(invitations.teamId, teamId), gt(invitations.expiresAt, now)))
    .orderBy(asc(invitations.email));
}

/** The open invitations to an address, the newest first. @param email in lower case */
export async function invitationsOfAddress(
  db: Db | Tx,
  email: string,
  now: Date,
  limit: number,
): Promise<InvitationRow[]> {
  return rows(db)
    .where(and(eq(invitations.email, email), gt(invitations.expiresAt, now)))
    .orderBy(desc(invitations.createdAt), asc(invitations.id))
    .limit(limit);
}

export async function countInvitationsOfAddress(db: Db | Tx, email: string, now: Date): Promise<number> {
  const countRows = await db.build
    .select({ open: count() })
    .from(invitations)
    .where(and(eq(invitations.email, email), gt(invitations.expiresAt, now)));
  return countRows[0]?.open ?? 0;
}

/** The open invitation of that id to that address. */
export async function invitationTo(tx: Tx, id: string, email: string, now: Date): Promise<InvitationRow | null> {
  if (!isStorable(id)) return null;
  const invitationRows = await rows(tx).where(
    and(eq(invitations.id, id), eq(invitations.email, email), gt(invitations.expiresAt, now)),
  );
  return invitationRows[0] ?? null;
}

export interface OpenInvitations {
  ofTeam: number;
  ofInviter: number;
  toAddress: number;
}

/** How many invitations are open in these three respects. */
export async function countOpen(
  tx: Tx,
  { teamId, invitedBy, email }: { teamId: string; invitedBy: string; email: string },
  now: Date,
): Promise<OpenInvitations> {
  const [ofTeam, by, to] = [
    eq(invitations.teamId, teamId),
    eq(invitations.invitedBy, invitedBy),
    eq(invitations.email, email),
  ];
  const countRows = await tx.build
    .select({
      ofTeam: sql<number>`count(*) filter (where ${ofTeam})::int`,
      ofInviter: sql<number>`count(*) filter (where ${by})::int`,
      toAddress: sql<number>`count(*) filter (where ${to})::int`,
    })
    .from(invitations)
    .where(and(or(ofTeam, by, to), gt(invitations.expiresAt, now)));
  return countRows[0] ?? { ofTeam: 0, ofInviter: 0, toAddress: 0 };
}

/** @throws SQLSTATE 23505 (invitations_team_email_key) when the address has an invitation to the team */
export async function insertInvitation(tx: Tx, row: typeof invitations.$inferInsert): Promise<void> {
  await tx.build.insert(invitations).values(row);
}

/** Ends an invitation. @returns whether it was there */
export async function deleteInvitation(tx: Tx, id: string): Promise<boolean> {
  return (
    (await tx.build.delete(invitations).where(eq(invitations.id, id)).returning({ id: invitations.id })).length > 0
  );
}

/** The invitation of that id in the team. */
export async function invitationOfTeam(tx: Tx, teamId: string, id: string): Promise<InvitationRow | null> {
  if (!isStorable(id)) return null;
  return (await rows(tx).where(and(eq(invitations.teamId, teamId), eq(invitations.id, id))))[0] ?? null;
}

/** Ends what is left of a team's expired invitations, so that their addresses can be invited again. */
export async function deleteExpired(tx: Tx, teamId: string, now: Date): Promise<void> {
  await tx.build.delete(invitations).where(and(eq(invitations.teamId, teamId), lte(invitations.expiresAt, now)));
}

/** Ends the invitations to a team that a person has sent. @returns the ended ones */
export async function deleteInvitationsBy(
  tx: Tx,
  teamId: string,
  userId: string,
): Promise<{ id: string; email: string; role: Role }[]> {
  return tx.build
    .delete(invitations)
    .where(and(eq(invitations.teamId, teamId), eq(invitations.invitedBy, userId)))
    .returning({ id: columns.id, email: columns.email, role: columns.role });
}

/** @param email in lower case */
export async function isMemberByAddress(tx: Tx, teamId: string, email: string): Promise<boolean> {
  const memberRows = await tx.build
    .select({ userId: users.id })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
    .where(and(eq(users.email, email), eq(memberships.teamId, teamId)));
  return memberRows.length > 0;
}
