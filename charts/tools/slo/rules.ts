// The rules of the objectives: recorded rates and ratios, and alerts on several windows and burn rates
// (https://sre.google/workbook/alerting-on-slos/, section 6). Pure: the same data gives the same text.
import { stringify } from 'yaml';
import { budgetOf, IN, OBJECTIVES, type Objective } from './objectives.ts';

/** The interval of the group in seconds. The sum of a recorded rate over a window, times this, is a number of events. */
const INTERVAL = 30;

export const TOTAL = 'zonestead_slo:total:rate2m';
export const BAD = 'zonestead_slo:bad:rate2m';
export const ratioOver = (window: string): string => `zonestead_slo:bad:ratio_${window}`;
const WINDOWS = ['5m', '30m', '1h', '6h', '3d'] as const;

interface Burn {
  /** The label `window`. */
  readonly long: (typeof WINDOWS)[number];
  /** It ends the alert soon after the cause has ended. */
  readonly short: (typeof WINDOWS)[number];
  /** Times the budget. At 1, the budget of 30 days lasts 30 days. */
  readonly rate: number;
  readonly severity: 'critical' | 'warning';
}

export const BURNS: readonly Burn[] = [
  { long: '1h', short: '5m', rate: 14.4, severity: 'critical' },
  { long: '6h', short: '30m', rate: 6, severity: 'critical' },
  { long: '3d', short: '6h', rate: 1, severity: 'warning' },
];

/** This share of bad events alerts at once. With an objective of 99 %, the window of an hour would take nine minutes. */
const BROKEN_SHARE = 0.25;

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The canary counts where there is one, also while it counts nothing bad: `or` takes the first series of a namespace. */
function recordRates({ id, canary, inside }: Objective): Rule[] {
  const labels = { slo: id };
  const bad = [canary.bad, `0 * (${canary.total})`, inside.bad, `0 * (${inside.total})`];
  return [
    { record: TOTAL, expr: [canary.total, inside.total].join('\nor '), labels },
    { record: BAD, expr: bad.join('\nor '), labels },
  ];
}

/** The selector is here as well, because another release records series of the same name. */
function recordRatio(window: string): Rule {
  const sum = (series: string) => `sum_over_time(${series}{${IN}}[${window}])`;
  return { record: ratioOver(window), expr: `${sum(BAD)} / (${sum(TOTAL)} > 0)` };
}

const PER_CENT = '{{ $value | humanizePercentage }}';

function alertOn(objective: Objective, rule: { expr: string; window: string; severity: string; text: string }): Rule {
  const { alert, id, summary } = objective;
  const name = `Zonestead${alert}`;
  return {
    alert: name,
    expr: rule.expr,
    // Two minutes of events are in their rate already.
    ...(rule.window === 'now' && objective.counts === 'time' ? { for: `${INTERVAL}s` } : {}),
    labels: { severity: rule.severity, slo: id, window: rule.window },
    annotations: { summary, description: rule.text, runbook_url: `alerts.md#${name.toLowerCase()}` },
  };
}

function alertsOf(objective: Objective): Rule[] {
  const series = (name: string) => `${name}{${IN}, slo="${objective.id}"}`;
  const enough = (window: string, least = objective.leastBad) =>
    `  and ${INTERVAL} * sum_over_time(${series(BAD)}[${window}]) >= ${least}`;
  const leastNow = Math.min(objective.leastBad, 5);
  // The sum of the recorded rates reaches the number of the last events only after two minutes.
  const enoughNow = objective.counts === 'time' ? enough('2m', leastNow) : `  and 120 * ${series(BAD)} >= ${leastNow}`;
  const broken = {
    expr: [`${series(BAD)} / (${series(TOTAL)} > 0) > ${BROKEN_SHARE}`, enoughNow].join('\n'),
    window: 'now',
    severity: 'critical',
    text: `${PER_CENT} are bad in the last two minutes, and the objective is ${toPercent(objective.target)} good.`,
  };
  const burns = BURNS.map(({ long, short, rate, severity }) => {
    const bound = Number((rate * budgetOf(objective)).toPrecision(6));
    const above = (window: string) => `${series(ratioOver(window))} > ${bound}`;
    return {
      expr: [above(long), `  and ${above(short)}`, enough(long)].join('\n'),
      window: long,
      severity,
      text: `${PER_CENT} were bad in the last ${long}, and the objective is ${toPercent(objective.target)} good. At this pace, the budget of 30 days is used up in ${toDays(rate)}.`,
    };
  });
  return [broken, ...burns].map((rule) => alertOn(objective, rule));
}

function toDays(rate: number): string {
  const hours = Math.round((30 * 24) / rate);
  return hours < 72 ? `${hours} hours` : `${hours / 24} days`;
}

export function toPercent(share: number): string {
  return `${Number((share * 100).toPrecision(6))} %`;
}

const HEAD = `# Made by \`npm run generate\`; do not edit. charts/tools/slo has the objectives.
`;

/** The file of the chart. */
export function sloText(): string {
  // One group: the alerts use the records of the same moment.
  const rules = [...OBJECTIVES.flatMap(recordRates), ...WINDOWS.map(recordRatio), ...OBJECTIVES.flatMap(alertsOf)];
  const groups = [{ name: 'zonestead-slo', interval: `${INTERVAL}s`, rules }];
  return HEAD + stringify({ groups }, { lineWidth: 0, aliasDuplicateObjects: false });
}
