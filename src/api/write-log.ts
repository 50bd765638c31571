// One log line for every write that was asked for, and for every change of a batch that has a request id of its own: what
// leads from an id in an Event, a trace or the history to the answer that was given. It must not know what a write does,
// and no line holds what a record holds.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { patternOf } from './http.ts';

/** One change of a batch. */
export interface Part {
  requestId: string;
  action: string;
  /** What it would have been answered alone. */
  status: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    parts: readonly Part[] | null;
  }
}

/** To be called before the routes are registered. */
export function logWrites(app: FastifyInstance, log: Logger): void {
  app.decorateRequest('parts', null);
  app.addHook('onResponse', async (request, reply) => {
    if (request.bucket === null) return;
    const { id: requestId, method, actor, parts } = request;
    const zoneId = (request.params as { id?: string } | undefined)?.id;
    log.info(
      {
        requestId,
        method,
        route: patternOf(request.routeOptions.url ?? ''),
        zoneId,
        keyId: actor?.keyId,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'write',
    );
    for (const { requestId: own, action, status } of parts ?? [])
      log.info({ requestId: own, batch: requestId, zoneId, action, status }, 'change');
  });
}
