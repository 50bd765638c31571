// The members of a team over HTTP. What they mean stands in zones/members.ts.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { House } from '../../zones/change.ts';
import { addMember, changeMember, readMembers, removeMember } from '../../zones/members.ts';
import { actorOf, callerOf } from '../auth.ts';
import { member, memberBody, memberChangeBody, memberList, memberParams, teamParams } from '../schemas/people.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['account'];
const WRITE_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'busy');

export function memberRoutes(app: FastifyInstance, house: House): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/:teamId/members',
    {
      schema: {
        tags: TAGS,
        summary: 'List the members of a team',
        params: teamParams,
        response: { 200: memberList, ...errorAnswers('bad_request', 'forbidden', 'not_found') },
      },
    },
    async (request) => ({ members: await readMembers(house, actorOf(request), request.params.teamId) }),
  );

  routes.post(
    '/:teamId/members',
    {
      schema: {
        tags: TAGS,
        summary: 'Add a person to a team (owners)',
        params: teamParams,
        body: memberBody,
        response: { 201: member, ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const added = await addMember(house, callerOf(request), request.params.teamId, request.body);
      return reply.code(201).send(added);
    },
  );

  routes.patch(
    '/:teamId/members/:userId',
    {
      schema: {
        tags: TAGS,
        summary: 'Change the role of a member (owners)',
        params: memberParams,
        body: memberChangeBody,
        response: { 200: member, ...WRITE_ERRORS },
      },
    },
    async (request) => {
      const { teamId, userId } = request.params;
      return changeMember(house, callerOf(request), teamId, userId, request.body.role);
    },
  );

  routes.delete(
    '/:teamId/members/:userId',
    {
      schema: {
        tags: TAGS,
        summary: 'Remove a member (owners), or leave',
        params: memberParams,
        response: { 204: z.null(), ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      await removeMember(house, callerOf(request), request.params.teamId, request.params.userId);
      return reply.code(204).send(null);
    },
  );
}
