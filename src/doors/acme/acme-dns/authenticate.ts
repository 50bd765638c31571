// Authenticates clients of acme-dns, which send the key in two headers.
import type { FastifyRequest } from 'fastify';
import type { ServiceContext } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { isToken } from '#service/trusts/authenticate.ts';

/**
 * Creates an onRequest hook for `X-Api-User` (the key's id; any text with a token) and `X-Api-Key`.
 * @throws Refusal unauthorized
 */
export function requireApiHeaders(context: ServiceContext) {
  return async (request: FastifyRequest): Promise<void> => {
    const [user, key] = [request.headers['x-api-user'], request.headers['x-api-key']];
    // A user name that does not belong to the key is refused like a missing key.
    const isOfUser = typeof key === 'string' && [`yk_${user}_`, `yn_${user}_`].some((start) => key.startsWith(start));
    const text = typeof key === 'string' && (isOfUser || isToken(key)) ? key : null;
    request.actor = await authenticate(context, text, request.clientAddress);
  };
}
