// `zonestead users invite`, `invitations`, `accept`, `decline` and `uninvite`
import { z } from 'zod';
import { inviteBody } from '#contract/invitation.ts';
import * as invitationApi from '#contract/operations/invitations.ts';
import { ROLES, role } from '#contract/people.ts';
import { show } from '../output.ts';
import { parseFields } from '../parse-options.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { requirePerson, TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { table } from '../table.ts';

/** A role as a word of the command line. */
export const roleOption = z.object({ role });

const INVITATION = { usage: '<invitation>', describe: 'id of the invitation, as "users invitations" prints it' };

type InviteOptions = TeamOption & { role: string };

export const invite = describeRestCommand({
  name: 'invite',
  describe: 'invite a person to a team, as an owner of it',
  arguments: [{ usage: '<email>', describe: 'e-mail address of the person' }],
  options: [TEAM_OPTION, { flags: '--role <role>', describe: 'role in the team', choices: ROLES, default: 'member' }],
  notes: 'The service sends no e-mail. The person accepts with "zonestead users accept", or in the console.',
  run: (session, [email = ''], options: InviteOptions) => inviteUser(session, email, options),
});

export const invitations = describeRestCommand({
  name: 'invitations',
  describe: 'list your open invitations, or with --team those of a team',
  options: [{ ...TEAM_OPTION, describe: 'team by name or by id, whose invitations are listed' }],
  run: (session, _args, { team }: TeamOption) => (team === undefined ? listOwn(session) : listOfTeam(session, team)),
});

export const accept = describeRestCommand({
  name: 'accept',
  describe: 'accept an invitation: you become a member of the team',
  arguments: [INVITATION],
  run: (session, [invitationId = '']) => acceptOne(session, invitationId),
});

export const decline = describeRestCommand({
  name: 'decline',
  describe: 'decline an invitation',
  arguments: [INVITATION],
  run: (session, [invitationId = '']) => declineOne(session, invitationId),
});

export const uninvite = describeRestCommand({
  name: 'uninvite',
  describe: 'revoke an invitation to a team, as an owner of it',
  arguments: [{ ...INVITATION, describe: 'id of the invitation, as "users invitations --team" prints it' }],
  options: [TEAM_OPTION],
  run: (session, [invitationId = ''], { team }: TeamOption) => revokeOne(session, invitationId, team),
});

/** @throws Error if the service refuses */
async function inviteUser(session: Session, email: string, options: InviteOptions): Promise<void> {
  const { client, signal, print } = session;
  const given = { email, role: options.role };
  const body = parseFields(inviteBody, given, (field) => (field === 'email' ? `<email> ${email}` : `--${field}`));
  const team = await teamOf(session, options.team);
  const made = await client.call(invitationApi.inviteMember, { params: { teamId: team.id }, body }, { signal });
  await show(session, made, () =>
    print(`invited ${made.email} to team ${team.name} as ${made.role}: ${made.id}, open until ${made.expiresAt}`),
  );
}

async function listOwn(session: Session): Promise<void> {
  const { client, signal, print } = session;
  await requirePerson(session);
  const { invitations: open } = await client.call(invitationApi.listInvitations, {}, { signal });
  const rows = open.map(({ id, team, role: as, invitedBy, expiresAt }) => [id, team.name, as, invitedBy, expiresAt]);
  await show(session, { invitations: open }, () => {
    if (open.length === 0) print('no open invitations');
    else table(['ID', 'TEAM', 'ROLE', 'INVITED BY', 'OPEN UNTIL'], rows, print);
  });
}

async function listOfTeam(session: Session, given: string): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, given);
  const { invitations: open } = await client.call(
    invitationApi.listTeamInvitations,
    { params: { teamId } },
    { signal },
  );
  const rows = open.map(({ id, email, role: as, invitedBy, expiresAt }) => [id, email, as, invitedBy, expiresAt]);
  await show(session, { invitations: open }, () => {
    if (open.length === 0) print('no open invitations');
    else table(['ID', 'EMAIL', 'ROLE', 'INVITED BY', 'OPEN UNTIL'], rows, print);
  });
}

/** @throws Error if the invitation does not exist */
async function acceptOne(session: Session, invitationId: string): Promise<void> {
  const { client, signal, print } = session;
  await requirePerson(session);
  const team = await client.call(invitationApi.acceptInvitation, { params: { invitationId } }, { signal });
  await show(session, team, () => print(`you are ${team.role} of team ${team.name} (${team.id})`));
}

/** @throws Error if the invitation does not exist */
async function declineOne(session: Session, invitationId: string): Promise<void> {
  const { client, signal, print } = session;
  await requirePerson(session);
  await client.call(invitationApi.declineInvitation, { params: { invitationId } }, { signal });
  await show(session, { declined: invitationId }, () => print(`declined the invitation ${invitationId}`));
}

/** @throws Error if the team has no such invitation */
async function revokeOne(session: Session, invitationId: string, given: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, given);
  await client.call(invitationApi.revokeInvitation, { params: { teamId, invitationId } }, { signal });
  await show(session, { revoked: invitationId }, () => print(`revoked the invitation ${invitationId}`));
}
