// The view of the users, as the canary measures it from outside. Data only: panel.ts says what it means.
import { from, of, type Row, rate } from './panel.ts';

const quantileOf = (metric: string, by: string) =>
  `histogram_quantile(0.99, sum by (le${by}) (${rate(`${metric}_bucket`)}))`;

export const USERS: Row = {
  title: 'Users',
  panels: [
    {
      title: 'Queries of the canary',
      description:
        'Queries to each address by result. wrong and bogus cost users the name, silent costs them a second.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        from('canary', `sum by (address, result) (${rate('canary_queries_total')}) > 0`, '{{address}} {{result}}'),
      ],
    },
    {
      title: 'Time of an answer (p99)',
      description: 'From the question of the canary to the answer, by transport.',
      kind: 'lines',
      unit: 's',
      queries: [from('canary', quantileOf('canary_query_duration_seconds', ', transport'), '{{transport}}')],
    },
    {
      title: 'Age of answers',
      description: 'The age of the records with which each address answers the canary. Above 30 s: see the row Feed.',
      kind: 'lines',
      unit: 's',
      bad: { above: 30 },
      queries: [from('canary', `max by (address) (${of('canary_freshness_seconds')})`, '{{address}}')],
    },
    {
      title: 'Change to answer (p99)',
      description: 'From a change of the canary over REST until every address answers with it.',
      kind: 'lines',
      unit: 's',
      bad: { above: 5 },
      queries: [from('canary', quantileOf('canary_change_duration_seconds', ''), 'p99')],
    },
    {
      title: 'Changes of the canary',
      description: 'answered, late, or failed: the REST service took none.',
      kind: 'stacked',
      unit: 'ops',
      queries: [from('canary', `sum by (result) (${rate('canary_changes_total')})`, '{{result}}')],
    },
    {
      title: 'Challenges of the canary (p99)',
      description: 'From the request that presents a challenge until every address answers it.',
      kind: 'lines',
      unit: 's',
      bad: { above: 60 },
      queries: [from('canary', quantileOf('canary_challenge_duration_seconds', ''), 'p99')],
    },
  ],
};
