// The REST service. Data only: panel.ts says what it means.
import { of, one, quantile, type Row, rate } from './panel.ts';

export const API: Row = {
  title: 'REST service',
  panels: [
    {
      title: 'Requests by status',
      description: '4xx are the callers’ own; 503 is busy and is sent again; other 5xx are ours.',
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
      title: 'Database pool',
      description: 'Statements and transactions in progress, and the size of the pool. Above that size they wait.',
      kind: 'lines',
      unit: 'short',
      width: 6,
      queries: [
        { expr: of('database_operations_in_flight'), legend: 'work {{instance}}' },
        { expr: `max(${of('database_connections_max')})`, legend: 'pool' },
      ],
    },
    {
      title: 'Slowest routes (p99)',
      description: 'By method and pattern.',
      kind: 'lines',
      unit: 's',
      width: 9,
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
      width: 9,
      queries: one(
        `sum by (method, route) (${rate('api_request_duration_seconds_count')}) > 0`,
        '{{method}} {{route}}',
      ),
    },
  ],
};
