// The name servers that serve a zone, for those who may read it.
import type { FastifyInstance } from 'fastify';
import { listZoneNodes } from '#contract/operations/zones.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import type { ServiceContext } from '#service/context.ts';
import { readCordons } from '#service/nodes/cordons.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { readNodesOfZone } from '#service/nodes/living.ts';
import { readZoneSecondaries } from '#service/secondaries/choice.ts';
import { serveOn } from '../serve.ts';

/** @param feed undefined: the route is described, but not served */
export function zoneNodeRoutes(app: FastifyInstance, context: ServiceContext, feed: Feed | undefined): void {
  serveOn(app)(
    listZoneNodes,
    async ({ actor, params, query, reply }) => {
      if (feed === undefined) throw new Error('this application has no feed');
      const wait = { arrivals: feed.arrivals, ms: Number(query.wait ?? 0) * 1_000, signal: whenClientLeaves(reply) };
      const nodes = await readNodesOfZone(context, actor(), params.id, wait);
      const secondaries = await readZoneSecondaries(context, actor(), params.id);
      const cordons = await readCordons(context);
      return { nodes, secondaries, ...(cordons.length > 0 ? { cordons } : {}) };
    },
    // A question that waits says nothing about the speed of the service.
    { isStream: (request) => (request.query as { wait?: string }).wait !== undefined },
  );
}
