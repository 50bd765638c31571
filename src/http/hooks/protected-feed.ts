// Private keys leave the api over protected connections only (src/http/connections/encrypted.ts).
import type { FastifyRequest } from 'fastify';
import { refusal } from '#service/refusal.ts';
import type { IsTrusted, ProxyHeader } from '../connections/client-address.ts';
import { isProtected } from '../connections/encrypted.ts';

/** Creates an onRequest hook, to be called before the authentication. @throws Refusal forbidden */
export function requireProtection(
  isTrusted: IsTrusted,
  proxyHeader: ProxyHeader,
): (request: FastifyRequest) => Promise<void> {
  return async ({ raw: { socket, headersDistinct }, clientAddress }) => {
    const { 'x-forwarded-proto': xForwardedProto = [], forwarded = [] } = headersDistinct;
    const peer = socket.remoteAddress ?? '';
    const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
    const localAddress = socket.localAddress ?? '';
    const isTrustedProxy = isTrusted(peer);
    const proxyFacts = { isTrustedProxy, proxyHeader, xForwardedProto, forwarded };
    if (!isProtected({ isEncrypted, peer, own: localAddress, client: clientAddress, ...proxyFacts })) {
      throw refusal('feed-not-encrypted');
    }
  };
}
