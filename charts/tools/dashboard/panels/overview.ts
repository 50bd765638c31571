// The panels to look at first, as data for panel.ts.
import { of, one, type Row, rate } from './panel.ts';

export const OVERVIEW: Row = {
  title: 'At a glance',
  panels: [
    {
      title: 'Name servers up',
      description: 'Nodes whose knotd answers. None: nothing is served from this namespace.',
      kind: 'stat',
      unit: 'short',
      bad: { below: 1 },
      queries: one(`sum(${of('dns_up')})`),
    },
    {
      title: 'API replicas',
      description: 'Processes of the REST service that are scraped.',
      kind: 'stat',
      unit: 'short',
      bad: { below: 1 },
      queries: one(`count(${of('build_info', 'component="api"')})`),
    },
    {
      title: 'Operators that lead',
      description: 'Exactly one works; the others wait with full caches.',
      kind: 'stat',
      unit: 'short',
      bad: { below: 1, above: 2 },
      queries: one(`sum(${of('leader')})`),
    },
    {
      title: 'Objects not Ready',
      description: 'DNSZones and DNSRecords whose Ready is not True, as the leader sees them.',
      kind: 'stat',
      unit: 'short',
      bad: { above: 1 },
      queries: one(`max(sum by (instance) (${of('objects_not_ready')}))`),
    },
    {
      title: 'Questions',
      description: 'DNS questions of all name servers.',
      kind: 'stat',
      unit: 'reqps',
      queries: one(`sum(${rate('dns_queries_total')})`),
    },
    {
      title: 'API errors of ours',
      description: 'Share of requests that were answered 5xx other than 503 (busy).',
      kind: 'stat',
      unit: 'percentunit',
      bad: { above: 0.01 },
      queries: one(
        // Without queries, 0 / 0 would be shown as NaN.
        `(sum(${rate('api_request_duration_seconds_count', 'code=~"5..", code!="503"')}) or vector(0)) / (sum(${rate('api_request_duration_seconds_count')}) > 0) or vector(0)`,
      ),
    },
  ],
};
