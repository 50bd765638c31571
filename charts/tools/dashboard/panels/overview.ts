// The panels to look at first: the objectives, the alerts that fire, and the parts that must run. Data for panel.ts.
import { budgetOf, OBJECTIVES } from '../../slo/objectives.ts';
import { BURNS, ratioOver } from '../../slo/rules.ts';
import { of, one, type Panel, type Row, rate, recorded } from './panel.ts';

const badShare = (id: string, window: string) => `max(${recorded(ratioOver(window), `slo="${id}"`)})`;

/** Without events there is nothing bad. */
const objectives = OBJECTIVES.map(
  ({ id, title, target }): Panel => ({
    title: `${title} (1 h)`,
    description: `The share of good events in the last hour. The objective is ${Number((target * 100).toPrecision(6))} %.`,
    kind: 'stat',
    unit: 'percentunit',
    decimals: 3,
    width: 6,
    bad: { below: target },
    queries: one(`1 - (${badShare(id, '1h')} or vector(0))`),
  }),
);

export const OVERVIEW: Row = {
  title: 'Objectives and alerts',
  panels: [
    ...objectives,
    {
      title: 'Alerts',
      description: 'The alerts that fire or are pending. Each has a runbook.',
      kind: 'alerts',
      unit: 'short',
      width: 12,
      queries: [],
    },
    {
      title: 'Burn rate (1 h)',
      description: `How many times faster than allowed each error budget is used up. At ${BURNS[0]?.rate}, an alert fires.`,
      kind: 'lines',
      unit: 'short',
      width: 12,
      bad: { above: BURNS[0]?.rate ?? 0 },
      queries: OBJECTIVES.map((objective) => ({
        expr: `(${badShare(objective.id, '1h')} or vector(0)) / ${budgetOf(objective)}`,
        legend: objective.id,
      })),
    },
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
      title: 'Without a database',
      description: 'Processes of the REST service that do not reach the database.',
      kind: 'stat',
      unit: 'short',
      bad: { above: 1 },
      queries: one(`count(${of('database_up')}) - sum(${of('database_up')})`),
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
  ],
};
