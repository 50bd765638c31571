// The members of a team, their roles, and the open invitations. Owners change them, and every member may leave.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { judgeLifetime } from '#base/lifetime.ts';
import { inviteBody } from '#contract/invitation.ts';
import { memberChangeBody, ROLES } from '#contract/people.ts';
import { actorOf, callerOf } from '#http/hooks/auth.ts';
import { invite, readTeamInvitations } from '#service/accounts/invitations.ts';
import { changeMember, readMembers, removeMember } from '#service/accounts/members.ts';
import { readTeam } from '#service/accounts/teams.ts';
import type { ServiceContext } from '#service/context.ts';
import { readKeys } from '#service/credentials/keys.ts';
import { readTrusts } from '#service/credentials/trusts.ts';
import { refusal } from '#service/refusal.ts';

import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from '../shell/forms.ts';
import { visitorOf } from '../shell/session.ts';
import { done, show } from '../shell/views.ts';

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
  const team = await readTeam(context, actorOf(request), teamId);
  const members = await readMembers(context, actorOf(request), teamId);
  const invitations = await readTeamInvitations(context, actorOf(request), teamId);
  const title = `Members of ${team.name}`;
  const me = visitorOf(request).person.id;
  return show(request, reply, 'teams/members', { title, team, members, invitations, roles: ROLES, me, ...again });
}

/** Asks for confirmation before a member is removed, and lists the keys that the member created. */
async function removalPage(
  context: ServiceContext,
  request: FastifyRequest<OfMember>,
  reply: FastifyReply,
  again: Again = {},
): Promise<FastifyReply> {
  const { teamId, userId } = request.params;
  const team = await readTeam(context, actorOf(request), teamId);
  const member = (await readMembers(context, actorOf(request), teamId)).find((each) => each.userId === userId);
  if (!member) throw refusal('no-member');
  const isValid = (each: Parameters<typeof judgeLifetime>[0]) => judgeLifetime(each, context.now()) === 'valid';
  const keys = (await readKeys(context, actorOf(request), teamId))
    .filter((key) => key.mintedBy?.userId === userId && isValid(key))
    .map((key) => ({ ...key, page: 'apps' }));
  const trusts = (await readTrusts(context, actorOf(request), teamId))
    .filter((trust) => trust.createdBy?.userId === userId && isValid(trust))
    .map((trust) => ({ ...trust, page: 'trusts' }));
  const leaves = userId === visitorOf(request).person.id;
  const title = leaves ? `Leave ${team.name}` : `Remove ${member.email}`;
  return show(request, reply, 'teams/remove', {
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
    const typed = typedOf(request);
    const { teamId } = request.params;
    return attempt(
      reply,
      ['email', 'role'],
      async () => {
        const input = judge(inviteBody, { email: text(typed, 'email'), role: text(typed, 'role') });
        const { email } = await invite(context, callerOf(request), teamId, input);
        const words = `${email} was invited. No e-mail is sent: the person sees the invitation after signing in.`;
        return done(request, reply, membersAddress(teamId), words);
      },
      (errors) => membersPage(context, request, reply, { typed, errors }),
    );
  });

  app.post<OfMember>(`${members}/:userId`, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, userId } = request.params;
    return attempt(
      reply,
      [],
      async () => {
        const { role } = judge(memberChangeBody, { role: text(typedOf(request), 'role') });
        const { email } = await changeMember(context, callerOf(request), teamId, userId, role);
        return done(request, reply, membersAddress(teamId), `${email} is now ${role} of the team.`);
      },
      (errors) => membersPage(context, request, reply, { errors }),
    );
  });

  app.get<OfMember>(`${members}/:userId/remove`, async (request, reply) => removalPage(context, request, reply));

  app.post<OfMember>(`${members}/:userId/remove`, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, userId } = request.params;
    const typed = typedOf(request);
    return attempt(
      reply,
      [],
      async () => {
        const options = { revokeKeys: text(typed, 'revokeKeys') === 'on' };
        const { revokedKeys } = await removeMember(context, callerOf(request), teamId, userId, options);
        const words = revokedKeys === 1 ? 'key or trust was' : 'keys and trusts were';
        const keys = revokedKeys === 0 ? '' : ` ${revokedKeys} ${words} revoked.`;
        if (userId === visitorOf(request).person.id) {
          return done(request, reply, '/console/teams', `You have left the team.${keys}`);
        }
        return done(request, reply, membersAddress(teamId), `The member was removed.${keys}`);
      },
      (errors) => removalPage(context, request, reply, { typed, errors }),
    );
  });
}
