// The person who calls a command, and the team that the command is about.
import { getAccount } from '#contract/operations/account.ts';
import { listMembers } from '#contract/operations/teams.ts';
import type { OptionDescription } from '../command.ts';
import type { Session } from './session.ts';

export interface TeamOption {
  team?: string;
}

/** A team of a person. */
export interface OwnTeam {
  id: string;
  name: string;
}

/** For commands about one team. */
export const TEAM_OPTION: OptionDescription = {
  flags: '--team <team>',
  describe: 'team by name or by id (default: your only team)',
};

/** In the help of groups about teams. */
export const NEEDS_PERSON = 'with the key of a person';

/** The teams of the person whose key it is. @throws Error for the key of an app, which may not see teams */
async function teamsOf({ client, signal }: Session): Promise<readonly OwnTeam[]> {
  const { user, team, teams = [] } = await client.call(getAccount, {}, { signal });
  if (user !== undefined) return teams;
  const holder = team === undefined ? '' : ` of the team ${JSON.stringify(team.name)}`;
  throw new Error(
    `ZONESTEAD_API_KEY is the key of an app${holder}, and this command needs the key of a person (yu_…). An administrator creates one with "zonestead admin users add"`,
  );
}

/** @throws Error for the key of an app, which says what to do more exactly than the refusal of the service */
export async function requirePerson(session: Session): Promise<void> {
  await teamsOf(session);
}

/**
 * @param given the name or the id of a team
 * @throws Error that names the teams of the person if none is meant
 */
export async function teamOf(session: Session, given: string | undefined): Promise<OwnTeam> {
  const teams = await teamsOf(session);
  const [only, ...others] = teams;
  if (only === undefined) {
    throw new Error(
      'you are not a member of any team; create one with "zonestead teams create", or accept an invitation ("zonestead users invitations")',
    );
  }
  const names = teams.map(({ name }) => JSON.stringify(name)).join(', ');
  if (given === undefined) {
    if (others.length === 0) return only;
    throw new Error(`you are a member of several teams; name one with --team: ${names}`);
  }
  const found = teams.find(({ id }) => id === given) ?? teams.find(({ name }) => name === given);
  if (found !== undefined) return found;
  throw new Error(`you are not a member of a team ${JSON.stringify(given)}; your teams are ${names}`);
}

/**
 * The id of a member.
 * @param given an id or an e-mail address
 * @throws Error if no member has it
 */
export async function memberOf({ client, signal }: Session, team: OwnTeam, given: string): Promise<string> {
  const { members } = await client.call(listMembers, { params: { teamId: team.id } }, { signal });
  const wanted = given.toLowerCase();
  const found = members.find(({ userId, email }) => userId === given || email.toLowerCase() === wanted);
  if (found !== undefined) return found.userId;
  throw new Error(
    `${given} is not a member of the team ${JSON.stringify(team.name)}; "zonestead users list --team ${team.id}" lists the members`,
  );
}
