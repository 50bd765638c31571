// Team → Members: who is in it, with which role. Owners change that; a member may leave.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '../api/auth.ts';
import { memberBody, memberChangeBody, ROLES } from '../api/schemas/people.ts';
import { addMember, changeMember, readMembers, removeMember } from '../zones/members.ts';
import { readTeam } from '../zones/teams.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import { visitorOf } from './session.ts';
import { done, show } from './views.ts';

interface OfTeam {
  Params: { teamId: string };
}
interface OfMember {
  Params: { teamId: string; userId: string };
}

export function memberPages(app: FastifyInstance, { house }: ConsoleParts): void {
  const members = '/teams/:teamId/members';
  const address = (teamId: string) => `/console/teams/${encodeURIComponent(teamId)}/members`;
  const page = async (
    request: FastifyRequest<OfTeam>,
    reply: FastifyReply,
    again: { typed?: Typed; errors?: FormErrors } = {},
  ) => {
    const { teamId } = request.params;
    const team = await readTeam(house, actorOf(request), teamId);
    const rows = await readMembers(house, actorOf(request), teamId);
    const isLastOwner = rows.filter(({ role }) => role === 'owner').length === 1;
    const data = { title: `Members of ${team.name}`, team, members: rows, roles: ROLES, isLastOwner };
    return show(request, reply, 'team/members', { ...data, me: visitorOf(request).person.id, ...again });
  };

  app.get<OfTeam>(members, async (request, reply) => page(request, reply));

  app.post<OfTeam>(members, async (request, reply) => {
    const typed = typedOf(request);
    return attempt(
      reply,
      ['email', 'role'],
      async () => {
        const input = judge(memberBody, { email: text(typed, 'email'), role: text(typed, 'role') });
        const { email, role } = await addMember(house, callerOf(request), request.params.teamId, input);
        return done(request, reply, address(request.params.teamId), `${email} is ${role} of the team now.`);
      },
      (errors) => page(request, reply, { typed, errors }),
    );
  });

  app.post<OfMember>(`${members}/:userId`, async (request, reply) => {
    const { teamId, userId } = request.params;
    return attempt(
      reply,
      [],
      async () => {
        const { role } = judge(memberChangeBody, { role: text(typedOf(request), 'role') });
        const { email } = await changeMember(house, callerOf(request), teamId, userId, role);
        return done(request, reply, address(teamId), `${email} is ${role} of the team now.`);
      },
      (errors) => page(request, reply, { errors }),
    );
  });

  app.post<OfMember>(`${members}/:userId/remove`, async (request, reply) => {
    const { teamId, userId } = request.params;
    return attempt(
      reply,
      [],
      async () => {
        await removeMember(house, callerOf(request), teamId, userId);
        const left = userId === visitorOf(request).person.id;
        if (left) return done(request, reply, '/console/teams', 'You have left the team.');
        return done(request, reply, address(teamId), 'The member is removed.');
      },
      (errors) => page(request, reply, { errors }),
    );
  });
}
