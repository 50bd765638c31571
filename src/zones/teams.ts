// Teams: list, create, rename. Whoever creates a team is its first owner.
import { insertAccountChange } from '../store/account-changes.ts';
import { sqlFailure } from '../store/database.ts';
import { insertTeam, keyStanding } from '../store/keys.ts';
import { insertMember, type Role, renameTeam, type TeamRow, teamsOf } from '../store/people.ts';
import { accountHistory, changeTeam, mustBePerson, noTeam } from './account.ts';
import type { Actor } from './actor.ts';
import { type Caller, type House, keyRevoked, once } from './change.ts';
import { Refusal } from './refusal.ts';

export interface TeamView {
  id: string;
  name: string;
  /** Of the person who asks. */
  role: Role;
  createdAt: string;
}

function teamView({ id, name, createdAt }: TeamRow, role: Role): TeamView {
  return { id, name, role, createdAt: createdAt.toISOString() };
}

/** The teams of the person, by name. @throws Refusal forbidden */
export async function readTeams(house: House, actor: Actor): Promise<TeamView[]> {
  return (await teamsOf(house.db, mustBePerson(actor).id)).map((team) => teamView(team, team.role));
}

/** @throws Refusal forbidden, not_found */
export async function readTeam(house: House, actor: Actor, teamId: string): Promise<TeamView> {
  const team = (await readTeams(house, actor)).find((each) => each.id === teamId);
  if (!team) throw noTeam();
  return team;
}

/** @throws Refusal forbidden, conflict (the name is taken) */
export async function createTeam(house: House, caller: Caller, name: string): Promise<TeamView> {
  const person = mustBePerson(caller.actor);
  return orTaken(
    name,
    once(house, caller, async (tx) => {
      const now = house.now();
      const standing = await keyStanding(tx, caller.actor.keyId, { teamId: null }, now);
      if (!standing.valid) throw keyRevoked();
      const team = { id: newTeamId(house.random), name, createdAt: now };
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
  );
}

/** @throws Refusal forbidden (owners only), not_found, conflict (the name is taken), busy */
export async function changeTeamName(house: House, caller: Caller, teamId: string, name: string): Promise<TeamView> {
  return orTaken(
    name,
    changeTeam(house, caller, teamId, 'owner', async ({ tx, team, role }) => {
      const answer = teamView({ ...team, name }, role);
      if (team.name === name) return { answer, change: null };
      await renameTeam(tx, team.id, name);
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
    throw new Refusal('conflict', `name: the name ${JSON.stringify(name)} is taken; choose another one.`);
  }
}
