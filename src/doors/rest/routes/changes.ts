// The history of a zone over HTTP. src/service/zones/history.ts decides which changes a key may see.
import type { FastifyInstance } from 'fastify';
import { DEFAULT_CHANGES } from '#contract/change.ts';
import { listZoneChanges } from '#contract/operations/zones.ts';
import type { ServiceContext } from '#service/context.ts';
import { readChanges } from '#service/zones/history.ts';
import { serveOn } from '../serve.ts';

export function changeRoutes(app: FastifyInstance, context: ServiceContext): void {
  serveOn(app)(listZoneChanges, ({ actor, params, query: { limit = DEFAULT_CHANGES, cursor } }) =>
    readChanges(context, actor(), params.id, { limit, cursor }),
  );
}
