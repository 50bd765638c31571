// The members of a team. An `owner` changes members and the team's name; a `member` does everything else: zones,
// records and app keys. Every team keeps at least one owner. A person becomes a member by an invitation
// (invitations.ts).
import type { Tx } from '#store/database.ts';
import { deleteInvitationsBy } from '#store/invitations.ts';
import {
  deleteMember,
  findMember,
  hasOtherOwner,
  listTeamMembers,
  type MemberRow,
  type Role,
  setRole,
} from '#store/people.ts';
import { revokeKeyRow, validKeysMintedBy } from '#store/team-keys.ts';
import { revokeTrustRow, validTrustsMadeBy } from '#store/trusts.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { changeTeam, mustBeMember, mustBePerson, type TeamWork } from './account.ts';
import type { Actor } from './actor.ts';

interface MemberView {
  userId: string;
  email: string;
  name: string;
  role: Role;
  /** The time when the person became a member. */
  createdAt: string;
}

function memberView({ userId, email, name, role, createdAt }: MemberRow): MemberView {
  return { userId, email, name, role, createdAt: createdAt.toISOString() };
}

interface ListedMemberView extends MemberView {
  /** The valid app keys and trusts of the team that the member created. */
  validKeys: number;
}

/** By e-mail address. @throws Refusal forbidden, not_found */
export async function readMembers(context: ServiceContext, actor: Actor, teamId: string): Promise<ListedMemberView[]> {
  await mustBeMember(context, actor, teamId);
  return (await listTeamMembers(context.db, teamId)).map((row) => ({ ...memberView(row), validKeys: row.validKeys }));
}

/** @throws Refusal forbidden (owners only), not_found, conflict (the last owner), busy */
export async function changeMember(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  userId: string,
  role: Role,
): Promise<MemberView> {
  return changeTeam(context, caller, teamId, 'owner', async (work) => {
    const member = await mustBeInTeam(work, userId);
    const answer = memberView({ ...member, role });
    if (member.role === role) return { answer, change: null };
    await mustLeaveAnOwner(work, member);
    await setRole(work.tx, teamId, userId, role);
    const [before, after] = [{ role: member.role }, { role }];
    const change = { action: 'member.change', subject: userId, before, after } as const;
    return { answer, change: [change, ...(await endInvitations(work, userId))] };
  });
}

/**
 * Removes a member. Members may leave; only an owner may remove another member.
 * @param revokeKeys whether to revoke, in the same transaction, the valid app keys and trusts that the member created.
 * They belong to the team, but the member may have kept the secrets, or be a subject of the trusts.
 * @throws as changeMember
 */
export async function removeMember(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  userId: string,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<{ revokedKeys: number }> {
  const leaves = mustBePerson(caller.actor).id === userId;
  return changeTeam(context, caller, teamId, leaves ? 'member' : 'owner', async (work) => {
    const member = await mustBeInTeam(work, userId);
    await mustLeaveAnOwner(work, member);
    await deleteMember(work.tx, teamId, userId);
    const before = { role: member.role };
    const removal = { action: 'member.remove', subject: userId, before, after: null } as const;
    const endedInvitations = await endInvitations(work, userId);
    const revokedCredentials = revokeKeys ? await revokeMemberKeys(work, userId) : [];
    return {
      answer: { revokedKeys: revokedCredentials.length },
      change: [removal, ...endedInvitations, ...revokedCredentials],
    };
  });
}

/** Revokes the open invitations that a person sent who may no longer invite. @returns the history entries */
export async function endInvitations({ tx, team }: { tx: Tx; team: { id: string } }, userId: string) {
  const endedInvitations = await deleteInvitationsBy(tx, team.id, userId);
  return endedInvitations.map(
    ({ id, ...before }) => ({ action: 'invitation.revoke', subject: id, before, after: null }) as const,
  );
}

/** Revokes the valid app keys and trusts that a person created in the team. @returns the history entries */
export async function revokeMemberKeys(
  { tx, team, now }: Pick<TeamWork, 'tx' | 'now'> & { team: { id: string } },
  userId: string,
) {
  const keys = await validKeysMintedBy(tx, team.id, userId, now);
  for (const { id } of keys) await revokeKeyRow(tx, id, now);
  const trusts = await validTrustsMadeBy(tx, team.id, userId, now);
  for (const { id } of trusts) await revokeTrustRow(tx, id, now);
  const entry = (action: 'key.revoke' | 'trust.revoke', { id, name }: { id: string; name: string }) =>
    ({ action, subject: id, before: { name }, after: null }) as const;
  return [...keys.map((each) => entry('key.revoke', each)), ...trusts.map((each) => entry('trust.revoke', each))];
}

async function mustBeInTeam({ tx, team }: TeamWork, userId: string): Promise<MemberRow> {
  const member = await findMember(tx, team.id, userId);
  if (!member) throw refusal('no-member');
  return member;
}

/** The lock on the team's row prevents two owners from leaving at the same time. */
async function mustLeaveAnOwner({ tx, team }: TeamWork, member: MemberRow): Promise<void> {
  if (member.role !== 'owner' || (await hasOtherOwner(tx, team.id, member.userId))) return;
  throw refusal('last-owner');
}
