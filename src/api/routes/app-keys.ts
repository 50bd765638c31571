// The app keys of a team over HTTP. src/service/keys/app-keys.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { appKey, appKeyList, appKeyMinted, keyBody, keyChangeBody, keyParams } from '#contract/app-key.ts';
import { teamParams } from '#contract/people.ts';
import type { ServiceContext } from '#service/context.ts';
import { changeKey, mintAppKey, readKey, readKeys, revokeKey } from '#service/keys/app-keys.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['account'];
const READ_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found');

export function appKeyRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/:teamId/keys',
    {
      schema: {
        tags: TAGS,
        operationId: 'listAppKeys',
        summary: 'List the app keys of a team',
        description: 'The list includes revoked and expired keys. It never contains a secret.',
        security: needs('member'),
        params: teamParams,
        response: { 200: appKeyList, ...READ_ERRORS },
      },
    },
    async (request) => ({ keys: await readKeys(context, actorOf(request), request.params.teamId) }),
  );

  routes.post(
    '/:teamId/keys',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'createAppKey',
        summary: 'Create an app key',
        description: 'The answer contains the secret of the key. It cannot be read again later.',
        security: needs('member'),
        params: teamParams,
        body: keyBody,
        response: {
          201: appKeyMinted,
          ...errorAnswers('bad_request', 'forbidden', 'not_found', 'no_zone', 'rate_limited', 'busy'),
        },
      },
    },
    async (request, reply) => {
      const minted = await mintAppKey(context, callerOf(request), request.params.teamId, request.body);
      // Caches between the service and the caller must not keep the secret.
      return reply.code(201).header('cache-control', 'no-store').send(minted);
    },
  );

  routes.get(
    '/:teamId/keys/:keyId',
    {
      schema: {
        tags: TAGS,
        operationId: 'getAppKey',
        summary: 'Get an app key',
        description: 'The answer does not contain the secret of the key.',
        security: needs('member'),
        params: keyParams,
        response: { 200: appKey, ...READ_ERRORS },
      },
    },
    async (request) => readKey(context, actorOf(request), request.params.teamId, request.params.keyId),
  );

  routes.patch(
    '/:teamId/keys/:keyId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'updateAppKey',
        summary: 'Change an app key',
        description:
          'Changes the name, permissions, restrictions or expiry of a key. An omitted field keeps its value.',
        security: needs('member'),
        params: keyParams,
        body: keyChangeBody,
        response: {
          200: appKey,
          ...errorAnswers('bad_request', 'forbidden', 'not_found', 'no_zone', 'conflict', 'rate_limited', 'busy'),
        },
      },
    },
    async (request) => {
      const { teamId, keyId } = request.params;
      return changeKey(context, callerOf(request), teamId, keyId, request.body);
    },
  );

  routes.delete(
    '/:teamId/keys/:keyId',
    {
      config: { counts: 'account' },
      schema: {
        tags: TAGS,
        operationId: 'revokeAppKey',
        summary: 'Revoke an app key permanently',
        description: 'The key stops working at once. A revoked key cannot be restored.',
        security: needs('member'),
        params: keyParams,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => {
      await revokeKey(context, callerOf(request), request.params.teamId, request.params.keyId);
      return reply.code(204).send(null);
    },
  );
}
