// The HTTP API of PowerDNS (version 1), for the many clients that speak it. It translates to the operations of the
// service: the rights, limits, history and conflicts are those of the API key in the header X-API-Key.
//
//     docs/reference/powerdns-api.md has the requests, and how the answers differ from those of PowerDNS
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { takeJson } from '#http/hooks/json-body.ts';
import { sendRefusal, toHttpStatus } from '#http/refusals.ts';
import type { ServiceContext } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { Refusal, refusal } from '#service/refusal.ts';
import { type DoorParts, openDoor } from '../door.ts';
import { POWERDNS_REFUSALS } from './refusals.ts';
import { actionRoutes } from './routes/actions.ts';
import { exportRoute } from './routes/export.ts';
import { keyRoutes } from './routes/keys.ts';
import { patchRoute } from './routes/patch.ts';
import { putRoute } from './routes/put.ts';
import { searchRoute } from './routes/search.ts';
import { apiRoutes, serverRoutes } from './routes/server.ts';
import { powerDnsZoneRoutes } from './routes/zones.ts';

/** Enough for MAX_RECORDS records of ordinary length. */
const BODY_LIMIT = 4 * 1024 * 1024;
/** MAX_RRSETS and MAX_RECORDS have some 90,000 values, with the fields that clients add. */
const JSON_BOUNDS = { depth: 32, values: 200_000 };
/** Clients send bodies where none is needed. */
const MAY_HAVE_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export function openPowerDns(app: FastifyInstance, parts: DoorParts): void {
  openDoor(app, parts, { prefix: '/api', routes: (scope) => powerDnsRoutes(scope, parts), answerOptions });
}

async function powerDnsRoutes(app: FastifyInstance, { context, writeLimits, feed }: DoorParts): Promise<void> {
  // Some clients send JSON with the content type of a form, or with none.
  app.removeAllContentTypeParsers();
  takeJson(app, '*', JSON_BOUNDS);
  app.addHook('onRequest', requireKeyHeader(context));
  app.addHook('onRoute', (route) => {
    route.config = { refusals: POWERDNS_REFUSALS, ...route.config };
    // The description of the REST API does not list these routes.
    route.schema = { hide: true, ...(MAY_HAVE_BODY.has(String(route.method)) ? { body: z.unknown() } : {}) };
    route.bodyLimit = BODY_LIMIT;
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]?.slice(0, 200) ?? '';
    const refused = refusal('no-such-powerdns-path', { method: request.method, path });
    return sendRefusal(reply, refused, toHttpStatus(refused), POWERDNS_REFUSALS);
  });
  apiRoutes(app);
  await app.register(
    async (server) => {
      serverRoutes(server);
      powerDnsZoneRoutes(server, context, writeLimits.records);
      patchRoute(server, context, feed?.arrivals);
      putRoute(server, context, feed?.arrivals);
      actionRoutes(server, context);
      exportRoute(server, context);
      keyRoutes(server, context);
      searchRoute(server, context);
    },
    // A PowerDNS server calls itself localhost. Any id is answered.
    { prefix: '/v1/servers/:server' },
  );
}

/** The answer to OPTIONS. No page of another origin may use the API, as with a PowerDNS without further settings. */
function answerOptions(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .header('access-control-allow-headers', 'Content-Type, X-API-Key')
    .header('access-control-allow-methods', methods)
    .send();
}

/**
 * Creates an onRequest hook. OPTIONS needs no key: its answer says nothing about zones.
 * @throws Refusal unauthorized
 */
function requireKeyHeader(context: ServiceContext) {
  return async (request: FastifyRequest): Promise<void> => {
    if (request.method === 'OPTIONS') return;
    const { 'x-api-key': key, 'user-agent': agent = null } = request.headers;
    const text = typeof key === 'string' ? key.trim() : null;
    request.actor = await authenticate(context, text, request.clientAddress, agent).catch((error: unknown) => {
      // The sentence of REST names another header.
      throw error instanceof Refusal && error.rule === 'invalid-key' ? refusal('invalid-header-key') : error;
    });
  };
}
