// Invitations over HTTP: those of a team for its members, and those to a person. src/service/accounts/invitations.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  invitationList,
  invitationParams,
  inviteBody,
  teamInvitation,
  teamInvitationList,
  teamInvitationParams,
} from '#contract/invitation.ts';
import { team, teamParams } from '#contract/people.ts';
import {
  acceptInvitation,
  declineInvitation,
  invite,
  readInvitations,
  readTeamInvitations,
  revokeInvitation,
} from '#service/accounts/invitations.ts';
import type { ServiceContext } from '#service/context.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['account'];
const READ_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found');
const WRITE_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy');

/** Below /account/teams. */
export function teamInvitationRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.post(
    '/:teamId/members',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'inviteMember',
        summary: 'Invite a person to a team',
        security: needs('owner'),
        description:
          'The service sends no e-mail: the person sees the invitation after signing in. The answer does not reveal whether a person with this address exists.',
        params: teamParams,
        body: inviteBody,
        response: { 201: teamInvitation, ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const invited = await invite(context, callerOf(request), request.params.teamId, request.body);
      return reply.code(201).send(invited);
    },
  );

  routes.get(
    '/:teamId/invitations',
    {
      schema: {
        tags: TAGS,
        operationId: 'listTeamInvitations',
        summary: 'List the open invitations of a team',
        description: 'Accepted, declined, revoked and expired invitations are not listed.',
        security: needs('member'),
        params: teamParams,
        response: { 200: teamInvitationList, ...READ_ERRORS },
      },
    },
    async (request) => ({ invitations: await readTeamInvitations(context, actorOf(request), request.params.teamId) }),
  );

  routes.delete(
    '/:teamId/invitations/:invitationId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation',
        description: 'The invited person can no longer accept it.',
        security: needs('owner'),
        params: teamInvitationParams,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => {
      const { teamId, invitationId } = request.params;
      await revokeInvitation(context, callerOf(request), teamId, invitationId);
      return reply.code(204).send(null);
    },
  );
}

/** Below /account/invitations. */
export function invitationRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '',
    {
      schema: {
        tags: TAGS,
        operationId: 'listInvitations',
        summary: 'List your open invitations',
        description: 'Lists the invitations to the e-mail address of the person that the key belongs to.',
        security: needs('person'),
        response: { 200: invitationList, ...errorAnswers('forbidden') },
      },
    },
    async (request) => ({ invitations: await readInvitations(context, actorOf(request)) }),
  );

  routes.post(
    '/:invitationId/accept',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description: 'You become a member of the team, with the role that the invitation names.',
        security: needs('person'),
        params: invitationParams,
        response: { 200: team, ...WRITE_ERRORS },
      },
    },
    async (request) => acceptInvitation(context, callerOf(request), request.params.invitationId),
  );

  routes.post(
    '/:invitationId/decline',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'declineInvitation',
        summary: 'Decline an invitation',
        description: 'The invitation is removed. An owner of the team can invite you again.',
        security: needs('person'),
        params: invitationParams,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => {
      await declineInvitation(context, callerOf(request), request.params.invitationId);
      return reply.code(204).send(null);
    },
  );
}
