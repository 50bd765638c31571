// Name servers that probe for health checks, without the Knot DNS of each: the part of the node that probes, over real
// connections to the api and to the checked servers. Each has a node key of its own.
import { randomBytes, randomUUID } from 'node:crypto';
import { realClock } from '#base/clock.ts';
import type { PortRange } from '#base/probes/allowed.ts';
import { type Probe, probe } from '#base/probes/probe.ts';
import { ApiUnavailable } from '#client/errors.ts';
import { createFeedApi } from '#nameserver/node/api.ts';
import { createNodeMayProbe } from '#nameserver/node/probe-targets.ts';
import { createProber } from '#nameserver/node/prober.ts';
import { adminEnsureNodeKey } from '#service/nodes/administration.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';

export interface TestVantage {
  name: string;
  key: string;
  /** Reports that the api answered. */
  reports: number;
  /** The addresses that this name server cannot reach: a packet filter drops its connections. */
  unreachable: Set<string>;
  /** Whether no request of it reaches the api. */
  isCutOff: boolean;
  /** Probes so far, with their times in ms. */
  probes: { address: string; at: number }[];
  stop(): Promise<void>;
}

interface VantageOptions {
  /** The address of the api. */
  url: string;
  /** The address of the database, for a new key. */
  database: string;
  /** (Default: one that no other has.) */
  name?: string;
  /** (Default: a new one.) */
  key?: string;
  /** (Default: all loopback addresses.) */
  networks?: readonly string[];
}

const ALL_PORTS: readonly PortRange[] = [{ first: 1, last: 65_535 }];

export async function startVantage({
  url,
  database,
  name = `ns-${randomUUID().slice(0, 8)}`,
  key,
  networks = ['127.0.0.0/8'],
}: VantageOptions): Promise<TestVantage> {
  const stop = new AbortController();
  const ownKey = key ?? (await adminEnsureNodeKey(database, name, undefined, randomBytes, new Date()));
  const api = createFeedApi({ url, key: ownKey, node: name, clock: realClock, onDate: () => undefined });
  const vantage: TestVantage = {
    ...{ name, key: ownKey, reports: 0 },
    unreachable: new Set(),
    isCutOff: false,
    probes: [],
    stop: async () => {
      stop.abort(new Error('the test is over'));
      await running;
      await api.close();
    },
  };
  const mustReach = () => {
    if (vantage.isCutOff) throw new ApiUnavailable('The api is unreachable: the test cut the connection');
  };
  const ownProbe: Probe = async (address, definition, signal) => {
    vantage.probes.push({ address, at: realClock.now() });
    return vantage.unreachable.has(address) ? 'No route leads to the address.' : probe(address, definition, signal);
  };
  const prober = createProber({
    api: {
      probes: async (signal) => {
        mustReach();
        return api.probes(signal);
      },
      reportProbes: async (report, signal) => {
        mustReach();
        const answer = await api.reportProbes(report, signal);
        vantage.reports += 1;
        return answer;
      },
    },
    ...{ name, probe: ownProbe, clock: realClock, random: Math.random },
    mayProbe: createNodeMayProbe(networks, ALL_PORTS),
    log: createLogger({ name: 'nameserver', level: 'silent' }),
    metrics: createMetrics({ processMetrics: false }),
  });
  const running = prober.run(stop.signal);
  return vantage;
}
