// A node with a feed and a name server that cause faults. It closes itself, and can be thrown away like a killed
// process.
import { onTestFinished } from 'vitest';
import { realClock } from '#base/clock.ts';
import type { ZoneEngine } from '#nameserver/engine.ts';
import { createFeedApi } from '#nameserver/node/api.ts';
import { type NodeOptions, type RunningNode, startNode } from '#nameserver/node/node.ts';
import { type NodeState, openState } from '#nameserver/node/state.ts';
import { createLogger, type Logger } from '#telemetry/log.ts';
import { createMetrics, type Metrics } from '#telemetry/metrics.ts';

export interface TestNode {
  readonly node: RunningNode;
  readonly state: NodeState;
  readonly metrics: Metrics;
  readonly lines: string[];
  /** Ends without a last word, as a kill does: nothing is written to the state any more. */
  crash(): Promise<void>;
  /** Ends in an orderly way, like a process after SIGTERM. */
  end(): Promise<void>;
}

interface TestNodeOptions extends Partial<Omit<NodeOptions, 'api' | 'engine' | 'state'>> {
  readonly url: string;
  readonly engine: ZoneEngine;
  readonly folder: string;
  readonly key?: string;
}

export function startTestNode({ url, engine, folder, key = 'test', ...options }: TestNodeOptions): TestNode {
  const stop = new AbortController();
  const lines: string[] = [];
  const log: Logger =
    options.log ??
    createLogger({ name: 'node', level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const { state, anew } = openState(folder);
  if (anew !== null) log.info(anew.reason);
  const metrics = options.metrics ?? createMetrics({ processMetrics: false });
  let node: RunningNode | null = null;
  const api = createFeedApi({
    url,
    key,
    node: 'ns1',
    clock: options.clock ?? realClock,
    onDate: (ms) => node?.clockOfApi(ms),
  });
  let isAlive = true;
  // After a crash, the abandoned work writes nothing to the file.
  const guarded: NodeState = {
    ...state,
    put: (row) => (isAlive ? state.put(row) : undefined),
    delete: (name) => (isAlive ? state.delete(name) : undefined),
    setFacts: (facts) => (isAlive ? state.setFacts(facts) : undefined),
    batch: (work) => (isAlive ? state.batch(work) : undefined),
  };
  const guardedApi: typeof api = {
    ...api,
    report: (report, signal) => (isAlive ? api.report(report, signal) : Promise.reject(new Error('crash'))),
  };
  node = startNode(
    {
      name: 'ns1',
      version: '1.0.0',
      clock: realClock,
      random: Math.random,
      date: () => new Date(),
      compareMs: 3_600_000,
      behindMs: 300_000,
      loadMs: 600_000,
      removesAll: false,
      ...options,
      log,
      metrics,
      api: guardedApi,
      engine,
      state: guarded,
    },
    stop.signal,
  );
  node.ended.catch(() => undefined);
  const crash = async () => {
    if (!isAlive) return;
    isAlive = false;
    state.close();
    stop.abort(new Error('crash'));
    await node?.ended;
    await api.close();
  };
  const end = async () => {
    stop.abort(new Error('SIGTERM'));
    await node?.ended;
  };
  onTestFinished(crash);
  return { node, state, metrics, lines, crash, end };
}

/** The value of a metric's series. */
export async function metric(metrics: Metrics, name: string, labels: Record<string, string> = {}): Promise<number> {
  const found = await metrics.registry.getSingleMetric(`zonestead_${name}`)?.get();
  const series = found?.values.find((each) =>
    Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  );
  return series?.value ?? Number.NaN;
}
