// `zonestead users list`, `role` and `remove`: the members of a team.
import { listMembers, removeMember, updateMember } from '#contract/operations/teams.ts';
import { ROLES } from '#contract/people.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { parseOptions } from '../parse-options.ts';
import { describeRestCommand } from '../rest/command.ts';
import { showEffect } from '../rest/preview.ts';
import type { Session } from '../rest/session.ts';
import { memberOf, TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { formatMinute, table } from '../table.ts';
import { roleOption } from './invitations.ts';

const USER = { usage: '<user>', describe: 'e-mail address or id of a member' };

type RemoveOptions = TeamOption & DryRunOption & { revokeKeys?: boolean };

export const list = describeRestCommand({
  name: 'list',
  describe: 'list the members of a team with their roles',
  options: [TEAM_OPTION],
  run: (session, _args, { team }: TeamOption) => listUsers(session, team),
});

export const role = describeRestCommand({
  name: 'role',
  describe: 'change the role of a member, as an owner of the team',
  arguments: [USER, { usage: '<role>', describe: 'new role: owner or member', choices: ROLES }],
  options: [TEAM_OPTION],
  run: (session, [user = '', wanted = ''], { team }: TeamOption) => changeRole(session, { user, wanted }, team),
});

export const remove = describeRestCommand({
  name: 'remove',
  describe: 'remove a member from a team, as an owner of it, or leave the team',
  arguments: [USER],
  options: [
    TEAM_OPTION,
    { flags: '--revoke-keys', describe: 'revoke the API keys and trusts that the member created, too' },
    DRY_RUN_OPTION,
  ],
  run: (session, [user = ''], options: RemoveOptions) => removeUser(session, user, options),
});

async function listUsers(session: Session, team: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, team);
  const { members } = await client.call(listMembers, { params: { teamId } }, { signal });
  const rows = members.map((member) => [
    member.userId,
    member.email,
    member.role,
    String(member.validKeys),
    formatMinute(member.createdAt),
    member.name,
  ]);
  await show(session, { members }, () => table(['ID', 'EMAIL', 'ROLE', 'KEYS', 'MEMBER SINCE', 'NAME'], rows, print));
}

/** @throws Error if the user is not a member, and if the service refuses */
async function changeRole(
  session: Session,
  { user, wanted }: { user: string; wanted: string },
  given: string | undefined,
): Promise<void> {
  const { client, signal, print } = session;
  const body = parseOptions(roleOption, { role: wanted });
  const team = await teamOf(session, given);
  const userId = await memberOf(session, team, user);
  const member = await client.call(updateMember, { params: { teamId: team.id, userId }, body }, { signal });
  await show(session, member, () => print(`${member.email} is ${member.role} of team ${team.name}`));
}

/** @throws Error if the user is not a member, and if the service refuses */
async function removeUser(session: Session, user: string, options: RemoveOptions): Promise<void> {
  const { client, signal, print } = session;
  const team = await teamOf(session, options.team);
  const userId = await memberOf(session, team, user);
  const { dryRun, revokeKeys = false } = options;
  const more = revokeKeys ? ', with the API keys and trusts of that member' : '';
  if (dryRun) return showEffect(session, { remove: userId }, `would remove ${user} from team ${team.name}${more}`);
  const query = { revokeKeys: revokeKeys ? ('true' as const) : ('false' as const) };
  await client.call(removeMember, { params: { teamId: team.id, userId }, query }, { signal });
  await show(session, { removed: userId }, () => print(`removed ${user} from team ${team.name}${more}`));
}
