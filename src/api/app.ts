// Builds the HTTP application from plugins, hooks and routes. It neither listens nor opens a connection.

import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { z } from 'zod';
import { BUCKETS } from '#base/buckets.ts';
import { describeIssue } from '#contract/sentences.ts';
import { REQUEST_ID } from '#contract/shared.ts';
import { acmeRoutes } from '#doors/acme/door.ts';
import { dynDnsRoutes } from '#doors/dyndns/door.ts';
import { answerOptions, powerDnsRoutes } from '#doors/powerdns/door.ts';
import { describeApi, serveDescription } from '#doors/rest/openapi.ts';
import { accountRoutes } from '#doors/rest/routes/account.ts';
import { batchRoutes } from '#doors/rest/routes/batch.ts';
import { changeRoutes } from '#doors/rest/routes/changes.ts';
import { clusterRoutes } from '#doors/rest/routes/clusters.ts';
import { feedRoutes } from '#doors/rest/routes/feed.ts';
import { ownerRoutes } from '#doors/rest/routes/owners.ts';
import { recordRoutes } from '#doors/rest/routes/records.ts';
import { secondaryRoutes } from '#doors/rest/routes/secondaries.ts';
import { undoRoutes } from '#doors/rest/routes/undo.ts';
import { zoneNodeRoutes } from '#doors/rest/routes/zone-nodes.ts';
import { zoneFileRoutes } from '#doors/rest/routes/zonefile.ts';
import { zoneRoutes } from '#doors/rest/routes/zones.ts';
import type { IsTrusted, ProxyHeader } from '#http/connections/client-address.ts';
import { answerBrokenRequest, answerUnrouted, installErrors, MAX_PARAMETER } from '#http/errors.ts';
import { requireKey } from '#http/hooks/auth.ts';
import { followHttp, refuseOtherMethods } from '#http/hooks/http-rules.ts';
import { takeJson } from '#http/hooks/json-body.ts';
import { countDeclaredWrites, decorateCounts, giveBackBusyWrite, type WriteLimits } from '#http/hooks/limits.ts';
import { guardLoad, type LoadGuard } from '#http/hooks/load-guard.ts';
import { countRequests } from '#http/hooks/metrics.ts';
import { requireProtection } from '#http/hooks/protected-feed.ts';
import { knowClients } from '#http/hooks/proxies.ts';
import { traceRequests } from '#http/hooks/trace.ts';
import { logWrites } from '#http/hooks/write-log.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { refusal } from '#service/refusal.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Tracing } from '#telemetry/span.ts';

export type Console = (scope: FastifyInstance, parts: { context: ServiceContext; log: Logger }) => Promise<void>;

interface AppOptions {
  context: ServiceContext;
  log: Logger;
  /** Whether the write limits (contract L1) apply to keys without limits of their own. */
  limits: boolean;
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
  /** Whether the PowerDNS API is served. (Default: false.) */
  powerDns?: boolean;
}

const BODY_LIMIT = 1024 * 1024;
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;

export function buildApp({
  context,
  log,
  limits,
  metrics,
  console: pages,
  tracing,
  requestMs = REQUEST_MS,
  isTrusted = () => false,
  proxyHeader = 'X-Forwarded-For',
  guard,
  feed,
  plainFeed = false,
  powerDns = false,
}: AppOptions): FastifyInstance {
  z.config({ localeError: describeIssue });
  const app = createServer(log, requestMs);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  // Fastify would also read text/plain. The contract is JSON, and other types are refused with 415.
  app.removeContentTypeParser('text/plain');
  // Many clients send the JSON content type without a body. The schema of the route decides whether a body is required.
  takeJson(app as unknown as FastifyInstance, 'application/json');
  installErrors(app as unknown as FastifyInstance);
  knowClients(app as unknown as FastifyInstance, isTrusted, proxyHeader);
  app.decorateRequest('actor', null);
  app.decorateRequest('node', null);
  decorateCounts(app as unknown as FastifyInstance);
  if (tracing?.isOn) traceRequests(app as unknown as FastifyInstance, tracing);
  if (metrics) countRequests(app as unknown as FastifyInstance, metrics);
  logWrites(app as unknown as FastifyInstance, log);
  describeApi(app as unknown as FastifyInstance);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  followHttp(app as unknown as FastifyInstance);
  if (guard) guardLoad(app as unknown as FastifyInstance, guard);
  app.addHook('onSend', giveBackBusyWrite());

  if (pages) leadToPages(app as unknown as FastifyInstance);
  const writeLimits = chooseLimits(limits);

  void app.register(
    async (v1) => {
      v1.addHook('onRequest', requireKey(context));
      countDeclaredWrites(v1 as unknown as FastifyInstance, context, writeLimits, 'start');
      const refuseTheRest = refuseOtherMethods(v1, '/v1');
      await v1.register(
        async (dns) => {
          zoneRoutes(dns, context);
          recordRoutes(dns, context);
          batchRoutes(dns, context);
          ownerRoutes(dns, context);
          changeRoutes(dns, context);
          undoRoutes(dns, context);
          zoneNodeRoutes(dns, context, feed);
          secondaryRoutes(dns, context);
          await dns.register(async (files) => zoneFileRoutes(files, context));
        },
        { prefix: '/dns' },
      );
      clusterRoutes(v1, context);
      await v1.register(async (account) => accountRoutes(account, context, writeLimits));
      refuseTheRest();
    },
    { prefix: '/v1' },
  );
  void app.register(
    async (nodes) => {
      const refuseTheRest = refuseOtherMethods(nodes, '/v1');
      feedRoutes(nodes, context, feed, plainFeed ? async () => undefined : requireProtection(isTrusted, proxyHeader));
      refuseTheRest();
    },
    { prefix: '/v1' },
  );
  // Name servers must find another replica before this one waits for its requests in progress.
  if (feed) {
    app.addHook('preClose', async () => {
      await Promise.all([feed.hub.close(), feed.arrivals.close()]);
    });
  }
  registerDoors(app as unknown as FastifyInstance, { context, writeLimits, isTrusted, feed, powerDns });
  if (pages) {
    void app.register(
      async (scope) => {
        countDeclaredWrites(scope as unknown as FastifyInstance, context, writeLimits, 'form');
        await pages(scope as unknown as FastifyInstance, { context, log });
      },
      { prefix: '/console' },
    );
  }
  serveDescription(app as unknown as FastifyInstance);
  return app as unknown as FastifyInstance;
}

function createServer(log: Logger, requestMs: number) {
  return Fastify({
    loggerInstance: log.child({}, { level: log.level === 'info' ? 'warn' : log.level }),
    bodyLimit: BODY_LIMIT,
    // A client may choose the request id, to follow a change to its entry in the history.
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    // Longer than the limits below, so that those end a slow request with an answer.
    connectionTimeout: requestMs * 2,
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
    // While the process ends, requests on open connections are answered with `connection: close`.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: answerUnrouted,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    // followHttp checks the Host header instead, because Node would answer without a body.
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(HEADERS_MS, requestMs),
      requestTimeout: requestMs,
      // Node checks for slow clients only at this interval. Its default would keep them half a minute longer.
      connectionsCheckingInterval: Math.min(1_000, requestMs / 4),
    },
  });
}

/** A person who opens the base address of the service in a browser looks for its pages. */
function leadToPages(app: FastifyInstance): void {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    reply.header('vary', 'accept');
    if (request.headers.accept?.includes('text/html')) return reply.redirect('/console/', 303);
    throw refusal('no-such-path', { method: 'GET', path: '/' });
  });
}

/** @param isOn whether keys without limits of their own have those of the service */
function chooseLimits(isOn: boolean): WriteLimits {
  const limitOf = (own: (actor: Actor) => number | null, shared: number) => (actor: Actor) =>
    own(actor) ?? (isOn ? shared : null);
  return {
    zones: limitOf((actor) => actor.zoneWrites, BUCKETS.zones.limit),
    records: limitOf((actor) => actor.recordWrites, BUCKETS.records.limit),
    // Only people change teams. No key has a number of its own for this.
    account: (actor) => (isOn && actor.user !== null ? BUCKETS.account.limit : null),
  };
}

interface DoorOptions {
  readonly context: ServiceContext;
  readonly writeLimits: WriteLimits;
  readonly isTrusted: IsTrusted;
  readonly feed: Feed | undefined;
  readonly powerDns: boolean;
}

/** The protocols of others: acme-dns and httpreq, dyndns2, PowerDNS. */
function registerDoors(app: FastifyInstance, { context, writeLimits, isTrusted, feed, powerDns }: DoorOptions): void {
  void app.register(
    async (acme) => {
      const refuseTheRest = refuseOtherMethods(acme, '/acme');
      countDeclaredWrites(acme, context, writeLimits, 'start');
      await acmeRoutes(acme, context, feed?.arrivals);
      refuseTheRest();
    },
    { prefix: '/acme' },
  );
  void app.register(
    async (scope) => {
      const refuseTheRest = refuseOtherMethods(scope, '/nic');
      countDeclaredWrites(scope, context, writeLimits, 'start');
      dynDnsRoutes(scope, context, isTrusted);
      refuseTheRest();
    },
    { prefix: '/nic' },
  );
  if (powerDns) {
    void app.register(
      async (scope) => {
        const refuseTheRest = refuseOtherMethods(scope, '/api', answerOptions);
        countDeclaredWrites(scope, context, writeLimits, 'start');
        await powerDnsRoutes(scope, context, writeLimits.records, feed?.arrivals);
        refuseTheRest();
      },
      { prefix: '/api' },
    );
  }
}
