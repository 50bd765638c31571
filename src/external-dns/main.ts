// `zonestead external-dns`: external-dns' webhook provider, to run as its sidecar. Wiring only.

import { realClock } from '#base/clock.ts';
import { chooseListenAddress } from '#base/listen-address.ts';
import { createClient } from '#client/client.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import type { Config } from '#config.ts';
import { startHealthServer } from '#telemetry/health.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { buildWebhook } from './app.ts';
import { createWebhookProvider } from './provider.ts';
import type { EXTERNAL_DNS_SETTINGS } from './settings.ts';

/** Serves until the signal. @throws when a port is taken */
export async function runExternalDns(
  config: Config<(typeof EXTERNAL_DNS_SETTINGS)[number]>,
  signal: AbortSignal,
): Promise<void> {
  const log = createLogger({ name: 'external-dns', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'external-dns' });
  const client = createClient({
    baseUrl: config.ZONESTEAD_URL,
    caFile: config.ZONESTEAD_URL_CA,
    key: config.ZONESTEAD_API_KEY,
    userAgent: 'zonestead-external-dns',
    // Below the limit of a whole request, so that a slow API can be distinguished from a slow client.
    timeoutMs: 8_000,
    // The limit of a request ends the wait, so no change is made after external-dns has given up.
    keyWaitMs: 5_000,
  });
  const pace = createDispatcher({ clock: realClock, random: Math.random });
  const provider = createWebhookProvider({
    ...{ client, pace, clock: realClock, log },
    ownerId: config.ZONESTEAD_EXTERNAL_DNS_OWNER_ID,
    share: config.ZONESTEAD_EXTERNAL_DNS_SHARE,
    adopt: config.ZONESTEAD_EXTERNAL_DNS_ADOPT,
    massDeletion: config.ZONESTEAD_EXTERNAL_DNS_MASS_DELETION,
  });
  const app = buildWebhook({ provider, pace, clock: realClock, log });
  const health = await startHealthServer({ ...config.ZONESTEAD_HEALTH_LISTEN, registry: metrics.registry });
  const { host, port } = config.ZONESTEAD_EXTERNAL_DNS_LISTEN;
  await app.listen({ host: await chooseListenAddress(host), port });
  log.info({ address: app.server.address() }, 'listening');
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await app.close();
  await health.close();
  await client.close();
  log.info('stopped');
}
