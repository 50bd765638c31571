// The HTTP application: the hooks of every request, and the protocols. It neither listens nor opens a connection.
//
//     a request passes          these hooks, in this order
//
//     onRequest                 the address of the client, the span, the header with the id, TLS, the rules of HTTP
//                               (Host), the load; then those of the protocol: its key, its write limit
//     preParsing                the read limit of the key, the rules of HTTP (bodies), the memory for bodies
//     preValidation             the rules of HTTP (unwanted bodies), the write limit if the body tells the writes
//     preHandler                in the console: the token of the form, the write limit
//     the handler               src/doors/, src/console/
//     onSend                    the rules of HTTP (a large body that is left unread), the return of a busy write
//     onResponse                the span, the metrics, the log of writes, the load (it remembers keys)
//
// A thrown error of any of them is answered in the form of the protocol (src/http/errors.ts, src/http/refusals.ts).
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { openAcme } from '#doors/acme/door.ts';
import type { DoorParts } from '#doors/door.ts';
import { openDynDns } from '#doors/dyndns/door.ts';
import { openPowerDns } from '#doors/powerdns/door.ts';
import { openFeed, openRest } from '#doors/rest/door.ts';
import { describeApi, serveDescription } from '#doors/rest/openapi.ts';
import type { IsTrusted, ProxyHeader } from '#http/connections/client-address.ts';
import { installErrors } from '#http/errors.ts';
import { followHttp } from '#http/hooks/http-rules.ts';
import { countDeclaredWrites, decorateCounts, giveBackBusyWrite } from '#http/hooks/limits.ts';
import { guardLoad, type LoadGuard } from '#http/hooks/load-guard.ts';
import { countRequests } from '#http/hooks/metrics.ts';
import { refusePlainRequests } from '#http/hooks/plain-requests.ts';
import { knowClients } from '#http/hooks/proxies.ts';
import { limitReads } from '#http/hooks/read-limit.ts';
import { refuseChanges } from '#http/hooks/read-only.ts';
import { traceRequests } from '#http/hooks/trace.ts';
import { logWrites } from '#http/hooks/write-log.ts';
import type { ReadLimit } from '#http/load/read-limit.ts';
import { createServer } from '#http/server.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { refusal } from '#service/refusal.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Tracing } from '#telemetry/span.ts';
import { chooseWriteLimits } from './write-limits.ts';

export type Console = (scope: FastifyInstance, parts: { context: ServiceContext; log: Logger }) => Promise<void>;

interface AppOptions {
  context: ServiceContext;
  log: Logger;
  /** Whether the write limits (contract L1) apply to keys without limits of their own. */
  limits: boolean;
  /** Absent: keys may read as often as they like. */
  reads?: ReadLimit;
  /** Absent: no metrics are recorded. */
  metrics?: Metrics;
  /** Adds the pages of the console to the scope below /console. */
  console?: Console;
  /** Absent: no spans are recorded. */
  tracing?: Tracing;
  /** The time limit for a request to arrive, in ms. (Default: 30000; 10000 for its headers.) */
  requestMs?: number;
  /** Whether an address belongs to a proxy whose headers name the client's address. Absent: no address does. */
  isTrusted?: IsTrusted;
  /** (Default: X-Forwarded-For.) */
  proxyHeader?: ProxyHeader;
  /** Refuses requests when the process is overloaded. Absent: it refuses nothing. */
  guard?: LoadGuard;
  /** Absent: the routes of the feed are described, but not served. */
  feed?: Feed;
  /** Whether the feed is served over connections that are not encrypted. (Default: false.) */
  plainFeed?: boolean;
  /** Whether the application also listens with TLS. (Default: false.) */
  hasTls?: boolean;
  /** Address of the documentation. Absent: neither refusals nor the console link to it. */
  docsUrl?: string;
  /** Whether the PowerDNS API is served. (Default: false.) */
  powerDns?: boolean;
}

export function buildApp(options: AppOptions): FastifyInstance {
  const { context, log, limits, feed, isTrusted = () => false, proxyHeader = 'X-Forwarded-For' } = options;
  const app = createServer(log, options.requestMs);
  const parts = { context, writeLimits: chooseWriteLimits(limits), isTrusted, proxyHeader, feed };
  addHooks(app, options, parts);
  openDoors(app, options, parts);
  return app;
}

/** The hooks of every request. Those of one stage run in the order of these calls. */
function addHooks(
  app: FastifyInstance,
  { log, metrics, tracing, guard, reads, docsUrl, hasTls = false }: AppOptions,
  { context, isTrusted, proxyHeader }: DoorParts,
): void {
  if (docsUrl !== undefined) app.decorate('docsUrl', docsUrl);
  installErrors(app);
  knowClients(app, isTrusted, proxyHeader);
  app.decorateRequest('actor', null);
  app.decorateRequest('node', null);
  decorateCounts(app);
  if (tracing?.isOn) traceRequests(app, tracing);
  if (metrics) countRequests(app, metrics);
  logWrites(app, log);
  describeApi(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  if (hasTls) refusePlainRequests(app, isTrusted);
  refuseChanges(app, context);
  followHttp(app);
  if (guard) guardLoad(app, guard);
  if (reads) limitReads(app, reads);
  app.addHook('onSend', giveBackBusyWrite());
}

/** The protocols. The OpenAPI document has their operations in this order. */
function openDoors(
  app: FastifyInstance,
  { console: pages, log, plainFeed = false, powerDns = false }: AppOptions,
  parts: DoorParts,
): void {
  openRest(app, parts);
  openFeed(app, parts, plainFeed);
  openAcme(app, parts);
  openDynDns(app, parts);
  if (powerDns) openPowerDns(app, parts);
  if (pages) openConsole(app, parts, pages, log);
  serveDescription(app);
}

function openConsole(app: FastifyInstance, { context, writeLimits }: DoorParts, pages: Console, log: Logger): void {
  // A person who opens the base address of the service in a browser looks for its pages.
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    reply.header('vary', 'accept');
    if (request.headers.accept?.includes('text/html')) return reply.redirect('/console/', 303);
    throw refusal('no-such-path', { method: 'GET', path: '/' });
  });
  void app.register(
    async (scope) => {
      countDeclaredWrites(scope, context, writeLimits, 'form');
      await pages(scope, { context, log });
    },
    { prefix: '/console' },
  );
}
