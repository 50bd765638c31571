// The solver: challenges for certificates. Data only: panel.ts says what it means.
import { one, perMinute, quantile, type Row } from './panel.ts';

export const SOLVER: Row = {
  title: 'Certificates',
  panels: [
    {
      title: 'Challenges',
      description: 'Requests of cert-manager to the solver. cert-manager retries failed ones.',
      kind: 'stacked',
      unit: 'opm',
      width: 12,
      queries: one(
        `sum by (action, result) (${perMinute('solver_challenge_duration_seconds_count')})`,
        '{{action}} {{result}}',
      ),
    },
    {
      title: 'Time of a challenge (p99)',
      description: 'Present waits until every name server answers the value, at most 20 s.',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: one(quantile(0.99, 'solver_challenge_duration_seconds', ['action']), '{{action}}'),
    },
  ],
};
