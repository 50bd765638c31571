// The HTTP application: plugins, hooks and routes put together. Does not listen and opens nothing.
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Actor } from '../zones/actor.ts';
import type { House } from '../zones/change.ts';
import { LIMITS } from '../zones/limits.ts';
import { requireKey } from './auth.ts';
import { answerBrokenRequest, installErrors } from './errors.ts';
import { countWrites, limitWrites, returnBusyPlace } from './limits.ts';
import { countRequests } from './metrics.ts';
import { describeApi, serveDescription } from './openapi.ts';
import { accountRoutes } from './routes/account.ts';
import { acmeRoutes } from './routes/acme.ts';
import { batchRoutes } from './routes/batch.ts';
import { changeRoutes } from './routes/changes.ts';
import { recordRoutes } from './routes/records.ts';
import { zoneFileRoutes } from './routes/zonefile.ts';
import { zoneRoutes } from './routes/zones.ts';

export interface AppOptions {
  house: House;
  log: Logger;
  /** Whether keys without numbers of their own are held to the limits of SPEC section 8. */
  limits: boolean;
  /** (Default: nothing is counted.) */
  metrics?: Metrics;
}

const BODY_LIMIT = 1024 * 1024;
const REQUEST_ID = /^[\w.:/-]{1,128}$/;

export function buildApp({ house, log, limits, metrics }: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: log.child({}, { level: log.level === 'info' ? 'warn' : log.level }),
    bodyLimit: BODY_LIMIT,
    // A caller's own id lets one change be followed from its start to the history row.
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    connectionTimeout: 30_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    clientErrorHandler: answerBrokenRequest,
    routerOptions: { maxParamLength: 512 },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  // Fastify would read text/plain too: the contract is JSON, and any other type is told so (415).
  app.removeContentTypeParser('text/plain');
  // Many clients name JSON also when they send nothing; the schema of the route judges what is missing then.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body as string, done);
  });
  installErrors(app as unknown as FastifyInstance);
  app.decorateRequest('actor', null);
  app.decorateRequest('place', null);
  app.decorateRequest('bucket', null);
  if (metrics) countRequests(app as unknown as FastifyInstance, metrics);
  describeApi(app as unknown as FastifyInstance);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
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
      accountRoutes(v1, house);
    },
    { prefix: '/v1' },
  );
  void app.register(async (acme) => acmeRoutes(acme, house, countRecord), { prefix: '/acme' });
  serveDescription(app as unknown as FastifyInstance);
  return app as unknown as FastifyInstance;
}
