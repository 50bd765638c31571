// Invitations: a person becomes a member of a team only with their consent. An owner invites an e-mail address, and the
// person with this address accepts or declines. An address without an account is treated in the same way, so that an
// inviter cannot find out which addresses have accounts; the invitation stays open until the person has one.
//
//   owner invites ──► open ──► accepted (membership)
//                      ├─────► declined by the person, revoked by an owner
//                      ├─────► ended with the inviter's ownership
//                      └─────► expired after 30 days
import { insertAccountChange } from '#store/account-changes.ts';
import { sqlFailure } from '#store/database.ts';
import {
  countInvitationsOfAddress,
  countOpen,
  deleteExpired,
  deleteInvitation,
  type InvitationRow,
  insertInvitation,
  invitationOfTeam,
  invitationsOfAddress,
  invitationsOfTeam,
  invitationTo,
  isMemberByAddress,
  type OpenInvitations,
} from '#store/invitations.ts';
import { keyStanding } from '#store/keys.ts';
import { findMember, insertMember, lockTeam, type Role } from '#store/people.ts';
import { inTurn } from '../change/locked.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { accountHistory, changeTeam, mustBeMember, mustBePerson, teamBusy } from './account.ts';
import type { Actor } from './actor.ts';
import { mustHaveRoomForTeam } from './memberships.ts';
import { mustHaveRoomForMember } from './quota.ts';
import { type TeamView, teamView } from './teams.ts';

const INVITATION_MS = 30 * 24 * 60 * 60 * 1000;

/** The limits of open invitations. */
const MAX_INVITATIONS: Readonly<OpenInvitations> = { ofTeam: 50, ofInviter: 50, toAddress: 100 };

/** An invitation as the members of the team see it. */
interface TeamInvitationView {
  id: string;
  email: string;
  role: Role;
  /** The address of the inviter. */
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
}

/** An invitation as the invited person sees it. */
type InvitationView = Omit<TeamInvitationView, 'email'> & { team: { id: string; name: string } };

function teamInvitationView({ id, email, role, invitedBy, createdAt, expiresAt }: InvitationRow): TeamInvitationView {
  return { id, email, role, invitedBy, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** The open invitations of a team, by address. @throws Refusal forbidden, not_found */
export async function readTeamInvitations(
  context: ServiceContext,
  actor: Actor,
  teamId: string,
): Promise<TeamInvitationView[]> {
  await mustBeMember(context, actor, teamId);
  return (await invitationsOfTeam(context.db, teamId, context.now())).map(teamInvitationView);
}

/** The open invitations to the person, the newest first. @throws Refusal forbidden */
export async function readInvitations(context: ServiceContext, actor: Actor): Promise<InvitationView[]> {
  const { email } = mustBePerson(actor);
  const rows = await invitationsOfAddress(context.db, email, context.now(), MAX_INVITATIONS.toAddress);
  return rows.map((row) => {
    const { email: _, ...view } = teamInvitationView(row);
    return { ...view, team: { id: row.teamId, name: row.teamName } };
  });
}

/** The number of open invitations to the person. */
export async function countInvitations(context: ServiceContext, email: string): Promise<number> {
  return countInvitationsOfAddress(context.db, email, context.now());
}

/**
 * Invites an address to a team.
 * @throws Refusal forbidden (owners only), not_found (team), conflict (already a member, already invited, too many open
 * invitations), busy
 */
export async function invite(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  input: { email: string; role: Role },
): Promise<TeamInvitationView> {
  const inviter = mustBePerson(caller.actor);
  const [email, role] = [input.email.toLowerCase(), input.role];
  const invited = changeTeam(context, caller, teamId, 'owner', async ({ tx, team, now }) => {
    if (await isMemberByAddress(tx, team.id, email)) {
      throw refusal('member-already', { email });
    }
    await deleteExpired(tx, team.id, now);
    mustHaveRoomForInvitation(await countOpen(tx, { teamId: team.id, invitedBy: inviter.id, email }, now));
    const id = `inv_${context.random(6).toString('hex')}`;
    const [createdAt, expiresAt] = [now, new Date(now.getTime() + INVITATION_MS)];
    await insertInvitation(tx, { id, teamId: team.id, email, role, invitedBy: inviter.id, createdAt, expiresAt });
    const row = { id, teamId: team.id, teamName: team.name, email, role, invitedBy: inviter.email };
    const change = { action: 'invitation.create', subject: id, before: null, after: { email, role } } as const;
    return { answer: teamInvitationView({ ...row, createdAt, expiresAt }), change };
  });
  return invited.catch((error) => {
    if (sqlFailure(error)?.constraint !== 'invitations_team_email_key') throw error;
    throw refusal('invited-already', { email });
  });
}

/** @throws Refusal conflict */
function mustHaveRoomForInvitation(open: OpenInvitations): void {
  const most = MAX_INVITATIONS;
  if (open.ofTeam >= most.ofTeam) {
    throw refusal('team-invitations', { limit: most.ofTeam });
  }
  if (open.ofInviter >= most.ofInviter) {
    throw refusal('sent-invitations', { limit: most.ofInviter });
  }
  if (open.toAddress >= most.toAddress) {
    throw refusal('received-invitations', { limit: most.toAddress });
  }
}

/** @throws Refusal forbidden (owners only), not_found, busy */
export async function revokeInvitation(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  id: string,
): Promise<void> {
  await changeTeam(context, caller, teamId, 'owner', async ({ tx, team }) => {
    const invitation = await invitationOfTeam(tx, team.id, id);
    if (!invitation || !(await deleteInvitation(tx, id))) {
      throw refusal('no-invitation');
    }
    const { email, role } = invitation;
    return {
      answer: null,
      change: { action: 'invitation.revoke', subject: id, before: { email, role }, after: null },
    };
  });
}

/**
 * Makes the person a member. An existing member keeps their role.
 * @returns the team
 * @throws Refusal forbidden (app key, the team's quota of members), not_found (no open invitation to this person),
 * conflict (in too many teams), busy
 */
export async function acceptInvitation(context: ServiceContext, caller: Caller, id: string): Promise<TeamView> {
  const person = mustBePerson(caller.actor);
  return teamBusy(
    inTurn(context, caller, [person.id], async (tx) => {
      const now = context.now();
      const { teamId, role } = orGone(await invitationTo(tx, id, person.email, now));
      const team = orGone(await lockTeam(tx, teamId));
      const [standing, member] = await Promise.all([
        keyStanding(tx, caller.actor.keyId, { teamId: null }, now),
        findMember(tx, teamId, person.id),
      ]);
      if (!standing.valid) throw keyRevoked();
      // The invitation may have been revoked while this request waited for the team's lock.
      if (!(await deleteInvitation(tx, id))) throw gone();
      if (member) return teamView(team, member.role);
      await mustHaveRoomForMember(tx, context, teamId);
      await mustHaveRoomForTeam(tx, person.id);
      await insertMember(tx, { teamId, userId: person.id, role, createdAt: now });
      const change = {
        action: 'member.add',
        subject: person.id,
        before: null,
        after: { role, invitation: id },
      } as const;
      await insertAccountChange(tx, { ...change, ...accountHistory(caller, teamId, now) });
      return teamView(team, role);
    }),
  );
}

/** @throws Refusal forbidden (app key), not_found, busy */
export async function declineInvitation(context: ServiceContext, caller: Caller, id: string): Promise<void> {
  const person = mustBePerson(caller.actor);
  await teamBusy(
    inTurn(context, caller, [person.id], async (tx) => {
      const now = context.now();
      const { teamId, email, role } = orGone(await invitationTo(tx, id, person.email, now));
      if (!(await deleteInvitation(tx, id))) throw gone();
      const standing = await keyStanding(tx, caller.actor.keyId, { teamId: null }, now);
      if (!standing.valid) throw keyRevoked();
      const change = { action: 'invitation.decline', subject: id, before: { email, role }, after: null } as const;
      await insertAccountChange(tx, { ...change, ...accountHistory(caller, teamId, now) });
      return null;
    }),
  );
}

function gone(): Refusal {
  return refusal('invitation-gone');
}

function orGone<T>(value: T | null): T {
  if (value === null) throw gone();
  return value;
}
