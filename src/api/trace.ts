// A span for every request, below that of the caller when it sent a `traceparent`. It must not know what a route does.
// Names and attributes follow OpenTelemetry's conventions for HTTP servers; a key or a body is in none of them.
import type { FastifyInstance } from 'fastify';
import type { Span, Tracing } from '../telemetry/tracing.ts';
import { patternOf } from './http.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null;
  }
}

/** To be called before the routes are registered. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, id } = request;
    const { url } = request.routeOptions;
    const route = request.is404 || url === undefined ? undefined : patternOf(url);
    request.span = tracing.begin({
      name: route === undefined ? method : `${method} ${route}`,
      kind: 'server',
      from: headers,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.path': request.url.split('?')[0],
        'zonestead.request_id': id,
      },
    });
    request.span.around(done);
  });
  // A body comes with events of the connection, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => (request.span ? request.span.around(done) : done()));
  app.addHook('onResponse', async ({ span, actor, parts }, { statusCode }) => {
    span?.set({
      'http.response.status_code': statusCode,
      'zonestead.key_id': actor?.keyId,
      'zonestead.request_ids': parts?.map(({ requestId }) => requestId),
    });
    span?.end(statusCode >= 500 ? `answered ${statusCode}` : undefined);
  });
}
