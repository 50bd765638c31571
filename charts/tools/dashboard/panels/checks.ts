// Health checks of addresses. Data only: panel.ts says what it means.
import { of, one, type Row, rate } from './panel.ts';

export const CHECKS: Row = {
  title: 'Health checks',
  panels: [
    {
      title: 'Checked addresses',
      description: 'By their state. Answers omit unhealthy addresses where others work.',
      kind: 'stacked',
      unit: 'short',
      queries: one(`max by (state) (${of('check_targets')})`, '{{state}}'),
    },
    {
      title: 'Changes of state',
      description: 'Addresses that became healthy or unhealthy. Many at once: look at the network of the api.',
      kind: 'lines',
      unit: 'ops',
      queries: one(`sum by (state) (${rate('check_changes_total')})`, '{{state}}'),
    },
    {
      title: 'Probes',
      description: 'Probes by result. One process probes at a time; without any, the answers stay as they are.',
      kind: 'lines',
      unit: 'ops',
      queries: [
        { expr: `sum by (result) (${rate('check_probes_total')})`, legend: '{{result}}' },
        { expr: `max(${of('checks_frozen')})`, legend: 'frozen' },
      ],
    },
  ],
};
