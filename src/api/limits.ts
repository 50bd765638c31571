// The write limits of SPEC section 8, per key, as hooks of the routes that write. A failed write counts, `busy` does not.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../zones/actor.ts';
import type { House } from '../zones/change.ts';
import { type Bucket, countWrite, uncountWrite } from '../zones/limits.ts';
import { actorOf } from './auth.ts';
import { retryAfterSeconds, STATUS } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    place: { bucket: Bucket; at: string } | null;
    /** Of a write, whatever becomes of it. */
    bucket: Bucket | null;
  }
}

export type WriteHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Counts so many changes of one request. @throws Refusal rate_limited; bad_request when they are more than the limit */
export type CountWrites = (request: FastifyRequest, reply: FastifyReply, changes: number) => Promise<void>;

/** The hooks of every kind of write, for routes that are registered elsewhere. */
export interface WriteCounts {
  zone: WriteHook;
  record: WriteHook;
  records: CountWrites;
}

/** An onRequest hook, behind requireKey. @throws Refusal rate_limited */
export function limitWrites(house: House, bucket: Bucket, limitOf: (actor: Actor) => number | null): WriteHook {
  const count = countWrites(house, bucket, limitOf);
  return (request, reply) => count(request, reply, 1);
}

/** For requests whose body says how many changes they are. */
export function countWrites(house: House, bucket: Bucket, limitOf: (actor: Actor) => number | null): CountWrites {
  return async (request, reply, changes) => {
    request.bucket = bucket;
    const actor = actorOf(request);
    const limit = limitOf(actor);
    if (limit === null) return;
    const place = await countWrite(house, actor, bucket, limit, changes);
    request.place = { bucket, at: place.at };
    reply.header('ratelimit-policy', `"${bucket}";q=${limit};w=60`);
    reply.header('ratelimit', `"${bucket}";r=${place.left};t=${retryAfterSeconds(60_000)}`);
  };
}

/** An onSend hook: `busy` wrote nothing, so the place goes back. */
export function returnBusyPlace(house: House) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (reply.statusCode !== STATUS.busy || request.place === null) return;
    await uncountWrite(house, actorOf(request), request.place.bucket, request.place.at);
  };
}
