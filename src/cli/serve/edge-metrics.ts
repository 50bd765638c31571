// `zonestead edge-metrics`
import { EDGE_METRICS_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'edge-metrics',
  describe: 'serve the metrics of an edge: the counters of its knotd, and the zones that it has',
  settings: EDGE_METRICS_SETTINGS,
  notes:
    'It reads them over the control socket of the knotd in ZONESTEAD_KNOT_FOLDER, and needs no key. ' +
    'The knotd answers queries without it.',
  run: async (_args, _options, { config, signal }) => {
    const { serveEdgeMetrics } = await import('#nameserver/edge/server.ts');
    await serveEdgeMetrics(config(), signal);
  },
});
