// The trusts of a team over HTTP. src/service/trusts/trusts.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { teamParams } from '#contract/people.ts';
import {
  acceptBody,
  trust,
  trustBody,
  trustChangeBody,
  trustList,
  trustParams,
  trustSubjects,
  trustTest,
  trustTestBody,
} from '#contract/trust.ts';
import type { ServiceContext } from '#service/context.ts';
import { explainToken } from '#service/trusts/explain.ts';
import { acceptSubject, readSubjects } from '#service/trusts/subjects.ts';
import { changeTrust, createTrust, readTrust, readTrusts, revokeTrust } from '#service/trusts/trusts.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['account'];
const READ_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found');
const CHANGE_ERRORS = errorAnswers(
  'bad_request',
  'forbidden',
  'not_found',
  'no_zone',
  'conflict',
  'rate_limited',
  'busy',
);

export function trustRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/:teamId/trusts',
    {
      schema: {
        tags: TAGS,
        operationId: 'listTrusts',
        summary: 'List the trusts of a team',
        description: 'The list includes revoked and expired trusts.',
        security: needs('member'),
        params: teamParams,
        response: { 200: trustList, ...READ_ERRORS },
      },
    },
    async (request) => ({ trusts: await readTrusts(context, actorOf(request), request.params.teamId) }),
  );

  routes.post(
    '/:teamId/trusts',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'createTrust',
        summary: 'Create a trust',
        description:
          'Tokens of the issuer with the claims in `match` are accepted in the place of an app key. A trust that would open names to everybody with a token of the issuer is refused. A trust counts as one key in the quota.',
        security: needs('member'),
        params: teamParams,
        body: trustBody,
        response: { 201: trust, ...CHANGE_ERRORS },
      },
    },
    async (request, reply) => {
      const made = await createTrust(context, callerOf(request), request.params.teamId, request.body);
      return reply.code(201).send(made);
    },
  );

  routes.post(
    '/:teamId/trusts/test',
    {
      schema: {
        tags: TAGS,
        operationId: 'testTrusts',
        summary: 'Test a token',
        description:
          'Says which trust of the team accepts the token, and for each other trust why not. Nothing is stored.',
        security: needs('member'),
        params: teamParams,
        body: trustTestBody,
        response: { 200: trustTest, ...READ_ERRORS },
      },
    },
    async (request) => explainToken(context, actorOf(request), request.params.teamId, request.body.token),
  );

  routes.get(
    '/:teamId/trusts/:trustId',
    {
      schema: {
        tags: TAGS,
        operationId: 'getTrust',
        summary: 'Get a trust',
        description: 'The answer contains the terms of the trust, and how many subjects have used it.',
        security: needs('member'),
        params: trustParams,
        response: { 200: trust, ...READ_ERRORS },
      },
    },
    async (request) => readTrust(context, actorOf(request), request.params.teamId, request.params.trustId),
  );

  routes.patch(
    '/:teamId/trusts/:trustId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'updateTrust',
        summary: 'Change a trust',
        description:
          'Changes the claims, permissions, restrictions, keys or expiry of a trust, from the next request on. An omitted field keeps its value. The issuer cannot change.',
        security: needs('member'),
        params: trustParams,
        body: trustChangeBody,
        response: { 200: trust, ...CHANGE_ERRORS },
      },
    },
    async (request) => {
      const { teamId, trustId } = request.params;
      return changeTrust(context, callerOf(request), teamId, trustId, request.body);
    },
  );

  routes.delete(
    '/:teamId/trusts/:trustId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'revokeTrust',
        summary: 'Revoke a trust permanently',
        description: 'Its tokens are refused at once. A revoked trust cannot be restored.',
        security: needs('member'),
        params: trustParams,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => {
      await revokeTrust(context, callerOf(request), request.params.teamId, request.params.trustId);
      return reply.code(204).send(null);
    },
  );

  routes.get(
    '/:teamId/trusts/:trustId/subjects',
    {
      schema: {
        tags: TAGS,
        operationId: 'listTrustSubjects',
        summary: 'List the subjects of a trust',
        description: 'The holders of tokens that have used the trust, with the last use of each.',
        security: needs('member'),
        params: trustParams,
        response: { 200: trustSubjects, ...READ_ERRORS },
      },
    },
    async (request) => readSubjects(context, actorOf(request), request.params.teamId, request.params.trustId),
  );

  routes.post(
    '/:teamId/trusts/:trustId/subjects/accept',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'acceptTrustSubject',
        summary: 'Accept a service account that was created again',
        description:
          'A trust that pins its subjects refuses the tokens of a service account with another UID than at its first request. This operation replaces the UID.',
        security: needs('member'),
        params: trustParams,
        body: acceptBody,
        response: {
          204: z.null(),
          ...errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'),
        },
      },
    },
    async (request, reply) => {
      const { teamId, trustId } = request.params;
      const { subject, uid = null } = request.body;
      await acceptSubject(context, callerOf(request), teamId, trustId, { subject, uid });
      return reply.code(204).send(null);
    },
  );
}
