// The port without TLS, next to one with TLS: it answers this machine, for instance `kubectl port-forward`, and trusted
// proxies, which end the TLS of their clients. A key from anywhere else has crossed the network in plain text, so its
// request is refused in place of working silently.
import type { FastifyInstance } from 'fastify';
import { refusal } from '#service/refusal.ts';
import type { IsTrusted } from '../connections/client-address.ts';
import { isSameMachine } from '../connections/encrypted.ts';
import { isRenamed } from '../connections/peer.ts';

/**
 * To be called only if the application also listens with TLS. Requests without a key are refused, too: clients carry
 * keys in many places (headers, cookies, forms), and an anonymous request is usually followed by one with a key.
 * The hook throws Refusal not-encrypted.
 */
export function refusePlainRequests(app: FastifyInstance, isTrusted: IsTrusted): void {
  app.addHook('onRequest', async ({ raw: { socket } }) => {
    if ('encrypted' in socket && socket.encrypted === true) return;
    const { remoteAddress = '', localAddress = '' } = socket;
    // Only trusted proxies can rename a connection, by the PROXY protocol.
    if (isRenamed(socket) || isTrusted(remoteAddress) || isSameMachine(remoteAddress, localAddress)) return;
    throw refusal('not-encrypted');
  });
}
