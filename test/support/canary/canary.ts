// A canary in this process, for a service with real name servers.

import { afterAll } from 'vitest';
import { realClock } from '#base/clock.ts';
import { Canary, type CanaryOptions } from '#canary/canary.ts';
import { createCanaryMetrics } from '#canary/metrics.ts';
import { createClient } from '#client/client.ts';
import { ask, hasRoute, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';

export interface TestCanary {
  canary: Canary;
  /** The log so far, as JSON lines. */
  log: string[];
  /** The value of a series, as Prometheus reads it; undefined if there is none. */
  series(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>;
}

interface TestCanaryOptions extends Partial<CanaryOptions> {
  url: string;
  key: string;
  zone: string;
  /** By the host name of the name server. */
  servers: Readonly<Record<string, ProbeEndpoint>>;
}

/** Names that have no override do not resolve. */
const NO_RESOLVER = { resolve4: async () => [], resolve6: async () => [] };

export function createTestCanary({ url, key, zone, servers, ...rest }: TestCanaryOptions): TestCanary {
  const client = createClient({ baseUrl: url, key });
  afterAll(() => client.close());
  const { registry, ...metrics } = createMetrics({ processMetrics: false });
  const log: string[] = [];
  const canary: Canary = new Canary({
    ...{
      client,
      ask,
      zone,
      resolver: NO_RESOLVER,
      hasRoute,
      clock: realClock,
      date: () => new Date(),
      random: Math.random,
    },
    overrides: new Map(Object.entries(servers).map(([name, { address, port }]) => [name, { address, port }])),
    metrics: createCanaryMetrics({ registry, ...metrics }, () => canary.freshness()),
    log: createLogger({ name: 'canary', level: 'debug', destination: { write: (line) => void log.push(line) } }),
    ...{ name: 'canary', changeEveryMs: 300, queryEveryMs: 200, limitMs: 2_000, challengeEveryMs: 0 },
    ...rest,
  });
  const series: TestCanary['series'] = async (name, labels = {}) => {
    const all = await registry.getMetricsAsJSON();
    const metric = all.find(
      (each) => each.name === `zonestead_${name.replace(/_(count|sum)$/, '')}` || each.name === `zonestead_${name}`,
    );
    const values = (metric?.values ?? []) as { value: number; labels: Record<string, string>; metricName?: string }[];
    return values.find(
      (each) =>
        (each.metricName ?? `zonestead_${name}`) === `zonestead_${name}` &&
        Object.entries(labels).every(([label, value]) => each.labels[label] === value),
    )?.value;
  };
  return { canary, log, series };
}
