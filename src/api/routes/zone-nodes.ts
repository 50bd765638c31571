// The name servers that serve a zone, for those who may read it.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { zoneNodes, zoneNodesQuery } from '#contract/feed.ts';
import { zoneParams } from '#contract/zone.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { readNodesOfZone } from '#service/nodes/living.ts';
import { readZoneSecondaries } from '#service/secondaries/choice.ts';
import { actorOf } from '../hooks/auth.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { errorAnswers } from './answers.ts';

/** @param feed undefined: the route is described, but not served */
export function zoneNodeRoutes(app: FastifyInstance, context: ServiceContext, feed: Feed | undefined): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/zones/:id/nodes',
    {
      // A question that waits says nothing about the speed of the service.
      config: { isStream: (request) => (request.query as { wait?: string }).wait !== undefined },
      schema: {
        tags: ['zones'],
        operationId: 'listZoneNodes',
        summary: 'List the name servers that follow the service, and whether each has the zone as it is now',
        description:
          'The list has the name servers that reported within the last 30 seconds. Two with one name are two entries. `secondaries` has the servers of others that get the zone by zone transfer.',
        params: zoneParams,
        querystring: zoneNodesQuery,
        response: { 200: zoneNodes, ...errorAnswers('bad_request', 'no_zone') },
      },
    },
    async (request, reply) => {
      if (feed === undefined) throw new Error('this application has no feed');
      const { params, query } = request;
      const wait = { arrivals: feed.arrivals, ms: Number(query.wait ?? 0) * 1_000, signal: whenClientLeaves(reply) };
      const nodes = await readNodesOfZone(context, actorOf(request), params.id, wait);
      return { nodes, secondaries: await readZoneSecondaries(context, actorOf(request), params.id) };
    },
  );
}
