// The members of a team, their roles, and the open invitations. Owners change them, and every member may leave.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { judgeLifetime } from '#base/lifetime.ts';
import { inviteBody } from '#contract/invitation.ts';
import { memberChangeBody, ROLES } from '#contract/people.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { invite, readTeamInvitations } from '#service/accounts/invitations.ts';
import { changeMember, readMembers, removeMember } from '#service/accounts/members.ts';
import { readTeam } from '#service/accounts/teams.ts';
import type { ServiceContext } from '#service/context.ts';
import { readKeys } from '#service/credentials/keys.ts';
import { readTrusts } from '#service/credentials/trusts.ts';
import { refusal } from '#service/refusal.ts';

import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { readVisitor } from '../shell/session.ts';
import { done, showPage } from '../shell/views.ts';

interface OfTeam {
  Params: { teamId: string };
}
interface OfMember {
  Params: { teamId: string; userId: string };
}
interface Again {
  typed?: Typed;
  errors?: FormErrors;
}

export function membersAddress(teamId: string): string {
  return `/console/teams/${encodeURIComponent(teamId)}/members`;
}

/** @param again the refused form */
export async function membersPage(
  context: ServiceContext,
  request: FastifyRequest<OfTeam>,
  reply: FastifyReply,
  again: Again = {},
): Promise<FastifyReply> {
  const { teamId } = request.params;
  const team = await readTeam(context, requireActor(request), teamId);
  const members = await readMembers(context, requireActor(request), teamId);
  const invitations = await readTeamInvitations(context, requireActor(request), teamId);
  const title = `Members of ${team.name}`;
  const me = readVisitor(request).person.id;
  return showPage(request, reply, 'teams/members', { title, team, members, invitations, roles: ROLES, me, ...again });
}

/** Asks for confirmation before a member is removed, and lists the keys that the member created. */
async function removalPage(
  context: ServiceContext,
  request: FastifyRequest<OfMember>,
  reply: FastifyReply,
  again: Again = {},
): Promise<FastifyReply> {
  const { teamId, userId } = request.params;
  const team = await readTeam(context, requireActor(request), teamId);
  const member = (await readMembers(context, requireActor(request), teamId)).find((each) => each.userId === userId);
  if (!member) throw refusal('no-member');
  const isValid = (each: Parameters<typeof judgeLifetime>[0]) => judgeLifetime(each, context.now()) === 'valid';
  const keys = (await readKeys(context, requireActor(request), teamId))
    .filter((key) => key.mintedBy?.userId === userId && isValid(key))
    .map((key) => ({ ...key, page: 'apps' }));
  const trusts = (await readTrusts(context, requireActor(request), teamId))
    .filter((trust) => trust.createdBy?.userId === userId && isValid(trust))
    .map((trust) => ({ ...trust, page: 'trusts' }));
  const leaves = userId === readVisitor(request).person.id;
  const title = leaves ? `Leave ${team.name}` : `Remove ${member.email}`;
  return showPage(request, reply, 'teams/remove', {
    title,
    team,
    member,
    keys: [...keys, ...trusts],
    trusts: trusts.length,
    leaves,
    ...again,
  });
}

export function memberPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const members = '/teams/:teamId/members';

  app.get<OfTeam>(members, async (request, reply) => membersPage(context, request, reply));

  app.post<OfTeam>(members, { config: { counts: 'account' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { teamId } = request.params;
    return attemptForm(
      reply,
      ['email', 'role'],
      async () => {
        const input = judge(inviteBody, { email: textField(typed, 'email'), role: textField(typed, 'role') });
        const { email } = await invite(context, readCaller(request), teamId, input);
        const words = `${email} was invited. No e-mail is sent: the person sees the invitation after signing in.`;
        return done(request, reply, membersAddress(teamId), words);
      },
      (errors) => membersPage(context, request, reply, { typed, errors }),
    );
  });

  app.post<OfMember>(`${members}/:userId`, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, userId } = request.params;
    return attemptForm(
      reply,
      [],
      async () => {
        const { role } = judge(memberChangeBody, { role: textField(readTyped(request), 'role') });
        const { email } = await changeMember(context, readCaller(request), teamId, userId, role);
        return done(request, reply, membersAddress(teamId), `${email} is now ${role} of the team.`);
      },
      (errors) => membersPage(context, request, reply, { errors }),
    );
  });

  app.get<OfMember>(`${members}/:userId/remove`, async (request, reply) => removalPage(context, request, reply));

  app.post<OfMember>(`${members}/:userId/remove`, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, userId } = request.params;
    const typed = readTyped(request);
    return attemptForm(
      reply,
      [],
      async () => {
        const options = { revokeKeys: textField(typed, 'revokeKeys') === 'on' };
        const { revokedKeys } = await removeMember(context, readCaller(request), teamId, userId, options);
        const words = revokedKeys === 1 ? 'key or trust was' : 'keys and trusts were';
        const keys = revokedKeys === 0 ? '' : ` ${revokedKeys} ${words} revoked.`;
        if (userId === readVisitor(request).person.id) {
          return done(request, reply, '/console/teams', `You have left the team.${keys}`);
        }
        return done(request, reply, membersAddress(teamId), `The member was removed.${keys}`);
      },
      (errors) => removalPage(context, request, reply, { typed, errors }),
    );
  });
}
