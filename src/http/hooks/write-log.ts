// Logs one line for each write, and one for each change of a batch that has a request id of its own. The line links the
// id in an Event, a trace or the history to the answer. It never contains the content of a record.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { toRoutePattern } from '../patterns.ts';

/** One change of a batch. */
export interface LoggedPart {
  requestId: string;
  action: string;
  /** The status that the change would have received as a single request. */
  status: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    parts: readonly LoggedPart[] | null;
  }
}

/** To be called before the routes are registered. */
export function logWrites(app: FastifyInstance, log: Logger): void {
  app.decorateRequest('parts', null);
  app.addHook('onResponse', async (request, reply) => {
    if (request.bucket === null) return;
    const { id: requestId, method, actor, parts } = request;
    // The PowerDNS API addresses zones by name.
    const { id: zoneId, zone } = (request.params ?? {}) as { id?: string; zone?: string };
    log.info(
      {
        requestId,
        method,
        route: toRoutePattern(request.routeOptions.url ?? ''),
        zoneId,
        zone,
        keyId: actor?.keyId,
        client: request.clientAddress,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'write',
    );
    for (const { requestId: partRequestId, action, status } of parts ?? [])
      log.info({ requestId: partRequestId, batch: requestId, zoneId, action, status }, 'change');
  });
}
