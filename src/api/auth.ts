// Who asks: the bearer key of every request, before anything else of it is looked at.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../zones/actor.ts';
import type { Caller, House } from '../zones/change.ts';
import { authenticate } from '../zones/keys.ts';
import { Refusal } from '../zones/refusal.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE, MANAGED_BY, MANAGED_BY_RULE } from './schemas/shared.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}

/** An onRequest hook. @throws Refusal unauthorized */
/** The token of `Authorization: Bearer` (RFC 6750 section 2.1); null without one. */
export function bearerOf({ headers }: FastifyRequest): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

export function requireKey(house: House): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const agent = request.headers['user-agent'] ?? null;
    request.actor = await authenticate(house.db, bearerOf(request), request.ip, house.now(), agent);
  };
}

/** The actor of a request that passed requireKey. */
export function actorOf(request: FastifyRequest): Actor {
  if (!request.actor) throw new Error(`${request.routeOptions.url} is served without a key`);
  return request.actor;
}

/** The caller of a change. @throws Refusal bad_request when the Idempotency-Key or Zonestead-Managed-By is malformed */
export function callerOf(request: FastifyRequest): Caller {
  const token = request.headers['idempotency-key'];
  const managedBy = request.headers['zonestead-managed-by'] ?? null;
  if (managedBy !== null && (typeof managedBy !== 'string' || !MANAGED_BY.test(managedBy))) {
    throw new Refusal('bad_request', `Zonestead-Managed-By: ${MANAGED_BY_RULE}.`);
  }
  const caller = { actor: actorOf(request), requestId: request.id, managedBy };
  if (token === undefined || request.method !== 'POST') return { ...caller, once: null };
  if (typeof token !== 'string' || !IDEMPOTENCY_KEY.test(token)) {
    throw new Refusal('bad_request', `Idempotency-Key: ${IDEMPOTENCY_KEY_RULE}.`);
  }
  return { ...caller, once: { token, requestHash: hashOfPost(request.url, request.body) } };
}

/** What a kept answer belongs to. The same for a POST and for the change in a batch that stands for it. */
export function hashOfPost(url: string, body: unknown): Uint8Array {
  return createHash('sha256')
    .update(`POST ${url}\n${JSON.stringify(body ?? null)}`)
    .digest();
}
