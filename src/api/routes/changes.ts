// The history of a zone over HTTP. src/service/zones/history.ts decides which changes a key may see.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { changeList, changeListQuery, DEFAULT_CHANGES } from '#contract/change.ts';
import { zoneParams } from '#contract/zone.ts';
import type { ServiceContext } from '#service/context.ts';
import { readChanges } from '#service/zones/history.ts';
import { actorOf } from '../hooks/auth.ts';
import { errorAnswers } from './answers.ts';

export function changeRoutes(app: FastifyInstance, context: ServiceContext): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/zones/:id/changes',
    {
      schema: {
        tags: ['zones'],
        operationId: 'listZoneChanges',
        summary: 'List the changes of a zone, newest first',
        description:
          'A key without permission on the records sees the changes of the zone itself only. A page has fewer changes than `limit`, and has `next`, if its changes reach 1 MiB.',
        params: zoneParams,
        querystring: changeListQuery,
        response: { 200: changeList, ...errorAnswers('bad_request', 'forbidden', 'no_zone') },
      },
    },
    async (request) => {
      const { limit = DEFAULT_CHANGES, cursor } = request.query;
      return readChanges(context, actorOf(request), request.params.id, { limit, cursor });
    },
  );
}
