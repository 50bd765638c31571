// Records a span for each request, as a child of the caller's span if the request has a `traceparent`. Names and
// attributes follow OpenTelemetry's conventions for HTTP servers and never contain keys or bodies.
import type { FastifyInstance } from 'fastify';
import type { Span, Tracing } from '#telemetry/span.ts';
import { toRoutePattern } from '../patterns.ts';

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
    const route = request.is404 || url === undefined ? undefined : toRoutePattern(url);
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
  // The body arrives with events of the connection, which lose the context of the span.
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
