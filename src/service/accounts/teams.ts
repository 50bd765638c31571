// Teams: list, create, rename. The person who creates a team is its first owner.
import { insertAccountChange } from '#store/account-changes.ts';
import { sqlFailure } from '#store/database.ts';
import { insertTeam, keyStanding } from '#store/keys.ts';
import { insertMember, listUserTeams, type Role, renameTeamRow, type TeamRow } from '#store/people.ts';
import { inTurn } from '../change/locked.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { accountHistory, changeTeam, mustBePerson, noTeam, teamBusy } from './account.ts';
import type { Actor } from './actor.ts';
import { mustHaveRoomForTeam } from './memberships.ts';
import { type QuotaView, readTeamQuota } from './quota-view.ts';

export interface TeamView {
  id: string;
  name: string;
  /** The role of the person who makes the request. */
  role: Role;
  createdAt: string;
}

export function teamView({ id, name, createdAt }: TeamRow, role: Role): TeamView {
  return { id, name, role, createdAt: createdAt.toISOString() };
}

/** The teams of the person, by name. @throws Refusal forbidden */
export async function readTeams(context: ServiceContext, actor: Actor): Promise<TeamView[]> {
  return (await listUserTeams(context.db, mustBePerson(actor).id)).map((team) => teamView(team, team.role));
}

/** @throws Refusal forbidden, not_found */
export async function readTeam(context: ServiceContext, actor: Actor, teamId: string): Promise<TeamView> {
  const team = (await readTeams(context, actor)).find((each) => each.id === teamId);
  if (!team) throw noTeam();
  return team;
}

/** The team with its quota. @throws as readTeam */
export async function readTeamDetail(
  context: ServiceContext,
  actor: Actor,
  teamId: string,
): Promise<TeamView & { quota: QuotaView }> {
  const team = await readTeam(context, actor, teamId);
  return { ...team, quota: await readTeamQuota(context, teamId) };
}

/** @throws Refusal forbidden, conflict (the name is taken, in too many teams) */
export async function createTeam(context: ServiceContext, caller: Caller, name: string): Promise<TeamView> {
  const person = mustBePerson(caller.actor);
  return orTaken(
    name,
    teamBusy(
      inTurn(context, caller, [person.id], async (tx) => {
        const now = context.now();
        const standing = await keyStanding(tx, caller.actor.keyId, { teamId: null }, now);
        if (!standing.valid) throw keyRevoked();
        await mustHaveRoomForTeam(tx, person.id);
        const team = { id: newTeamId(context.random), name, createdAt: now };
        await insertTeam(tx, team);
        await insertMember(tx, { teamId: team.id, userId: person.id, role: 'owner', createdAt: now });
        await insertAccountChange(tx, {
          ...accountHistory(caller, team.id, now),
          action: 'team.create',
          subject: team.id,
          before: null,
          after: { name, owner: person.id },
        });
        return teamView(team, 'owner');
      }),
    ),
  );
}

/** @throws Refusal forbidden (owners only), not_found, conflict (the name is taken), busy */
export async function changeTeamName(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  name: string,
): Promise<TeamView> {
  return orTaken(
    name,
    changeTeam(context, caller, teamId, 'owner', async ({ tx, team, role }) => {
      const answer = teamView({ ...team, name }, role);
      if (team.name === name) return { answer, change: null };
      await renameTeamRow(tx, team.id, name);
      const change = { action: 'team.rename', subject: team.id, before: { name: team.name }, after: { name } } as const;
      return { answer, change };
    }),
  );
}

export function newTeamId(random: (bytes: number) => Buffer): string {
  return `team_${random(6).toString('hex')}`;
}

async function orTaken<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlFailure(error)?.constraint !== 'teams_name_key') throw error;
    throw refusal('team-name-taken', { name: JSON.stringify(name) });
  }
}
