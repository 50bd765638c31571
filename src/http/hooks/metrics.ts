// The metrics of the api, served on the health port. Labels are bounded: route patterns, methods, statuses, buckets,
// results; never a path, a key or a zone.
//
//   zonestead_api_request_duration_seconds{route,method,code}         histogram
//   zonestead_api_writes_total{bucket,result}                         ok, refused, limited, busy, failed
//   zonestead_api_outage_answers_total{kind}                          read, write
//   zonestead_api_connections_refused_total
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ROUTE_BUCKETS } from '#base/buckets.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { STATUS } from '../error-codes.ts';
import { toRoutePattern } from '../patterns.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer says that the database is down, and not that one zone is busy. The status of both is 503. */
    isOutage: boolean;
  }
}

const RESULTS = ['ok', 'refused', 'limited', 'busy', 'failed'] as const;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const UNMATCHED = 'unmatched';

/** To be called before the routes are registered, so that their series start at zero. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.histogram({
    name: 'api_request_duration_seconds',
    help: 'Seconds that one request takes, by route pattern, method and status code.',
    labels: ['route', 'method', 'code'],
    buckets: SECONDS,
  });
  const writes = metrics.counter({
    name: 'api_writes_total',
    help: 'Writes, by the write limit that they count for and by their result.',
    labels: ['bucket', 'result'],
  });
  for (const bucket of ROUTE_BUCKETS) for (const result of RESULTS) writes.inc({ bucket, result }, 0);
  const outages = metrics.counter({
    name: 'api_outage_answers_total',
    help: 'Reads and writes that were answered with 503 because the database was down. Busy zones, which also answer 503, do not count.',
    labels: ['kind'],
  });
  for (const kind of ['read', 'write']) outages.inc({ kind }, 0);

  app.addHook('onRoute', ({ url, method, schema, config }) => {
    if (config?.isStream === true) return;
    const success = Object.keys((schema?.response as object | undefined) ?? {}).find((status) =>
      status.startsWith('2'),
    );
    if (success === undefined) return;
    for (const each of [method].flat().filter((name) => name !== 'HEAD'))
      requests.zero({ route: toRoutePattern(url), method: each, code: success });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode } = reply;
    if (statusCode === 200 && isStream(request)) return;
    const route = request.is404 ? UNMATCHED : toRoutePattern(request.routeOptions.url ?? UNMATCHED);
    requests.observe({ route, method: request.method, code: statusCode }, reply.elapsedTime / 1000);
    const { bucket } = request;
    const isRead = bucket === null && (request.method === 'GET' || request.method === 'HEAD');
    if (request.isOutage) outages.inc({ kind: isRead ? 'read' : 'write' });
    if (bucket !== null) writes.inc({ bucket, result: classifyStatus(statusCode) });
  });
}

function isStream(request: FastifyRequest): boolean {
  const { isStream = false } = request.routeOptions.config;
  return typeof isStream === 'function' ? isStream(request) : isStream;
}

function classifyStatus(status: number): (typeof RESULTS)[number] {
  if (status < 400) return 'ok';
  if (status === STATUS.rate_limited) return 'limited';
  if (status === STATUS.busy) return 'busy';
  return status < 500 ? 'refused' : 'failed';
}

/** Returns the function that counts one refused connection. */
export function countRefusedConnections(metrics: Metrics): () => void {
  const refusals = metrics.counter({
    name: 'api_connections_refused_total',
    help: 'Connections that the process closed at once, because it or the address of the client had too many.',
  });
  return () => refusals.inc();
}
