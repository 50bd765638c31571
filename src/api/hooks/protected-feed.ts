// Private keys leave the api over protected connections only (src/edge/encrypted.ts).
import type { FastifyRequest } from 'fastify';
import type { IsTrusted } from '#edge/client-address.ts';
import { isProtected } from '#edge/encrypted.ts';
import { refusal } from '#service/refusal.ts';

/** Creates an onRequest hook, to be called before the authentication. @throws Refusal forbidden */
export function requireProtection(isTrusted: IsTrusted): (request: FastifyRequest) => Promise<void> {
  return async ({ raw: { socket, headersDistinct }, clientAddress }) => {
    const { 'x-forwarded-proto': xForwardedProto = [], forwarded = [] } = headersDistinct;
    const peer = socket.remoteAddress ?? '';
    const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
    const own = socket.localAddress ?? '';
    const isTrustedProxy = isTrusted(peer);
    if (!isProtected({ isEncrypted, peer, own, isTrustedProxy, client: clientAddress, xForwardedProto, forwarded })) {
      throw refusal('feed-not-encrypted');
    }
  };
}
