// The write limits of SPEC section 8, per key. A route that writes declares in its `config` what it counts, and one hook counts
// for REST, for the ACME protocols and for the console alike. A failed write counts; `busy` does not.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { retryAfterSeconds } from '#base/retry-after.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { ServiceContext } from '#service/context.ts';
import { type Bucket, countWrite, uncountWrite } from '#service/limits.ts';
import { Refusal } from '#service/refusal.ts';
import { STATUS } from '../error-codes.ts';
import { actorOf } from './auth.ts';

/** A bucket alone: each request is one write. */
type Counts = Bucket | { bucket: Bucket; changes: ChangesOf };

/** The number of writes by the body, before it is validated; `operation`: the operation counts, with `counterOf`. */
type ChangesOf = ((request: FastifyRequest) => number) | 'operation';

/**
 * Counts the request as so many writes in all: a second call takes the places that the first one did not.
 * @param options.share counts no more than this share of the writes of a window, so that a request that cannot be split is possible.
 * (Default: no bound.)
 * @throws Refusal rate_limited; bad_request if there are more writes than the limit
 */
type CountChanges = (changes: number, options?: { share?: number }) => Promise<void>;

/** The share of an undo or a restore: the previews before it fit into the same window. */
export const SHARE_OF_UNDO = 0.5;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The writes that a request of this route counts as. (Default: none.) */
    counts?: Counts;
  }
  interface FastifyRequest {
    /** The places of this request in the write window: their number, and the times that give them back. */
    places: { bucket: Bucket; changes: number; at: readonly string[] } | null;
    /** The bucket of a route that writes; null for other routes. */
    bucket: Bucket | null;
    /** Set for routes whose operation counts. */
    countChanges: CountChanges | null;
    /** In the console: the refusal by the write limit, which the form shows. */
    limitRefusal: Refusal | null;
  }
}

/** The limit of a key for each bucket, in writes per window; null: none. */
export type WriteLimits = Readonly<Record<Bucket, (actor: Actor) => number | null>>;

export function decorateCounts(app: FastifyInstance): void {
  app.decorateRequest('places', null);
  app.decorateRequest('bucket', null);
  app.decorateRequest('countChanges', null);
  app.decorateRequest('limitRefusal', null);
}

/**
 * Counts the writes of the routes that are registered in this scope after it.
 * @param at `start`: after authentication, before the body is read. `form`: after the check of the form's token; a refusal is
 * kept for the form to show.
 */
export function countDeclaredWrites(
  scope: FastifyInstance,
  context: ServiceContext,
  limits: WriteLimits,
  at: 'start' | 'form',
): void {
  scope.addHook('onRoute', (route) => {
    const counts = route.config?.counts;
    if (counts === undefined) return;
    const { bucket, changes = 1 } = typeof counts === 'string' ? { bucket: counts } : counts;
    const count = async (request: FastifyRequest, reply: FastifyReply) => {
      request.bucket = bucket;
      const countChanges: CountChanges = (wanted, options) =>
        take(context, request, reply, bucket, limits[bucket], wanted, options);
      if (changes === 'operation') {
        request.countChanges = countChanges;
        // An operation that counts nothing has used no place: without the number of places left, the policy says just that.
        const limit = limits[bucket](actorOf(request));
        if (limit !== null) reply.header('ratelimit-policy', policyOf(bucket, limit));
      } else await countChanges(typeof changes === 'number' ? changes : changes(request));
    };
    const keepRefusal = async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        await count(request, reply);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        request.limitRefusal = error;
      }
    };
    if (at === 'form') append(route, 'preHandler', keepRefusal);
    else append(route, typeof changes === 'function' ? 'preValidation' : 'onRequest', count);
  });
}

/** For the handler of a route whose operation counts. */
export function counterOf({ countChanges }: FastifyRequest): CountChanges {
  if (countChanges === null) throw new Error('the config of this route does not declare that its operation counts');
  return countChanges;
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Runs the hook after the others of the route. */
function append(route: RouteOptions, stage: 'onRequest' | 'preValidation' | 'preHandler', hook: Hook): void {
  const others = route[stage] ?? [];
  // The type of each stage names the stage; the functions are the same.
  route[stage] = [...(Array.isArray(others) ? others : [others]), hook] as never;
}

async function take(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  bucket: Bucket,
  limitOf: (actor: Actor) => number | null,
  wanted: number,
  { share = Number.POSITIVE_INFINITY }: { share?: number } = {},
): Promise<void> {
  const actor = actorOf(request);
  const limit = limitOf(actor);
  if (limit === null) return;
  const { changes: counted, at } = request.places ?? { changes: 0, at: [] };
  const changes = Math.min(wanted, Math.ceil(limit * share));
  if (changes <= counted) return;
  const place = await countWrite(context, actor, bucket, limit, changes - counted, changes);
  request.places = { bucket, changes, at: [...at, place.at] };
  reply.header('ratelimit-policy', policyOf(bucket, limit));
  reply.header('ratelimit', `"${bucket}";r=${place.left};t=${retryAfterSeconds(60_000)}`);
}

function policyOf(bucket: Bucket, limit: number): string {
  return `"${bucket}";q=${limit};w=60`;
}

/** The answer does not wait longer than this for a database that is away, in ms. */
const RETURN_MS = 250;

/** An onSend hook: `busy` wrote nothing, so the places go back. It never fails the answer. */
export function returnBusyPlace(context: ServiceContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (reply.statusCode !== STATUS.busy || request.places === null) return;
    const { bucket, at } = request.places;
    const actor = actorOf(request);
    const returned = Promise.all(at.map((each) => uncountWrite(context, actor, bucket, each))).catch((error) => {
      request.log.debug({ err: error }, 'failed to give back the places of a busy write');
    });
    const limit = new AbortController();
    await Promise.race([returned, sleep(RETURN_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
    limit.abort();
  };
}
