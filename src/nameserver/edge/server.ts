// `zonestead edge-metrics`: a process next to the knotd of an edge. Wiring only.
import { realClock } from '#base/clock.ts';
import type { Config } from '#config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { startHealthServer } from '#telemetry/health.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { knotControl } from '../knot/control.ts';
import { knotFolder } from '../knot/folder.ts';
import { watchKnot } from '../knot/metrics.ts';
import type { EDGE_METRICS_SETTINGS } from '../settings.ts';
import { heldZones } from './held.ts';
import { watchZones } from './metrics.ts';

/**
 * Serves metrics until the signal aborts. knotd may be down when it starts, and at any time later: the process is
 * always ready, so that it never keeps queries from the knotd next to it.
 * @throws Error if the port is taken
 */
export async function serveEdgeMetrics(
  config: Config<(typeof EDGE_METRICS_SETTINGS)[number]>,
  signal: AbortSignal,
): Promise<void> {
  const log = createLogger({ name: 'edge-metrics', level: config.ZONESTEAD_LOG_LEVEL });
  const metrics = createMetrics({ component: 'edge' });
  const folder = knotFolder(config.ZONESTEAD_KNOT_FOLDER);
  // The databases of an edge are in the folder itself.
  const statistics = watchKnot(metrics, { ...folder, storage: folder.root });
  const control = knotControl({ socket: folder.socket, connections: 1 });
  const catalog = catalogName(config.ZONESTEAD_EDGE_SECONDARY);
  const zones = watchZones(metrics, (limit) => heldZones(control, catalog, limit), { clock: realClock, log });
  const health = await startHealthServer({ ...config.ZONESTEAD_HEALTH_LISTEN, registry: metrics.registry });
  log.info({ healthPort: health.port }, 'serving the metrics of knotd');
  try {
    await zones.run(signal);
  } finally {
    await health.close();
    statistics.close();
    control.close();
  }
}
