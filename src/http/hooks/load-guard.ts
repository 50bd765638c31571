// The load guard of the api: under overload it refuses requests with 503 and Retry-After, first those without a key and
// those of the keys that make the most (src/http/load/shares.ts), then large ones (src/http/load/load.ts decides when).
// Probes and metrics have a server of their own and keep working.
//
//   zonestead_api_load_level              0, 1, 2
//   zonestead_api_load_delay_seconds      smoothed delay of the event loop
//   zonestead_api_load_refused_total      by kind: anonymous, unknown, heavy, large, body
//   zonestead_api_body_bytes              bytes of request bodies in memory
import { createHash } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listRecords } from '#contract/operations/records.ts';
import { refusal } from '#service/refusal.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { type BodyBudget, type BodyLease, createBodyBudget } from '../load/body-budget.ts';
import { type Guard, judgeLoad, type LoadLevel, NO_LOAD } from '../load/load.ts';
import type { Meter } from '../load/measure.ts';
import { createShares } from '../load/shares.ts';
import { toRoutePattern } from '../patterns.ts';

/** Requests over HTTP, those of name servers, and messages at the port of DNS updates. */
export type RequestKind = 'rest' | 'feed' | 'updates';

export interface LoadGuard {
  level(): LoadLevel;
  /** The guard for requests of a kind. They share the level, the metrics and the remembered keys. */
  of(kind: RequestKind): Guard;
  /** @throws Refusal busy if the memory for bodies is used up */
  admitBody(lease: BodyLease, bytes: number): void;
  readonly bodies: BodyBudget;
  close(): void;
}

interface LoadGuardOptions {
  meter: Meter;
  metrics: Metrics;
  /** The bytes of request bodies that may be held at once. */
  bodyBytes: number;
  /** The time in ms. */
  now(): number;
  /** The time between two measurements, in ms. (Default: 200.) */
  intervalMs?: number;
}

const KINDS = ['anonymous', 'unknown', 'heavy', 'large', 'body'] as const;
const RETRY_MS = 2_000;
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;
/**
 * The number of keys a second that were not used recently and may still query the database, at level 1 and 2. Each kind
 * of request has a number of its own: name servers must get through, and the sender of a DNS update may be forged.
 */
const UNKNOWN_PER_SECOND = 20;
const FEED_ROUTE = /^\/v1\/feed(\/|$)/;
const SMALL_BODY_BYTES = 64 * 1024;
/** Operations that read or write a whole zone. */
const LARGE_ROUTE = /\/(zonefile|export|search-data)(\/|$)/;
const POWERDNS_ZONE = '/api/v1/servers/:server/zones/:zone';

export function createLoadGuard({ meter, metrics, bodyBytes, now, intervalMs = 200 }: LoadGuardOptions): LoadGuard {
  let load = NO_LOAD;
  const bodies = createBodyBudget(bodyBytes);
  const refusals = metrics.counter({
    name: 'api_load_refused_total',
    help: 'Requests that the load guard refused: without a key (anonymous), with a key that was not used recently (unknown), with a key that made the most requests (heavy), large ones, and those whose body exceeded the memory for bodies.',
    labels: ['kind'],
  });
  for (const kind of KINDS) refusals.inc({ kind }, 0);
  metrics.gauge({
    name: 'api_load_level',
    help: '0 if the process serves every request, 1 if it refuses requests without a key that was used recently and requests of the heaviest keys, 2 if it refuses large requests too.',
    collect: (gauge) => gauge.set(load.level),
  });
  metrics.gauge({
    name: 'api_load_delay_seconds',
    help: 'Seconds by which the event loop is late, smoothed over a second.',
    collect: (gauge) => gauge.set(load.delayMs / 1000),
  });
  metrics.gauge({
    name: 'api_body_bytes',
    help: 'Bytes of request bodies in memory.',
    collect: (gauge) => gauge.set(bodies.taken()),
  });
  const timer = setInterval(() => {
    load = judgeLoad(load, meter.read(), now());
  }, intervalMs).unref();
  const shares = createShares();
  const adjustment = setInterval(() => shares.adjust(load.level > 0), 1_000).unref();
  const expiryByCredential = new Map<string, number>();
  let second = 0;
  let admitted: Record<RequestKind, number> = { rest: 0, feed: 0, updates: 0 };

  const refuse = (kind: (typeof KINDS)[number], cause: string): never => {
    refusals.inc({ kind });
    throw refusal('overloaded', { cause }, { retryAfterMs: RETRY_MS });
  };
  const mayTry = (kind: RequestKind) => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, admitted] = [current, { rest: 0, feed: 0, updates: 0 }];
    admitted[kind] += 1;
    return admitted[kind] <= UNKNOWN_PER_SECOND;
  };

  const createGuard = (kind: RequestKind): Guard => ({
    refuseStrangers(credential) {
      // A key that was limited under overload gets its requests back step by step, so level 0 refuses them as well.
      const isKnown = credential !== null && (expiryByCredential.get(credential) ?? 0) >= now();
      if (isKnown && kind !== 'feed' && !shares.admit(credential)) {
        refuse('heavy', 'The service is overloaded and this key makes the most requests; send fewer at a time.');
      }
      if (load.level === 0) return;
      if (credential === null) refuse('anonymous', 'The service is overloaded and serves requests with a key only.');
      else if (!isKnown && !mayTry(kind)) {
        refuse('unknown', 'The service is overloaded and serves keys that it has seen lately first.');
      }
    },
    refuseLarge() {
      if (load.level === 2) refuse('large', 'The service is overloaded and serves small requests only.');
    },
    remember(credential) {
      // The map keeps the order of insertion, so its first key is the oldest.
      expiryByCredential.delete(credential);
      expiryByCredential.set(credential, now() + REMEMBERED_MS);
      for (const oldest of expiryByCredential.keys()) {
        if (expiryByCredential.size <= MAX_REMEMBERED) break;
        expiryByCredential.delete(oldest);
      }
    },
  });
  const guards = { rest: createGuard('rest'), feed: createGuard('feed'), updates: createGuard('updates') };

  return {
    level: () => load.level,
    bodies,
    of: (kind) => guards[kind],
    admitBody(lease, bytes) {
      if (!lease.grow(bytes)) refuse('body', 'The service reads too many large requests at once.');
    },
    close: () => {
      clearInterval(timer);
      clearInterval(adjustment);
      meter.close();
    },
  };
}

/** A hash of the credential of the request. Null if the request has none. */
function hashCredential({ headers }: FastifyRequest): string | null {
  const text = headers.authorization ?? headers['x-api-key'] ?? headers.cookie;
  return text === undefined ? null : createHash('sha256').update(String(text)).digest('base64');
}

/** To be called before the routes are registered, and after the hooks that set headers of every answer. */
export function guardLoad(app: FastifyInstance, guard: LoadGuard): void {
  const guardFor = ({ routeOptions }: FastifyRequest) =>
    guard.of(FEED_ROUTE.test(routeOptions.url ?? '') ? 'feed' : 'rest');
  const remember = (request: FastifyRequest) => {
    const credential = hashCredential(request);
    if (credential !== null) guardFor(request).remember(credential);
  };
  app.addHook('onRequest', async (request) => {
    const requestGuard = guardFor(request);
    requestGuard.refuseStrangers(hashCredential(request));
    if (guard.level() === 2 && isLarge(request)) requestGuard.refuseLarge();
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    const { headers, method } = request;
    const length = Number(headers['content-length'] ?? 0);
    const chunked = headers['transfer-encoding'] !== undefined;
    if (method === 'GET' || method === 'HEAD' || (length === 0 && !chunked)) return payload;
    // The answer is 413, sent before the body is read.
    if (length > (request.routeOptions.bodyLimit ?? 0)) return payload;
    const lease = guard.bodies.open((request.actor ?? request.node)?.keyId ?? request.clientAddress);
    // After the answer, the rest of the body is dropped on arrival. Without an answer, the connection closes.
    for (const end of ['finish', 'close']) reply.raw.once(end, () => lease.release());
    guard.admitBody(lease, length);
    return chunked ? counted(payload, lease, guard) : payload;
  });
  // A stream of the feed has its response when it ends.
  app.addHook('preHandler', async (request) => {
    if (request.node !== null) remember(request);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (request.actor !== null && reply.statusCode !== 401) remember(request);
  });
}

function isLarge({ headers, routeOptions, query }: FastifyRequest): boolean {
  // A name server that cannot report counts as silent.
  if (FEED_ROUTE.test(routeOptions.url ?? '')) return false;
  if (headers['transfer-encoding'] !== undefined) return true;
  if (Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES) return true;
  const route = toRoutePattern(routeOptions.url ?? '');
  if (LARGE_ROUTE.test(route)) return true;
  const { limit, name, rrsets, rrset_name } = (query ?? {}) as Record<string, unknown>;
  if (route === POWERDNS_ZONE && routeOptions.method === 'GET') return rrsets !== 'false' && rrset_name === undefined;
  const isList = routeOptions.config.operation?.id === listRecords.id;
  return isList && limit === undefined && name === undefined;
}

/** A body of unknown length takes its bytes from the budget as they arrive. */
function counted(payload: NodeJS.ReadableStream, lease: BodyLease, guard: LoadGuard): Transform {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        guard.admitBody(lease, chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  return pipeline(payload, counter, () => undefined) as Transform;
}
