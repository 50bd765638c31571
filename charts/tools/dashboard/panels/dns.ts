// Name servers: knotd, its resources and its secondaries, as data for panel.ts. feed.ts has the way of changes to it.
import { foreign, from, of, one, perMinute, type Row, rate } from './panel.ts';

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
      description: 'Memory of knotd: of its process where the node sees it, in pods of its container.',
      kind: 'lines',
      unit: 'bytes',
      queries: [
        { expr: of('dns_memory_bytes'), legend: '{{instance}}' },
        from('kubelet', foreign('container_memory_working_set_bytes', 'container="knot"'), '{{pod}}'),
      ],
    },
    {
      title: 'CPU of name servers',
      description: 'Cores of the containers of knotd. In a flood of queries, this is the first limit.',
      kind: 'lines',
      unit: 'short',
      queries: [
        from(
          'kubelet',
          `rate(${foreign('container_cpu_usage_seconds_total', 'container="knot"')}[$__rate_interval])`,
          '{{pod}}',
        ),
      ],
    },
    {
      title: 'Free space of name servers',
      description: 'The free part of the volume. Near zero, the node makes no more changes.',
      kind: 'lines',
      unit: 'percentunit',
      bad: { below: 0.15 },
      queries: one(`${of('node_volume_free_bytes')} / ${of('node_volume_bytes')}`, '{{instance}}'),
    },
    {
      title: 'Signatures',
      description: 'The time that the first DNSSEC signature of a node has left. knotd renews them 14 days before.',
      kind: 'lines',
      unit: 's',
      bad: { below: 12 * 86_400 },
      queries: one(of('node_signature_remaining_seconds'), '{{instance}}'),
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
    {
      title: 'Dangling names',
      description: 'Targets of records that do not exist, by whether the name or its whole domain is missing.',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: one(`max by (missing) (${of('dangling_names')})`, '{{missing}}'),
    },
    {
      title: 'Lookups of targets',
      description: 'Lookups that find dangling names, by result. While they are unknown, none is found.',
      kind: 'lines',
      unit: 'opm',
      width: 12,
      queries: one(`sum by (result) (${perMinute('record_target_lookups_total')})`, '{{result}}'),
    },
  ],
};
