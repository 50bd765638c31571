// Authenticates requests by their bearer key, before anything else of the request is read.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE, MANAGED_BY, MANAGED_BY_RULE } from '#contract/shared.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { refusal } from '#service/refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}

/** The token of `Authorization: Bearer` (RFC 6750 section 2.1); null without one. */
export function readBearer({ headers }: FastifyRequest): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Creates an onRequest hook. @throws Refusal unauthorized */
export function requireKey(context: ServiceContext): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const agent = request.headers['user-agent'] ?? null;
    request.actor = await authenticate(context, readBearer(request), request.clientAddress, agent);
  };
}

/** The actor of a request that passed requireKey. */
export function requireActor(request: FastifyRequest): Actor {
  if (!request.actor) throw new Error(`${request.routeOptions.url} is served without authentication`);
  return request.actor;
}

/**
 * The caller of a change.
 * @throws Refusal bad_request if the Idempotency-Key or Zonestead-Managed-By header is malformed
 */
export function readCaller(request: FastifyRequest): Caller {
  const token = request.headers['idempotency-key'];
  const managedBy = request.headers['zonestead-managed-by'] ?? null;
  if (managedBy !== null && (typeof managedBy !== 'string' || !MANAGED_BY.test(managedBy))) {
    throw refusal('bad-header', { problem: MANAGED_BY_RULE }, { field: 'Zonestead-Managed-By' });
  }
  const caller = {
    actor: requireActor(request),
    requestId: request.id,
    managedBy,
    isGone: () => request.socket.destroyed,
  };
  if (token === undefined || request.method !== 'POST') return { ...caller, once: null };
  if (typeof token !== 'string' || !IDEMPOTENCY_KEY.test(token)) {
    throw refusal('bad-header', { problem: IDEMPOTENCY_KEY_RULE }, { field: 'Idempotency-Key' });
  }
  return { ...caller, once: { token, requestHash: hashOfPost(request.url, request.body) } };
}

/**
 * The hash of the request that a stored answer belongs to. A POST and the change of a batch that stands for it have the
 * same hash.
 */
export function hashOfPost(url: string, body: unknown): Uint8Array {
  return createHash('sha256')
    .update(`POST ${url}\n${JSON.stringify(body ?? null)}`)
    .digest();
}
