// Applies the memberships that a provider's groups grant. A rule names a team by its id, or by a name that is bound to
// an id: the first sign-in creates the team and binds the name. An existing team with this name is never bound by
// itself, because the people and keys in it would reach the zones of the group; an administrator can bind it
// (team-administration.ts).
import { insertAccountChange } from '#store/account-changes.ts';
import type { Tx } from '#store/database.ts';
import { insertTeam, teamByName } from '#store/keys.ts';
import { deleteMember, findMember, insertMember, lockTeam, type Role, setRole } from '#store/people.ts';
import { bindTeam, boundTeamId } from '#store/team-bindings.ts';
import type { ServiceContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { endInvitations } from './members.ts';
import { mustHaveRoomForMember } from './quota.ts';
import { newTeamId } from './teams.ts';

/** A text of this form in a rule is the id of a team, never its name. */
export const TEAM_ID = /^team_[0-9a-f]{12}$/;

interface SignIn {
  userId: string;
  /** The id of the session's key, for the history. */
  keyId: string;
  requestId: string;
}

/** The reason why a person was not added to a team of a rule. */
export interface Withheld {
  /** The team as the rule names it. */
  team: string;
  /** The message for the person. */
  sentence: string;
}

/**
 * Sets the memberships of a person to `roles` (the role by team of the rules; null: no longer a member). This may
 * remove a team's last owner. Memberships in teams that no rule names stay as they are.
 * @returns the teams that the person was not added to
 */
export async function giveRoles(
  tx: Tx,
  context: ServiceContext,
  signIn: SignIn,
  roles: ReadonlyMap<string, Role | null>,
): Promise<Withheld[]> {
  const withheldRoles: Withheld[] = [];
  // All sign-ins lock teams in the same order, so that two sign-ins cannot deadlock.
  for (const [team, role] of [...roles].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const teamResult = await teamOfRule(tx, context, signIn, team, role !== null);
    const why = teamResult.id === null ? teamResult.why : await giveRole(tx, context, signIn, teamResult.id, role);
    if (why !== null && role !== null) withheldRoles.push({ team, sentence: why });
  }
  return withheldRoles;
}

type Found = { id: string } | { id: null; why: string };

/** Finds and locks the team. @param create whether to create a team that does not exist */
async function teamOfRule(
  tx: Tx,
  context: ServiceContext,
  signIn: SignIn,
  team: string,
  create: boolean,
): Promise<Found> {
  const id = TEAM_ID.test(team) ? team : await boundTeamId(tx, team);
  if (id !== null) {
    if (await lockTeam(tx, id)) return { id };
    return { id: null, why: `A rule for your groups names the team ${team}, which does not exist.` };
  }
  if (await teamByName(tx, team)) {
    const bind = `zonestead admin teams bind ${JSON.stringify(team)}`;
    return {
      id: null,
      why: `A rule for your groups names the team "${team}". A team of that name was made by hand, so you were not added to it. The administrator of this service can bind the rule to a team with: ${bind}`,
    };
  }
  return create ? { id: await createBoundTeam(tx, context, signIn, team) } : { id: null, why: '' };
}

/** @throws SQLSTATE 23505 if another transaction creates the team at the same time */
async function createBoundTeam(
  tx: Tx,
  context: ServiceContext,
  { keyId, requestId }: SignIn,
  name: string,
): Promise<string> {
  const id = newTeamId(context.random);
  const now = context.now();
  await insertTeam(tx, { id, name, createdAt: now });
  await bindTeam(tx, name, id, now);
  const entry = { teamId: id, keyId, subject: id, before: null, requestId, at: now };
  await insertAccountChange(tx, { ...entry, action: 'team.create', after: { name } });
  await insertAccountChange(tx, { ...entry, action: 'team.bind', after: { rule: name } });
  return id;
}

/** @returns the message of a refusal by the team's quota of members; null if the person has the role now */
async function giveRole(
  tx: Tx,
  context: ServiceContext,
  { userId, keyId, requestId }: SignIn,
  teamId: string,
  role: Role | null,
): Promise<string | null> {
  const before = (await findMember(tx, teamId, userId))?.role ?? null;
  if (before === role) return null;
  const full = before === null ? await membersAreFull(tx, context, teamId) : null;
  if (full !== null) return full;
  const at = context.now();
  if (role === null) await deleteMember(tx, teamId, userId);
  else if (before === null) await insertMember(tx, { teamId, userId, role, createdAt: at });
  else await setRole(tx, teamId, userId, role);
  const change = {
    action: role === null ? 'member.remove' : before === null ? 'member.add' : 'member.change',
    subject: userId,
    before: before === null ? null : { role: before },
    after: role === null ? null : { role },
  } as const;
  const endedInvitations = before === 'owner' ? await endInvitations({ tx, team: { id: teamId } }, userId) : [];
  for (const each of [change, ...endedInvitations])
    await insertAccountChange(tx, { ...each, teamId, keyId, requestId, at });
  return null;
}

async function membersAreFull(tx: Tx, context: ServiceContext, teamId: string): Promise<string | null> {
  try {
    await mustHaveRoomForMember(tx, context, teamId);
    return null;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'forbidden') return error.message;
    throw error;
  }
}
