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
      queries: one(`sum by (status) (${rate('api_request_seconds_count')})`, '{{status}}'),
    },
    {
      title: 'Time of requests',
      description: 'All routes together.',
      kind: 'lines',
      unit: 's',
      queries: [0.5, 0.9, 0.99].map((q) => ({ expr: quantile(q, 'api_request_seconds'), legend: `p${q * 100}` })),
    },
    {
      title: 'Slowest routes (p99)',
      description: 'By method and pattern.',
      kind: 'lines',
      unit: 's',
      queries: one(`topk(8, ${quantile(0.99, 'api_request_seconds', ['method', 'route'])})`, '{{method}} {{route}}'),
    },
    {
      title: 'Writes by result',
      description: 'limited: keys at their limit. busy: zones that many write at once.',
      kind: 'stacked',
      unit: 'ops',
      queries: one(`sum by (bucket, result) (${rate('api_writes_total')})`, '{{bucket}} {{result}}'),
    },
    {
      title: 'Database pool',
      description: 'Statements and transactions under way, beside the size of the pool. Above it they wait.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: of('database_work'), legend: 'work {{instance}}' },
        { expr: `max(${of('database_connections_max')})`, legend: 'pool' },
      ],
    },
    {
      title: 'Requests by route',
      description: 'Who asks for what.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (method, route) (${rate('api_request_seconds_count')})`, '{{method}} {{route}}'),
    },
  ],
};
