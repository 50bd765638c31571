// Who am I: the key of the request and its team.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { actorOf } from '../auth.ts';
import { account } from '../schemas/account.ts';
import { errorAnswers } from './answers.ts';

export function accountRoutes(app: FastifyInstance): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      '/account',
      { schema: { tags: ['account'], summary: 'Who am I', response: { 200: account, ...errorAnswers() } } },
      async (request) => {
        const { keyId, keyName, teamId, teamName, records, manageZones, onlyNames, onlyTypes, expiresAt } =
          actorOf(request);
        return {
          key: {
            id: keyId,
            name: keyName,
            records,
            manageZones,
            onlyNames,
            onlyTypes,
            expiresAt: expiresAt?.toISOString() ?? null,
          },
          team: { id: teamId, name: teamName },
        };
      },
    );
}
