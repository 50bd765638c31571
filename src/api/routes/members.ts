// The members of a team over HTTP. src/service/accounts/members.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { member, memberChangeBody, memberList, memberParams, memberRemoval, teamParams } from '#contract/people.ts';
import { changeMember, readMembers, removeMember } from '#service/accounts/members.ts';
import type { ServiceContext } from '#service/context.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['account'];
const WRITE_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy');

export function memberRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/:teamId/members',
    {
      schema: {
        tags: TAGS,
        operationId: 'listMembers',
        summary: 'List the members of a team',
        description: 'Each member is listed with the role and the number of valid app keys that the member created.',
        security: needs('member'),
        params: teamParams,
        response: { 200: memberList, ...errorAnswers('bad_request', 'forbidden', 'not_found') },
      },
    },
    async (request) => ({ members: await readMembers(context, actorOf(request), request.params.teamId) }),
  );

  routes.patch(
    '/:teamId/members/:userId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'updateMember',
        summary: 'Change the role of a member',
        description: 'A team must keep at least one owner.',
        security: needs('owner'),
        params: memberParams,
        body: memberChangeBody,
        response: { 200: member, ...WRITE_ERRORS },
      },
    },
    async (request) => {
      const { teamId, userId } = request.params;
      return changeMember(context, callerOf(request), teamId, userId, request.body.role);
    },
  );

  routes.delete(
    '/:teamId/members/:userId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'removeMember',
        summary: 'Remove a member from a team, or leave it',
        description:
          'Owners can remove every member. Members can remove themselves. A team must keep at least one owner.',
        security: needs('owner'),
        params: memberParams,
        querystring: memberRemoval,
        response: { 204: z.null(), ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const { teamId, userId } = request.params;
      await removeMember(context, callerOf(request), teamId, userId, { revokeKeys: request.query.revokeKeys });
      return reply.code(204).send(null);
    },
  );
}
