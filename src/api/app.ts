// The HTTP application: plugins, hooks and routes put together. Does not listen and opens nothing.
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Actor } from '../zones/actor.ts';
import type { House } from '../zones/change.ts';
import { LIMITS } from '../zones/limits.ts';
import { requireKey } from './auth.ts';
import { answerBrokenRequest, answerUnrouted, installErrors, MAX_PARAMETER } from './errors.ts';
import { followHttp, refuseOtherMethods } from './http.ts';
import { takeJson } from './json-body.ts';
import { countWrites, limitWrites, returnBusyPlace, type WriteCounts } from './limits.ts';
import { countRequests } from './metrics.ts';
import { describeApi, serveDescription } from './openapi.ts';
import { accountRoutes } from './routes/account.ts';
import { acmeRoutes } from './routes/acme.ts';
import { batchRoutes } from './routes/batch.ts';
import { changeRoutes } from './routes/changes.ts';
import { recordRoutes } from './routes/records.ts';
import { zoneFileRoutes } from './routes/zonefile.ts';
import { zoneRoutes } from './routes/zones.ts';
import { REQUEST_ID } from './schemas/shared.ts';
import { traceRequests } from './trace.ts';
import { logWrites } from './write-log.ts';

export type Console = (
  scope: FastifyInstance,
  parts: { house: House; log: Logger; counts: WriteCounts },
) => Promise<void>;

export interface AppOptions {
  house: House;
  log: Logger;
  /** Whether keys without numbers of their own are held to the limits of SPEC section 8. */
  limits: boolean;
  /** (Default: nothing is counted.) */
  metrics?: Metrics;
  /** Adds pages for people to the scope below /console. (Default: there are none.) */
  console?: Console;
  /** (Default: nothing is traced.) */
  tracing?: Tracing;
  /** How long a request may take to arrive, in ms. (Default: 30000; its headers 10000.) */
  requestMs?: number;
}

const BODY_LIMIT = 1024 * 1024;
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;

export function buildApp({
  house,
  log,
  limits,
  metrics,
  console: pages,
  tracing,
  requestMs = REQUEST_MS,
}: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: log.child({}, { level: log.level === 'info' ? 'warn' : log.level }),
    bodyLimit: BODY_LIMIT,
    // A caller's own id lets one change be followed from its start to the history row.
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    // Behind the other limits, which say why.
    connectionTimeout: requestMs * 2,
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
    // What still comes over an open connection while the process ends is answered, and told that it was the last.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: answerUnrouted,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    // Judged by followHttp: node would answer without a body.
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(HEADERS_MS, requestMs),
      requestTimeout: requestMs,
      // Node looks for slow senders only so often, and would let them stay half a minute longer.
      connectionsCheckingInterval: Math.min(1_000, requestMs / 4),
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  // Fastify would read text/plain too: the contract is JSON, and any other type is told so (415).
  app.removeContentTypeParser('text/plain');
  // Many clients name JSON also when they send nothing; the schema of the route judges what is missing then.
  takeJson(app as unknown as FastifyInstance, 'application/json');
  installErrors(app as unknown as FastifyInstance);
  app.decorateRequest('actor', null);
  app.decorateRequest('place', null);
  app.decorateRequest('bucket', null);
  if (tracing?.isOn) traceRequests(app as unknown as FastifyInstance, tracing);
  if (metrics) countRequests(app as unknown as FastifyInstance, metrics);
  logWrites(app as unknown as FastifyInstance, log);
  describeApi(app as unknown as FastifyInstance);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  followHttp(app as unknown as FastifyInstance);
  app.addHook('onSend', returnBusyPlace(house));

  const limitOf = (own: (actor: Actor) => number | null, shared: number) => (actor: Actor) =>
    own(actor) ?? (limits ? shared : null);
  const countZone = limitWrites(
    house,
    'zones',
    limitOf((actor) => actor.zoneWrites, LIMITS.zones),
  );
  const recordLimit = limitOf((actor) => actor.recordWrites, LIMITS.records);
  const countRecord = limitWrites(house, 'records', recordLimit);
  const countRecords = countWrites(house, 'records', recordLimit);

  void app.register(
    async (v1) => {
      v1.addHook('onRequest', requireKey(house));
      const refuseTheRest = refuseOtherMethods(v1, '/v1');
      await v1.register(
        async (dns) => {
          zoneRoutes(dns, house, countZone);
          recordRoutes(dns, house, countRecord);
          batchRoutes(dns, house, countRecords);
          changeRoutes(dns, house);
          await dns.register(async (files) => zoneFileRoutes(files, house, countRecords));
        },
        { prefix: '/dns' },
      );
      await v1.register(async (account) => accountRoutes(account, house));
      refuseTheRest();
    },
    { prefix: '/v1' },
  );
  void app.register(
    async (acme) => {
      const refuseTheRest = refuseOtherMethods(acme, '/acme');
      await acmeRoutes(acme, house, countRecord);
      refuseTheRest();
    },
    { prefix: '/acme' },
  );
  if (pages) {
    const counts = { zone: countZone, record: countRecord, records: countRecords };
    void app.register(async (scope) => pages(scope as unknown as FastifyInstance, { house, log, counts }), {
      prefix: '/console',
    });
  }
  serveDescription(app as unknown as FastifyInstance);
  return app as unknown as FastifyInstance;
}
