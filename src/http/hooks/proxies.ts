// The address of the client of each request. Networks of keys, logs and limits use it, never the address of a trusted
// proxy. Without trusted proxies it is the address of the connection's peer, and headers are ignored.
import type { FastifyInstance } from 'fastify';
import { matchNetworks } from '#base/networks.ts';
import type { Config } from '#config.ts';
import { clientAddress, type IsTrusted, type ProxyHeader } from '../connections/client-address.ts';
import type { PROXY_SETTINGS } from '../settings.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** IPv4 or IPv6 in lower case, without a port. */
    clientAddress: string;
  }
}

type ProxySettings = Config<(typeof PROXY_SETTINGS)[number]>;

/** @throws Error if the PROXY protocol is on and no proxy is trusted */
export function checkProxies(config: ProxySettings): void {
  if (config.ZONESTEAD_PROXY_PROTOCOL && config.ZONESTEAD_TRUSTED_PROXIES.length === 0) {
    throw new Error(
      'ZONESTEAD_PROXY_PROTOCOL is on, but ZONESTEAD_TRUSTED_PROXIES names no proxy: name the addresses that the load balancer connects from.',
    );
  }
}

export function trustedProxies(config: ProxySettings): IsTrusted {
  return matchNetworks(config.ZONESTEAD_TRUSTED_PROXIES);
}

/** The address of a connection that closed before its address was read. */
const GONE = '0.0.0.0';

/** To be called before every other hook. */
export function knowClients(app: FastifyInstance, isTrusted: IsTrusted, header: ProxyHeader): void {
  app.decorateRequest('clientAddress', '');
  app.addHook('onRequest', async (request) => {
    const { socket, headersDistinct } = request.raw;
    const { forwarded = [], 'x-forwarded-for': xForwardedFor = [] } = headersDistinct;
    request.clientAddress = clientAddress(
      socket.remoteAddress ?? GONE,
      { forwarded, xForwardedFor },
      isTrusted,
      header,
    );
  });
}
