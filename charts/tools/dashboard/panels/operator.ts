// The operator: objects, runs, and the pace of its writes. Data only: panel.ts says what it means.
import { of, one, perMinute, quantile, type Row, rate } from './panel.ts';

export const OPERATOR: Row = {
  title: 'Operator',
  panels: [
    {
      title: 'Not Ready, by reason',
      description: 'docs/reference/conditions.md says how to fix each reason.',
      kind: 'stacked',
      unit: 'short',
      queries: one(`max by (kind, reason) (${of('objects_not_ready')}) > 0`, '{{kind}} {{reason}}'),
    },
    {
      title: 'From the write to the answer',
      description: 'From a write at the service until every name server answers it.',
      kind: 'lines',
      unit: 's',
      queries: [0.5, 0.99].map((q) => ({ expr: quantile(q, 'propagation_duration_seconds'), legend: `p${q * 100}` })),
    },
    {
      title: 'Runs by result',
      description: 'error: will be repeated, ever more slowly.',
      kind: 'stacked',
      unit: 'ops',
      queries: one(`sum by (controller, result) (${rate('controller_reconcile_total')})`, '{{controller}} {{result}}'),
    },
    {
      title: 'Time of a run (p99)',
      description: 'Waiting for name servers and for the pace of the key included.',
      kind: 'lines',
      unit: 's',
      queries: one(quantile(0.99, 'controller_reconcile_time_seconds', ['controller']), '{{controller}}'),
    },
    {
      title: 'Objects in line',
      description: 'Keys that wait for a worker, of the operator that leads.',
      kind: 'lines',
      unit: 'short',
      queries: one(
        `sum by (name) (${of('workqueue_depth')} * on (namespace, instance) group_left () ${of('leader')})`,
        '{{name}}',
      ),
    },
    {
      title: 'Writes in line',
      description:
        'Writes that wait for the pace of the API key, by lane, and the namespaces that want to write. They take turns: with one namespace in line, no other one waits.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: `sum by (lane) (${of('pace_waiting')})`, legend: '{{lane}}' },
        { expr: `max(${of('pace_waiting_namespaces')})`, legend: 'namespaces' },
      ],
    },
    {
      title: 'Oldest write in line, and pause of the key',
      description:
        'Lane acme should never be above a few seconds: certificates wait for it. The key is paused when its limit is used up.',
      kind: 'lines',
      unit: 's',
      queries: [
        { expr: `max by (lane) (${of('pace_oldest_waiting_seconds')})`, legend: '{{lane}}' },
        { expr: `max(${of('pace_paused_until_timestamp_seconds')}) - time() > 0`, legend: 'key paused for' },
      ],
    },
    {
      title: 'Calls to the service',
      description: 'By answer; none: it did not answer.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (method, code) (${rate('service_requests_total')}) > 0`, '{{method}} {{code}}'),
    },
    {
      title: 'Calls to the API server',
      description: 'By answer.',
      kind: 'stacked',
      unit: 'reqps',
      queries: one(`sum by (method, code) (${rate('kube_requests_total')}) > 0`, '{{method}} {{code}}'),
    },
    {
      title: 'Pauses',
      description: 'key: told to wait by 429. zone: told by 503 (busy).',
      kind: 'lines',
      unit: 'opm',
      queries: one(`sum by (scope) (${perMinute('pace_pauses_total')})`, '{{scope}}'),
    },
    {
      title: 'Drift',
      description: 'Differences found at the service, and repaired: another client writes there.',
      kind: 'lines',
      unit: 'opm',
      queries: one(`sum by (kind, result) (${perMinute('drift_total')})`, '{{kind}} {{result}}'),
    },
    {
      title: 'Events lost',
      description: 'Events that were not sent, by cause.',
      kind: 'lines',
      unit: 'opm',
      queries: one(`sum by (reason) (${perMinute('events_dropped_total')})`, '{{reason}}'),
    },
  ],
};
