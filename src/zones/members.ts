// The members of a team. An `owner` changes members and the team's name; a `member` does everything else: zones, records
// and app keys. Every team keeps at least one owner.
import {
  countOwners,
  deleteMember,
  insertMember,
  type MemberRow,
  memberOf,
  membersOf,
  type Role,
  setRole,
  userByEmail,
  userById,
} from '../store/people.ts';
import { changeTeam, mustBeMember, mustBePerson, type TeamWork } from './account.ts';
import type { Actor } from './actor.ts';
import type { Caller, House } from './change.ts';
import { Refusal } from './refusal.ts';

export interface MemberView {
  userId: string;
  email: string;
  name: string;
  role: Role;
  /** Since when. */
  createdAt: string;
}

/** Exactly one of `userId` and `email`. */
export interface MemberInput {
  userId?: string | undefined;
  email?: string | undefined;
  role: Role;
}

function memberView(member: MemberRow): MemberView {
  return { ...member, createdAt: member.createdAt.toISOString() };
}

/** By e-mail address. @throws Refusal forbidden, not_found */
export async function readMembers(house: House, actor: Actor, teamId: string): Promise<MemberView[]> {
  await mustBeMember(house, actor, teamId);
  return (await membersOf(house.db, teamId)).map(memberView);
}

/** @throws Refusal forbidden (owners only), not_found (team, person), bad_request, conflict (is a member), busy */
export async function addMember(house: House, caller: Caller, teamId: string, input: MemberInput): Promise<MemberView> {
  const { userId, email, role } = input;
  if ((userId === undefined) === (email === undefined)) {
    throw new Refusal('bad_request', 'userId, email: give one of them.');
  }
  return changeTeam(house, caller, teamId, 'owner', async ({ tx, now }) => {
    const user = userId === undefined ? await userByEmail(tx, (email ?? '').toLowerCase()) : await userById(tx, userId);
    if (!user) {
      throw new Refusal(
        'not_found',
        `${userId === undefined ? 'email' : 'userId'}: no such person; whoever runs the service can add one with "zonestead users add".`,
      );
    }
    if (await memberOf(tx, teamId, user.id)) {
      throw new Refusal('conflict', `${user.email} is a member of this team already; change the role instead.`);
    }
    await insertMember(tx, { teamId, userId: user.id, role, createdAt: now });
    const answer = memberView({ userId: user.id, email: user.email, name: user.name, role, createdAt: now });
    return { answer, change: { action: 'member.add', subject: user.id, before: null, after: { role } } };
  });
}

/** @throws Refusal forbidden (owners only), not_found, conflict (the last owner), busy */
export async function changeMember(
  house: House,
  caller: Caller,
  teamId: string,
  userId: string,
  role: Role,
): Promise<MemberView> {
  return changeTeam(house, caller, teamId, 'owner', async (work) => {
    const member = await mustBeThere(work, userId);
    const answer = memberView({ ...member, role });
    if (member.role === role) return { answer, change: null };
    await mustLeaveAnOwner(work, member);
    await setRole(work.tx, teamId, userId, role);
    const change = {
      action: 'member.change',
      subject: userId,
      before: { role: member.role },
      after: { role },
    } as const;
    return { answer, change };
  });
}

/** A member may leave by itself; to remove somebody else takes an owner. @throws as changeMember */
export async function removeMember(house: House, caller: Caller, teamId: string, userId: string): Promise<void> {
  const leaves = mustBePerson(caller.actor).id === userId;
  await changeTeam(house, caller, teamId, leaves ? 'member' : 'owner', async (work) => {
    const member = await mustBeThere(work, userId);
    await mustLeaveAnOwner(work, member);
    await deleteMember(work.tx, teamId, userId);
    const before = { role: member.role };
    return { answer: null, change: { action: 'member.remove', subject: userId, before, after: null } };
  });
}

async function mustBeThere({ tx, team }: TeamWork, userId: string): Promise<MemberRow> {
  const member = await memberOf(tx, team.id, userId);
  if (!member) throw new Refusal('not_found', 'No such member of this team.');
  return member;
}

/** The lock on the team's row keeps two owners from leaving at once. */
async function mustLeaveAnOwner({ tx, team }: TeamWork, member: MemberRow): Promise<void> {
  if (member.role !== 'owner' || (await countOwners(tx, team.id)) > 1) return;
  throw new Refusal('conflict', 'This is the last owner of the team: make another member owner first.');
}
