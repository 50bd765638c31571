// The protocol of acme-dns, below /acme/acme-dns: an account for a name, and updates of its values.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import * as schemas from '#contract/acme.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { requireBasicKey } from '#http/hooks/basic-auth.ts';
import { registerChallengeAccount, updateChallengeAccount } from '#service/challenges/accounts.ts';
import type { ServiceContext } from '#service/context.ts';
import { basic, TAGS } from '../description.ts';
import { ERRORS, withRetries } from '../refusals.ts';
import type { Served } from '../served.ts';
import { accountAnswer } from './answer.ts';
import { requireApiHeaders } from './authenticate.ts';

export function acmeDnsRoutes(app: FastifyInstance, context: ServiceContext, served: Served): void {
  registerRoute(app, context);
  updateRoute(app, context, served);
}

function registerRoute(app: FastifyInstance, context: ServiceContext): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    '/register',
    {
      config: { counts: 'records' },
      onRequest: requireBasicKey(context),
      schema: {
        tags: TAGS,
        operationId: 'registerAcmeDnsAccount',
        summary: 'Register an account for a client of acme-dns',
        description:
          'The account is an API key for the TXT values of one name, and it is listed and revoked like other keys. Send the zone, or a name in a zone, as the user name of HTTP Basic: the account gets a name below it. Without a user name, the account gets a name in the only zone that the key may see.',
        security: basic('manageZones:write', 'records:write'),
        body: schemas.registerBody,
        response: { 201: schemas.registerAnswer, ...ERRORS },
      },
    },
    async (request, reply) => {
      const networks = request.body?.allowfrom ?? [];
      const account = await registerChallengeAccount(context, readCaller(request), {
        parent: request.basicUser,
        networks,
      });
      // Caches between the service and the caller must not keep the secret.
      reply.code(201).header('cache-control', 'no-store');
      return accountAnswer(account);
    },
  );
}

function updateRoute(app: FastifyInstance, context: ServiceContext, served: Served): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    '/update',
    {
      config: { counts: 'challenges' },
      onRequest: requireApiHeaders(context),
      schema: {
        tags: TAGS,
        operationId: 'updateAcmeDnsChallenge',
        summary: 'Set a challenge value for a client of acme-dns',
        description:
          'Adds the value to the TXT records at the name of the account. The two newest values of the account stay, each for 12 hours after its last update. Their owners are `acme:acme-dns/<id of the key>/<value>`. The answer comes when the name servers have the value, or after 5 s.',
        security: [{ acmeDns: [] }],
        body: schemas.updateBody,
        response: { 200: schemas.updateAnswer, ...ERRORS },
      },
    },
    async (request, reply) => {
      const { subdomain, txt } = request.body;
      const zoneId = await withRetries(() => updateChallengeAccount(context, readCaller(request), subdomain, txt));
      await served(request, reply, zoneId);
      return { txt };
    },
  );
}
