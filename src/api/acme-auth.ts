// Who asks, for clients that cannot send a bearer token: the key as the password of HTTP Basic, or in the two headers of
// acme-dns. Which operation it is about is not known here.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { House } from '../zones/change.ts';
import { authenticate } from '../zones/keys.ts';
import { bearerOf } from './auth.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user name of HTTP Basic; null without one. */
    basicUser: string | null;
  }
}

export const BASIC_CHALLENGE = 'Basic realm="zonestead", charset="UTF-8"';

/** An onRequest hook: `Authorization: Basic` with a key as password (RFC 7617), or `Bearer`. @throws Refusal unauthorized */
export function requireBasicKey(house: House) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const header = request.headers.authorization ?? '';
    const [, token] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(header) ?? [];
    const pair = token === undefined ? null : Buffer.from(token, 'base64').toString();
    const at = pair?.indexOf(':') ?? -1;
    const text = pair === null || at < 0 ? bearerOf(request) : pair.slice(at + 1);
    reply.header('www-authenticate', BASIC_CHALLENGE);
    request.actor = await authenticate(house.db, text, request.ip, house.now());
    reply.removeHeader('www-authenticate');
    request.basicUser = pair === null || at < 1 ? null : pair.slice(0, at);
  };
}

/** An onRequest hook: `X-Api-User` (the key's id) and `X-Api-Key`. @throws Refusal unauthorized */
export function requireApiHeaders(house: House) {
  return async (request: FastifyRequest): Promise<void> => {
    const [user, key] = [request.headers['x-api-user'], request.headers['x-api-key']];
    // A user name that is not the key's is as wrong as no key.
    const text = typeof key === 'string' && key.startsWith(`yk_${user}_`) ? key : null;
    request.actor = await authenticate(house.db, text, request.ip, house.now());
  };
}
