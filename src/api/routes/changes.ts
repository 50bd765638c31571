// A zone's history over HTTP. Which of it may be seen stands in zones/.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { House } from '../../zones/change.ts';
import { readChanges } from '../../zones/history.ts';
import { actorOf } from '../auth.ts';
import { changeList, changeListQuery, DEFAULT_CHANGES } from '../schemas/change.ts';
import { zoneParams } from '../schemas/zone.ts';
import { errorAnswers } from './answers.ts';

export function changeRoutes(app: FastifyInstance, house: House): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/zones/:id/changes',
    {
      schema: {
        tags: ['zones'],
        summary: 'Who changed what in a zone, newest first',
        description: 'A key without a right on the records sees the changes of the zone itself only.',
        params: zoneParams,
        querystring: changeListQuery,
        response: { 200: changeList, ...errorAnswers('bad_request', 'forbidden', 'no_zone') },
      },
    },
    async (request) => {
      const { limit = DEFAULT_CHANGES, cursor } = request.query;
      return readChanges(house, actorOf(request), request.params.id, { limit, cursor });
    },
  );
}
