// The write limits of each key (contract L1 to L6). A route that writes declares in its `config` what it counts, and
// one hook counts for REST, for the ACME protocols and for the console alike. A failed write counts; `busy` does not.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { BUCKETS, type RouteBucket } from '#base/buckets.ts';
import { countBulkWrites } from '#base/bulk-writes.ts';
import { retryAfterSeconds } from '#base/retry-after.ts';
import type { WriteCost } from '#contract/shared.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { WriteBudget } from '#service/change/write-budget.ts';
import type { ServiceContext } from '#service/context.ts';
import { openBudget, openRecordBudget, type RecordBudget, type WindowBudget, windowHolder } from '#service/limits.ts';
import { Refusal } from '#service/refusal.ts';
import { STATUS } from '../error-codes.ts';
import { requireActor } from './auth.ts';

/** A bucket alone: each request is one write. */
type Counts = RouteBucket | { bucket: RouteBucket; changes: ChangesOf; challenges?: ChallengesOf };

/** How many of the records in the body are those of challenges, before the body is validated. */
type ChallengesOf = (request: FastifyRequest) => number;

/**
 * The number of writes by the body, before it is validated; `operation`: the operation counts, with `requireCounter`.
 */
type ChangesOf = ((request: FastifyRequest) => number) | 'operation';

/**
 * Counts the changes of the request, at most half of the limit of the key. A second call with more changes counts the
 * difference.
 * @param challenges so many of them are challenges, if the bucket is that of records; also in each later call
 * @throws Refusal rate_limited; forbidden if the limit is 0
 */
interface CountChanges {
  (changes: number, challenges?: number): Promise<void>;
  /** The price of a request with so many changes; null: the key has no limit. */
  costOf(changes: number): WriteCost | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The writes that a request of this route counts as. */
    counts?: Counts;
  }
  interface FastifyRequest {
    /** The writes of this request in the window of its key; null before the first count. */
    budget: WindowBudget | RecordBudget | null;
    /** The bucket of a route that writes; null for other routes. */
    bucket: RouteBucket | null;
    /** Set for routes whose operation counts. */
    countChanges: CountChanges | null;
    /** Counts a request whose body is not read yet as one write; null: its writes need not be counted any more. */
    countUnread: (() => Promise<void>) | null;
    /** In the console: the refusal by the write limit, which the form shows. */
    limitRefusal: Refusal | null;
  }
}

/** The limit of a key for each bucket, in writes per window; null: none. */
export type WriteLimits = Readonly<Record<RouteBucket, (actor: Actor) => number | null>>;

export function decorateCounts(app: FastifyInstance): void {
  app.decorateRequest('budget', null);
  app.decorateRequest('bucket', null);
  app.decorateRequest('countChanges', null);
  app.decorateRequest('limitRefusal', null);
}

/**
 * Counts the writes of the routes that are registered in this scope after it.
 * @param at `start`: after authentication, before the body is read. `form`: after the check of the form's token; a
 * refusal is kept for the form to show.
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
    const { bucket, changes = 1, challenges } = typeof counts === 'string' ? { bucket: counts } : counts;
    const count = async (request: FastifyRequest, reply: FastifyReply) => {
      request.bucket = bucket;
      const countChanges: CountChanges = Object.assign(
        (writes: number, own = challenges?.(request) ?? 0) =>
          take(context, request, reply, { bucket, limitOf: limits[bucket], changes: writes, challenges: own }),
        { costOf: (writes: number) => toWriteCost(writes, limits[bucket](requireActor(request))) },
      );
      if (changes === 'operation') {
        request.countChanges = countChanges;
        // An operation that counts nothing has used no write: without the number of writes left, the policy says just
        // that.
        const limit = limits[bucket](requireActor(request));
        if (limit !== null) reply.header('ratelimit-policy', formatPolicy(bucket, limit));
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
    else if (typeof changes === 'number' && challenges === undefined) append(route, 'onRequest', count);
    else {
      append(route, 'onRequest', async (request, reply) => {
        request.bucket = bucket;
        request.countUnread = () =>
          take(context, request, reply, { bucket, limitOf: limits[bucket], changes: 1, challenges: 0 });
      });
      append(route, 'preValidation', async (request, reply) => {
        request.countUnread = null;
        await count(request, reply);
      });
    }
  });
}

/**
 * Counts a request that failed before its body was read, so that bodies which no parser takes have a limit as well.
 * @returns the error to answer: the given one, or the refusal by the limit
 */
export async function countFailedBody<E>(request: FastifyRequest, error: E): Promise<E | Refusal> {
  const { countUnread } = request;
  if (countUnread === null) return error;
  request.countUnread = null;
  try {
    await countUnread();
    return error;
  } catch (refused) {
    if (refused instanceof Refusal) return refused;
    throw refused;
  }
}

/** For the handler of a route whose operation counts. */
export function requireCounter({ countChanges }: FastifyRequest): CountChanges {
  if (countChanges === null) throw new Error('the config of this route does not declare that its operation counts');
  return countChanges;
}

/**
 * The budget of a handler whose operation counts after it was judged.
 * @param counted writes that the handler counted before
 * @param challenges how many of the records of the request are those of challenges
 */
export function createWriteBudget(request: FastifyRequest, counted = 0, challenges = 0): WriteBudget {
  const count = requireCounter(request);
  return { counted, count: (writes) => count(writes, challenges) };
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Runs the hook after the others of the route. */
function append(route: RouteOptions, stage: 'onRequest' | 'preValidation' | 'preHandler', hook: Hook): void {
  const others = route[stage] ?? [];
  // The type of each stage names the stage; the functions are the same.
  route[stage] = [...(Array.isArray(others) ? others : [others]), hook] as never;
}

interface Taking {
  bucket: RouteBucket;
  limitOf: (actor: Actor) => number | null;
  changes: number;
  challenges: number;
}

async function take(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { bucket, limitOf, changes, challenges }: Taking,
): Promise<void> {
  const actor = requireActor(request);
  const limit = limitOf(actor);
  if (bucket === 'records') request.bucket = changes <= challenges ? 'challenges' : 'records';
  if (limit === null) return;
  request.budget ??=
    bucket === 'records'
      ? openRecordBudget(context, actor, limit, challenges)
      : openBudget(context, windowHolder(actor, bucket), bucket, limit);
  const { budget } = request;
  const before = budget.counted;
  await budget.count(changes);
  if (budget.counted === before) return;
  const windows = 'windows' in budget ? Object.entries(budget.windows) : [[bucket, budget] as const];
  const counted = windows.filter(([, { left }]) => left !== null) as [RouteBucket, WindowBudget][];
  reply.header('ratelimit-policy', counted.map(([name]) => formatPolicy(name, limit)).join(', '));
  reply.header(
    'ratelimit',
    counted.map(([name, { left }]) => `"${name}";r=${left};t=${retryAfterSeconds(BUCKETS[name].windowMs)}`).join(', '),
  );
}

function toWriteCost(changes: number, limit: number | null): WriteCost | null {
  return limit === null ? null : { writes: countBulkWrites(changes, limit), limit };
}

function formatPolicy(bucket: RouteBucket, limit: number): string {
  return `"${bucket}";q=${limit};w=${BUCKETS[bucket].windowMs / 1000}`;
}

/** The answer does not wait longer than this for a database that is down, in ms. */
const RETURN_MS = 250;

/** An onSend hook: `busy` wrote nothing, so its writes do not count. It never fails the answer. */
export function giveBackBusyWrite() {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (reply.statusCode !== STATUS.busy || request.budget === null) return;
    const refund = request.budget.giveBack().catch((error) => {
      request.log.debug({ err: error }, 'failed to give back a busy write');
    });
    const limit = new AbortController();
    await Promise.race([refund, sleep(RETURN_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
    limit.abort();
  };
}
