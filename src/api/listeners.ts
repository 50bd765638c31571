// Limits the connections of the HTTP servers, and reads the headers of the PROXY protocol.
import type { Server } from 'node:net';
import type { Config } from '#config.ts';
import { readProxyHeaders } from '#http/connections/proxy-listener.ts';
import { shareLimits } from '#http/connections/sockets.ts';
import { countRefusedConnections } from '#http/hooks/metrics.ts';
import { trustedProxies } from '#http/hooks/proxies.ts';
import type { Telemetry } from './parts.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';

export function limitServers(
  servers: readonly Server[],
  config: Config<(typeof COMPOSE_SETTINGS)[number]>,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
): void {
  const isTrusted = trustedProxies(config);
  const limitConnections = shareLimits(
    {
      total: config.ZONESTEAD_MAX_CONNECTIONS,
      perAddress: config.ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS,
      isExempt: isTrusted,
    },
    countRefusedConnections(metrics),
  );
  for (const server of servers) {
    limitConnections(server);
    if (!config.ZONESTEAD_PROXY_PROTOCOL) continue;
    // Reads the header before the limits on connections apply, so that they use the client's address.
    readProxyHeaders(server, isTrusted, (proxy, problem) =>
      log.debug({ proxy, problem }, 'a connection of a trusted proxy was refused: no valid PROXY protocol header'),
    );
  }
}
