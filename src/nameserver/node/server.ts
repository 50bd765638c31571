// The node process: a node with its health and metrics. Wiring only.
import type { Config } from '#config.ts';
import { startHealthServer } from '#telemetry/health.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { findSharedModules } from '../knot/shared-modules.ts';
import type { NODE_SETTINGS } from '../settings.ts';
import { composeNode } from './compose.ts';

/**
 * Runs until the signal aborts. The api and knotd may be down when it starts, and at any time later.
 * @throws Error if the folder of the state cannot be used, or belongs to another process, or if the knotd of this
 * machine would crash
 */
export async function runNode(config: Config<(typeof NODE_SETTINGS)[number]>, signal: AbortSignal): Promise<void> {
  const log = createLogger({ name: 'nameserver', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'nameserver' });
  const fault = await findSharedModules(config.ZONESTEAD_KEYMGR, signal);
  if (fault !== null) throw new Error(`${fault}.`);
  const node = composeNode(config, { log, metrics }, signal);
  const health = await startHealthServer({
    ...config.ZONESTEAD_HEALTH_LISTEN,
    registry: metrics.registry,
    ready: () => node.ready(),
  });
  try {
    await node.ended;
  } finally {
    await health.close();
    await node.close();
  }
}
