// The way of a change from the REST service to the name servers: the feed, and the nodes that apply it. Data only:
// panel.ts says what it means.
import { of, one, perMinute, quantile, type Row, rate } from './panel.ts';

export const FEED: Row = {
  title: 'Feed',
  panels: [
    {
      title: 'Change to name server (p99)',
      description: 'From a change by any protocol to the report of the node that serves it.',
      kind: 'lines',
      unit: 's',
      bad: { above: 5 },
      queries: one(quantile(0.99, 'node_apply_seconds', ['node']), '{{node}}'),
    },
    {
      title: 'Nodes without a feed',
      description: 'Why a node is not connected: refused (its key), certificate, unreachable, or fault. Zero is good.',
      kind: 'lines',
      unit: 'short',
      queries: one(`sum by (reason) (${of('node_feed_problem')})`, '{{reason}}'),
    },
    {
      title: 'Feed at the REST service',
      description: 'Open streams, failed looks at the database, and failed attempts to render a zone.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: `sum(${of('feed_streams')})`, legend: 'streams' },
        { expr: `sum(${perMinute('feed_polls_total', 'result="failed"')})`, legend: 'failed looks a minute' },
        { expr: `sum(${perMinute('feed_zone_failures_total')})`, legend: 'failed zones a minute' },
      ],
    },
    {
      title: 'Nodes behind',
      description: 'Age of the oldest change that a node has not applied. Above 30 s: see the log of the node.',
      kind: 'lines',
      unit: 's',
      queries: one(`max by (namespace, node) (${of('node_lag_seconds')}) < 1e9`, '{{namespace}} {{node}}'),
    },
    {
      title: 'Zones that wait or fail',
      description: 'Zones with changes that a node has not applied (waiting), or cannot apply (failing).',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: of('node_zones_waiting'), legend: 'waiting {{instance}}' },
        { expr: `max by (namespace, node) (${of('node_failing_zones')})`, legend: 'failing {{namespace}} {{node}}' },
      ],
    },
    {
      title: 'Zones of the nodes',
      description: 'Each node has all zones. A node that has fewer is still loading them.',
      kind: 'lines',
      unit: 'short',
      queries: one(of('node_zones'), '{{instance}}'),
    },
    {
      title: 'Work of the nodes',
      description: 'Attempts to apply the changes of one zone, by result. Failed ones are retried.',
      kind: 'lines',
      unit: 'ops',
      queries: one(`sum by (result) (${rate('node_work_total')})`, '{{result}}'),
    },
    {
      title: 'Comparisons',
      description:
        'Comparisons of zones with the REST service. Different: records that the node did not write, and that it corrected.',
      kind: 'lines',
      unit: 'opm',
      queries: one(`sum by (result) (${perMinute('node_comparisons_total')})`, '{{result}}'),
    },
  ],
};
