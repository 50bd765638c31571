// Authenticates clients that cannot send a bearer token: they send the key as the password of HTTP Basic.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceContext } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { readBearer } from './auth.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user name of HTTP Basic. Null if there is none. */
    basicUser: string | null;
  }
}

const BASIC_CHALLENGE = 'Basic realm="zonestead", charset="UTF-8"';

/**
 * Creates an onRequest hook for `Authorization: Basic` with a key as password (RFC 7617), or `Bearer`.
 * @throws Refusal unauthorized
 */
export function requireBasicKey(context: ServiceContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const header = request.headers.authorization ?? '';
    const [, token] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(header) ?? [];
    const pair = token === undefined ? null : Buffer.from(token, 'base64').toString();
    const at = pair?.indexOf(':') ?? -1;
    const text = pair === null || at < 0 ? readBearer(request) : pair.slice(at + 1);
    reply.header('www-authenticate', BASIC_CHALLENGE);
    request.actor = await authenticate(context, text, request.clientAddress);
    reply.removeHeader('www-authenticate');
    request.basicUser = pair === null || at < 1 ? null : pair.slice(0, at);
  };
}
