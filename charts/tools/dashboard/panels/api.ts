// The REST service. Data only: panel.ts says what it means.
import { of, one, quantile, type Row, rate } from './panel.ts';

export const API: Row = {
  title: 'REST service',
  panels: [
    {
      title: 'Requests by status',
      description: '4xx are the callers’ own; 503 is a busy zone or a database that is down; other 5xx are ours.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (code) (${rate('api_request_duration_seconds_count')})`, '{{code}}'),
    },
    {
      title: 'Time of requests',
      description: 'All routes together.',
      kind: 'lines',
      unit: 's',
      queries: [0.5, 0.9, 0.99].map((q) => ({
        expr: quantile(q, 'api_request_duration_seconds'),
        legend: `p${q * 100}`,
      })),
    },
    {
      title: 'Writes by result',
      description: 'limited: keys at their limit. busy: zones that many write at once.',
      kind: 'stacked',
      unit: 'ops',
      queries: one(`sum by (bucket, result) (${rate('api_writes_total')}) > 0`, '{{bucket}} {{result}}'),
    },
    {
      title: 'Load',
      description: 'How late the event loop is, and the level of the load guard. From level 1, requests are refused.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: of('api_load_delay_seconds'), legend: 'seconds {{instance}}' },
        { expr: of('api_load_level'), legend: 'level {{instance}}' },
      ],
    },
    {
      title: 'Refused because of load',
      description: 'Requests that the load guard refused, and answers 503 because the database was down.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        { expr: `sum by (kind) (${rate('api_load_refused_total')})`, legend: 'load: {{kind}}' },
        { expr: `sum by (kind) (${rate('api_outage_answers_total')})`, legend: 'database away: {{kind}}' },
      ],
    },
    {
      title: 'Slowest routes (p99)',
      description: 'By method and pattern.',
      kind: 'lines',
      unit: 's',
      // For a route without requests the quantile is NaN, which is a line without a point.
      queries: one(
        `topk(8, ${quantile(0.99, 'api_request_duration_seconds', ['method', 'route'])} > 0)`,
        '{{method}} {{route}}',
      ),
    },
    {
      title: 'Requests by route',
      description: 'Requests by caller and route.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(
        `sum by (method, route) (${rate('api_request_duration_seconds_count')}) > 0`,
        '{{method}} {{route}}',
      ),
    },
  ],
};
