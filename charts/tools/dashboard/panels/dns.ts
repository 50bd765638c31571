// Name servers: the metrics of PowerDNS and of its companion, as data for panel.ts.
import { of, one, perMinute, quantile, type Row, rate } from './panel.ts';

export const DNS: Row = {
  title: 'Name servers',
  panels: [
    {
      title: 'Questions by transport',
      description:
        'Queries to PowerDNS. A high share of TCP: answers that do not fit into UDP, or clients behind a broken path.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (transport) (${rate('dns_queries_total')})`, '{{transport}}'),
    },
    {
      title: 'Failures',
      description: 'servfail: answers. backend: errors of the database. timeout, overload, corrupt: not answered.',
      kind: 'lines',
      unit: 'ops',
      queries: one(`sum by (kind) (${rate('dns_failures_total')})`, '{{kind}}'),
    },
    {
      title: 'Time to an answer',
      description: "PowerDNS' own running average, by instance.",
      kind: 'lines',
      unit: 's',
      queries: one(of('dns_latency_seconds'), '{{instance}}'),
    },
    {
      title: 'Packet cache hits',
      description: 'Share of questions that never reached the database.',
      kind: 'lines',
      unit: 'percentunit',
      queries: one(
        `sum by (instance) (${rate('dns_packet_cache_total', 'result="hit"')}) / sum by (instance) (${rate('dns_packet_cache_total')})`,
        '{{instance}}',
      ),
    },
    {
      title: 'A change waits for the cache at most',
      description: 'Time between two looks of the companion for changed zones. Above 5 s PowerDNS itself is sooner.',
      kind: 'lines',
      unit: 's',
      queries: [
        { expr: quantile(0.99, 'nameserver_look_interval_seconds', ['instance']), legend: 'p99 {{instance}}' },
        { expr: of('nameserver_flush_lag_seconds'), legend: 'now {{instance}}' },
      ],
    },
    {
      title: 'Looks and purges',
      description: 'Failed looks: the companion reaches the database or PowerDNS no more.',
      kind: 'lines',
      unit: 'ops',
      queries: [
        { expr: `sum by (result) (${rate('nameserver_looks_total')})`, legend: 'looks {{result}}' },
        { expr: `sum(${rate('nameserver_purges_total')})`, legend: 'zones purged' },
      ],
    },
    {
      title: 'Waiting for the database',
      description: 'Questions that PowerDNS has queued for its database threads.',
      kind: 'lines',
      unit: 'short',
      width: 6,
      queries: one(of('dns_backend_queue'), '{{instance}}'),
    },
    {
      title: 'Signatures',
      description: 'New signatures; cached answers need none.',
      kind: 'lines',
      unit: 'ops',
      width: 6,
      queries: one(`sum by (instance) (${rate('dns_signatures_total')})`, '{{instance}}'),
    },
    {
      title: 'ALIAS resolutions',
      description: 'Resolutions of ALIAS targets, by result. While they fail, the last good answer is served.',
      kind: 'lines',
      unit: 'opm',
      width: 6,
      queries: one(`sum by (result) (${perMinute('alias_resolutions_total')})`, '{{result}}'),
    },
    {
      title: 'ALIAS targets',
      description: 'The number of ALIAS targets, by the result of the last resolution.',
      kind: 'lines',
      unit: 'short',
      width: 6,
      queries: one(`max by (result) (${of('alias_targets')})`, '{{result}}'),
    },
  ],
};
