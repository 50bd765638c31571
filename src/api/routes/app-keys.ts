// The app keys of a team over HTTP. What they mean stands in zones/app-keys.ts.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { changeKey, mintAppKey, readKey, readKeys, revokeKey } from '../../zones/app-keys.ts';
import type { House } from '../../zones/change.ts';
import { actorOf, callerOf } from '../auth.ts';
import { appKey, appKeyList, appKeyMinted, keyBody, keyChangeBody, keyParams } from '../schemas/app-key.ts';
import { teamParams } from '../schemas/people.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['account'];
const READ_ERRORS = errorAnswers('bad_request', 'forbidden', 'not_found');

export function appKeyRoutes(app: FastifyInstance, house: House): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/:teamId/keys',
    {
      schema: {
        tags: TAGS,
        summary: 'List the app keys of a team, revoked ones too',
        params: teamParams,
        response: { 200: appKeyList, ...READ_ERRORS },
      },
    },
    async (request) => ({ keys: await readKeys(house, actorOf(request), request.params.teamId) }),
  );

  routes.post(
    '/:teamId/keys',
    {
      schema: {
        tags: TAGS,
        summary: 'Mint an app key; the answer shows its secret, this once',
        params: teamParams,
        body: keyBody,
        response: { 201: appKeyMinted, ...errorAnswers('bad_request', 'forbidden', 'not_found', 'no_zone', 'busy') },
      },
    },
    async (request, reply) => {
      const minted = await mintAppKey(house, callerOf(request), request.params.teamId, request.body);
      // No cache between here and the caller may keep the secret.
      return reply.code(201).header('cache-control', 'no-store').send(minted);
    },
  );

  routes.get(
    '/:teamId/keys/:keyId',
    {
      schema: { tags: TAGS, summary: 'Get an app key', params: keyParams, response: { 200: appKey, ...READ_ERRORS } },
    },
    async (request) => readKey(house, actorOf(request), request.params.teamId, request.params.keyId),
  );

  routes.patch(
    '/:teamId/keys/:keyId',
    {
      schema: {
        tags: TAGS,
        summary: 'Change what an app key may do; what is left out stays',
        params: keyParams,
        body: keyChangeBody,
        response: {
          200: appKey,
          ...errorAnswers('bad_request', 'forbidden', 'not_found', 'no_zone', 'conflict', 'busy'),
        },
      },
    },
    async (request) => {
      const { teamId, keyId } = request.params;
      return changeKey(house, callerOf(request), teamId, keyId, request.body);
    },
  );

  routes.delete(
    '/:teamId/keys/:keyId',
    {
      schema: {
        tags: TAGS,
        summary: 'Revoke an app key for good',
        params: keyParams,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden', 'not_found', 'busy') },
      },
    },
    async (request, reply) => {
      await revokeKey(house, callerOf(request), request.params.teamId, request.params.keyId);
      return reply.code(204).send(null);
    },
  );
}
