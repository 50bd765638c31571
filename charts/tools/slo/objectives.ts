// The four objectives of an installation (docs/explanation/service-levels.md), as data: rules.ts makes the rules of
// Prometheus of them, and the dashboard its thresholds. Each has a number of good and bad events a second, or a share
// of the time. The canary measures them from outside; a release without one is measured by its own processes.
//
// `IN` is the selector of the installation. The chart puts the namespace of the release in its place, so that several
// releases in one Prometheus record different series.

export const IN = 'namespace=~".+"';
/** Four scrapes at the default interval of 30 s, so that one that is lost does not matter. */
const RANGE = '2m';

/** PromQL by namespace. */
interface Measure {
  readonly total: string;
  readonly bad: string;
}

export interface Objective {
  /** The label `slo`. */
  readonly id: 'answers' | 'freshness' | 'changes' | 'challenges';
  readonly title: string;
  /** The share of good events, below 1. */
  readonly target: number;
  /** Without the prefix of alerts. */
  readonly alert: string;
  /** The sentence for users in the alert. */
  readonly summary: string;
  /** Whether it counts events a second, or the share of time that is bad. */
  readonly counts: 'events' | 'time';
  /**
   * The least number of bad events of an alert on a window, in seconds for a share of the time: one lost packet is not
   * an incident.
   */
  readonly leastBad: number;
  readonly canary: Measure;
  readonly inside: Measure;
}

const select = (metric: string, matchers = '') => `zonestead_${metric}{${IN}${matchers === '' ? '' : `, ${matchers}`}}`;
const perSecond = (metric: string, matchers = '') => `sum by (namespace) (rate(${select(metric, matchers)}[${RANGE}]))`;

export const OBJECTIVES: readonly Objective[] = [
  {
    id: 'answers',
    title: 'Right answers',
    target: 0.9999,
    alert: 'AnswersWrong',
    summary: 'DNS queries are answered wrongly, or not at all, in {{ $labels.namespace }}',
    counts: 'events',
    leastBad: 5,
    canary: {
      total: perSecond('canary_queries_total'),
      bad: perSecond('canary_queries_total', 'result!="right"'),
    },
    // A name server that is down gives no answers to count.
    inside: {
      total: perSecond('dns_answers_total'),
      bad: perSecond('dns_answers_total', 'rcode="SERVFAIL"'),
    },
  },
  {
    id: 'freshness',
    title: 'Fresh within 30 s',
    target: 0.999,
    alert: 'AnswersStale',
    summary: 'Name servers of {{ $labels.namespace }} answer with old records',
    counts: 'time',
    leastBad: 60,
    // The share of addresses, or of nodes, that are not fresh now; each moment is one event. A node that has not loaded
    // its zones yet (its lag is 1e9) is not ready, so no client asks it.
    canary: {
      total: `sum by (namespace) (${select('canary_freshness_seconds')} * 0) + 1`,
      bad: `avg by (namespace) (${select('canary_freshness_seconds')} > bool 30)`,
    },
    inside: {
      total: `sum by (namespace) (${select('node_living')} * 0) + 1`,
      bad: [
        'avg by (namespace) (',
        `    (max by (namespace, node) (${select('node_lag_seconds')}) < 1e9) > bool 30`,
        `    or max by (namespace, node) (${select('node_living')}) == bool 0`,
        '  )',
      ].join('\n'),
    },
  },
  {
    id: 'changes',
    title: 'Changes answered within 5 s',
    target: 0.99,
    alert: 'ChangesSlow',
    summary: 'Changes reach the name servers of {{ $labels.namespace }} late',
    counts: 'events',
    leastBad: 2,
    canary: {
      total: perSecond('canary_changes_total'),
      bad: [
        perSecond('canary_changes_total'),
        `- ${perSecond('canary_change_duration_seconds_bucket', 'le="5"')}`,
      ].join('\n  '),
    },
    // A change that a node has not applied yet does not count before it has.
    inside: {
      total: perSecond('node_apply_seconds_count'),
      bad: `${perSecond('node_apply_seconds_count')} - ${perSecond('node_apply_seconds_bucket', 'le="5"')}`,
    },
  },
  {
    id: 'challenges',
    title: 'Challenges within 60 s',
    target: 0.99,
    alert: 'ChallengesSlow',
    summary: 'Certificates of {{ $labels.namespace }} are not issued in time',
    counts: 'events',
    leastBad: 2,
    canary: {
      total: perSecond('canary_challenges_total'),
      bad: [
        perSecond('canary_challenges_total', 'result="failed"'),
        `+ ${perSecond('canary_challenge_duration_seconds_count')}`,
        `- ${perSecond('canary_challenge_duration_seconds_bucket', 'le="60"')}`,
      ].join('\n  '),
    },
    // cert-manager repeats a challenge that fails. The solver gives up after 20 s.
    inside: {
      total: perSecond('solver_challenge_duration_seconds_count', 'action="Present"'),
      bad: perSecond('solver_challenge_duration_seconds_count', 'action="Present", result="failure"'),
    },
  },
];

export const budgetOf = ({ target }: Pick<Objective, 'target'>): number => Number((1 - target).toPrecision(6));
