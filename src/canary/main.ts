// `zonestead canary`: wiring only.
import { Resolver } from 'node:dns/promises';
import { realClock } from '#base/clock.ts';
import { type Client, createClient } from '#client/client.ts';
import type { Config } from '#config.ts';
import { ask, hasRoute, parseOverrides } from '#nameserver/probe/probe.ts';
import { startHealthServer } from '#telemetry/health.ts';
import { createLogger, type Logger } from '#telemetry/log.ts';
import { createMetrics, type Metrics } from '#telemetry/metrics.ts';
import { Canary } from './canary.ts';
import { createCanaryMetrics } from './metrics.ts';
import { measureOnce, type OnceReport } from './once.ts';
import type { CANARY_SETTINGS } from './settings.ts';

export type CanaryConfig = Config<(typeof CANARY_SETTINGS)[number]>;

const RESOLVE_MS = 2_000;

/** Measures until the signal, and removes its records then. @throws when the port is taken */
export async function runCanary(config: CanaryConfig, signal: AbortSignal): Promise<void> {
  const log = createLogger({ name: 'canary', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'canary' });
  const client = connect(config);
  const canary = createCanary(config, { client, log, metrics }, config.ZONESTEAD_CANARY_NAME);
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: () => {
      const { problem, isStarted } = canary;
      return { ok: isStarted, checks: { zone: isStarted ? 'known' : 'unknown', service: problem ?? 'ok' } };
    },
  });
  const { ZONESTEAD_CANARY_ZONE: zone, ZONESTEAD_CANARY_NAME: name } = config;
  log.info({ zone, name, healthPort: health.port }, 'measuring');
  try {
    await canary.run(signal);
  } finally {
    await health.close();
    await client.close();
  }
  log.info('stopped');
}

/** Measures once with a record of its own, next to that of a canary that runs. @throws as measureOnce */
export async function runCanaryOnce(config: CanaryConfig, signal: AbortSignal): Promise<OnceReport> {
  const log = createLogger({ name: 'canary', level: 'silent' });
  const client = connect(config);
  const name = `${config.ZONESTEAD_CANARY_NAME}-once`;
  const metrics = createMetrics({ processMetrics: false });
  try {
    return await measureOnce(createCanary(config, { client, log, metrics }, name), realClock, signal);
  } finally {
    await client.close();
  }
}

function connect(config: CanaryConfig): Client {
  return createClient({
    baseUrl: config.ZONESTEAD_URL,
    caFile: config.ZONESTEAD_URL_CA,
    key: config.ZONESTEAD_API_KEY,
    userAgent: 'zonestead-canary',
    connections: 2,
    keyWaitMs: 3_000,
    maxAnswerBytes: 1024 * 1024,
  });
}

function createCanary(
  config: CanaryConfig,
  { client, log, metrics }: { client: Client; log: Logger; metrics: Metrics },
  name: string,
): Canary {
  const canary: Canary = new Canary({
    ...{ client, ask, hasRoute, log, name, clock: realClock, random: Math.random, date: () => new Date() },
    resolver: new Resolver({ timeout: RESOLVE_MS, tries: 1 }),
    overrides: parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES),
    metrics: createCanaryMetrics(metrics, () => canary.freshness()),
    zone: config.ZONESTEAD_CANARY_ZONE,
    changeEveryMs: config.ZONESTEAD_CANARY_CHANGE_SECONDS * 1_000,
    queryEveryMs: config.ZONESTEAD_CANARY_QUERY_SECONDS * 1_000,
    limitMs: config.ZONESTEAD_CANARY_LIMIT_SECONDS * 1_000,
    challengeEveryMs: config.ZONESTEAD_CANARY_CHALLENGE_MINUTES * 60_000,
  });
  return canary;
}
