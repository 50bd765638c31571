// Name servers: the metrics of knotd and of its node, and of the nodes as the REST service sees them, as data for
// panel.ts.
import { of, one, perMinute, type Row, rate } from './panel.ts';

export const DNS: Row = {
  title: 'Name servers',
  panels: [
    {
      title: 'Queries by transport',
      description:
        'Queries to the name servers. A high share of TCP: answers that do not fit into UDP, or clients behind a broken path.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (transport) (${rate('dns_queries_total')})`, '{{transport}}'),
    },
    {
      title: 'Answers by code',
      description: 'SERVFAIL: a zone that is not loaded. REFUSED: zones of others. Many NXDOMAIN: random names.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        { expr: `sum by (rcode) (${rate('dns_answers_total')}) > 0`, legend: '{{rcode}}' },
        { expr: `sum(${rate('dns_nodata_total')})`, legend: 'NODATA (a part of NOERROR)' },
      ],
    },
    {
      title: 'Queries by type',
      description: 'The types that clients ask for.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (type) (${rate('dns_query_types_total')}) > 0`, '{{type}}'),
    },
    {
      title: 'Rate limit',
      description: 'Answers above the limit of their network of clients. Truncated: a real client repeats over TCP.',
      kind: 'lines',
      unit: 'ops',
      queries: one(`sum by (instance, result) (${rate('dns_rate_limited_total')})`, '{{result}} {{instance}}'),
    },
    {
      title: 'Transfers and other requests',
      description: 'Transfers to secondaries (axfr, ixfr), NOTIFY, and packets that cannot be read (invalid).',
      kind: 'lines',
      unit: 'ops',
      queries: one(`sum by (operation) (${rate('dns_operations_total', 'operation!="query"')})`, '{{operation}}'),
    },
    {
      title: 'Memory of name servers',
      description:
        'Resident memory of knotd, where its process is visible. In pods, see container_memory_working_set_bytes.',
      kind: 'lines',
      unit: 'bytes',
      queries: one(of('dns_memory_bytes'), '{{instance}}'),
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
    {
      title: 'Age of the counters',
      description: 'knotd gives none while it signs a large zone; the last values stay.',
      kind: 'lines',
      unit: 's',
      queries: one(of('dns_statistics_age_seconds'), '{{instance}}'),
    },
    {
      title: 'Zones of secondaries',
      description:
        'Zones of each secondary by state, as the source of transfers sees them. Anything but current should be short.',
      kind: 'lines',
      unit: 'short',
      queries: one(`max by (secondary, state) (${of('node_secondary_zones')})`, '{{secondary}} {{state}}'),
    },
    {
      title: 'Secondaries behind',
      description: 'The time for which the longest zone of a secondary has not been current.',
      kind: 'lines',
      unit: 's',
      queries: one(`max by (secondary) (${of('node_secondary_behind_seconds')})`, '{{secondary}}'),
    },
    {
      title: 'Source of transfers',
      description: 'The part of each node: one is the source. New-source: secondaries still take whole zones from it.',
      kind: 'lines',
      unit: 'short',
      queries: one(`${of('node_transfer_role')} > 0`, '{{role}} {{instance}}'),
    },
    {
      title: 'ALIAS resolutions',
      description: 'Resolutions of ALIAS targets, by result. While they fail, the last good answer is served.',
      kind: 'lines',
      unit: 'opm',
      width: 12,
      queries: one(`sum by (result) (${perMinute('alias_resolutions_total')})`, '{{result}}'),
    },
    {
      title: 'ALIAS targets',
      description: 'The number of ALIAS targets, by the result of the last resolution.',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: one(`max by (result) (${of('alias_targets')})`, '{{result}}'),
    },
  ],
};
