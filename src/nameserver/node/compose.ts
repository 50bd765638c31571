// A node with its parts: the state, knotd's control socket and keys, and the api. Wiring only.
import { realClock } from '#base/clock.ts';
import { probe } from '#base/probes/probe.ts';
import type { Config } from '#config.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { knotControl } from '../knot/control.ts';
import { knotSettings } from '../knot/from-config.ts';
import { keyStore } from '../knot/keys.ts';
import { watchKnot } from '../knot/metrics.ts';
import { identifyRun } from '../knot/run.ts';
import { transferEngine } from '../knot/transfer-engine.ts';
import { zoneEngine } from '../knot/zones.ts';
import type { NODE_SETTINGS } from '../settings.ts';
import { reportAnswers } from './answers.ts';
import { createFeedApi } from './api.ts';
import { tellSlowness } from './engine-policies.ts';
import { type RunningNode, startNode } from './node.ts';
import { createNodeMayProbe } from './probe-targets.ts';
import { createProber } from './prober.ts';
import { knotSetup } from './setup.ts';
import { openState } from './state.ts';

/** Knot 3.2 accepts no connection while it signs a large zone for the first time. */
const CONNECT_MS = 120_000;
/** A knotd that starts listens sooner, and one that has crashed not at all. */
const ABSENT_MS = 15_000;

/** The settings that concern the node itself. */
export type NodeConfig = Omit<
  Config<(typeof NODE_SETTINGS)[number]>,
  'ZONESTEAD_LOG_LEVEL' | 'ZONESTEAD_HEALTH_LISTEN'
>;

export interface ComposedNode extends RunningNode {
  /** Closes what the node has opened. To be called after `ended`. */
  close(): Promise<void>;
}

/**
 * Starts a node, which runs until the signal aborts. The api and knotd may be down when it starts, and at any time
 * later.
 * @throws Error if the folder of the state cannot be used, or belongs to another process
 */
export function composeNode(
  config: NodeConfig,
  { log, metrics }: { log: Logger; metrics: Metrics },
  signal: AbortSignal,
): ComposedNode {
  const { state, anew } = openState(config.ZONESTEAD_NODE_STATE);
  if (anew !== null) {
    log[anew.isLoss ? 'warn' : 'info'](`the node begins without memory, and compares all zones: ${anew.reason}`);
  }
  const settings = knotSettings(config, config.ZONESTEAD_NODE_KEY);
  const { folder } = settings;
  const control = knotControl({ socket: folder.socket, connectMs: CONNECT_MS, absentMs: ABSENT_MS });
  const setup = knotSetup({ control, settings, clock: realClock, log, metrics });
  const followed = setup.followTls(signal);
  const statistics = watchKnot(metrics, folder);
  let node: RunningNode | null = null;
  const feed = createFeedApi({
    url: config.ZONESTEAD_FEED_URL,
    key: config.ZONESTEAD_NODE_KEY,
    node: config.ZONESTEAD_NODE_NAME,
    caFile: config.ZONESTEAD_FEED_CA,
    noProxy: config.NO_PROXY,
    clock: realClock,
    onDate: (ms) => node?.clockOfApi(ms),
  });
  const api = reportAnswers(feed, async () => (await statistics.latest()).items, realClock);
  const engine = zoneEngine({ control, folder, keys: keyStore({ keymgr: config.ZONESTEAD_KEYMGR, folder }) });
  const prober = createProber({
    ...{ api: feed, name: config.ZONESTEAD_NODE_NAME, probe, clock: realClock, random: Math.random, log, metrics },
    mayProbe: createNodeMayProbe(config.ZONESTEAD_CHECK_NETWORKS, config.ZONESTEAD_CHECK_PORTS),
  });
  const runningNode = startNode(
    {
      name: config.ZONESTEAD_NODE_NAME,
      version: manifest.version,
      api,
      engine: tellSlowness(engine, CONNECT_MS),
      transfers: { api, engine: transferEngine(control, settings.tls !== undefined) },
      state,
      clock: realClock,
      random: Math.random,
      date: () => new Date(),
      log,
      metrics,
      compareMs: config.ZONESTEAD_NODE_COMPARE_MINUTES * 60_000,
      behindMs: config.ZONESTEAD_NODE_BEHIND_SECONDS * 1_000,
      loadMs: config.ZONESTEAD_NODE_LOAD_SECONDS * 1_000,
      configure: async (limit) => {
        await setup.apply(limit);
        await engine.tidy(limit);
      },
      engineRun: () => identifyRun(folder),
      removesAll: config.ZONESTEAD_NODE_REMOVALS === 'all',
      ...(config.ZONESTEAD_NODE_PROBES ? { prober } : {}),
    },
    signal,
  );
  node = runningNode;
  return {
    ...runningNode,
    close: async () => {
      await followed;
      statistics.close();
      control.close();
      await feed.close();
      state.close();
    },
  };
}
