// A panel as data, and the parts of its queries. grafana-panel.ts converts it to Grafana's format. `$namespace`,
// `$region` and `$instance` are the dashboard's variables and `$__rate_interval` Grafana's. `instance` distinguishes
// replicas for every way of scraping: a ServiceMonitor, annotations, or a static list. `region` is a label that a
// Prometheus of several regions adds; without it, the variable matches everything.

/** Ids of Grafana's units. */
export type Unit = 'short' | 's' | 'ops' | 'opm' | 'reqps' | 'percentunit' | 'bytes';

export interface Query {
  expr: string;
  /** Grafana's legend: `{{label}}`. */
  legend: string;
  /** The program that exposes the metric, if it is not a part of every installation. */
  from?: 'canary' | 'kubelet' | 'CloudNativePG';
}

export interface Panel {
  title: string;
  /** The good state, and the action to take if the state is bad. */
  description: string;
  /** `alerts` lists the alerts of the namespace, and has no query. */
  kind: 'stat' | 'lines' | 'stacked' | 'table' | 'alerts';
  unit: Unit;
  /** The width, of 24 columns. (Default: 8; a stat 4.) */
  width?: number;
  /** (Default: Grafana chooses.) */
  decimals?: number;
  /**
   * A stat turns red at and above the one, and below the other, and lines have a line there. Absent: a stat stays
   * green.
   */
  bad?: { above?: number; below?: number };
  queries: Query[];
}

export interface Row {
  title: string;
  panels: Panel[];
}

const PLACE = 'namespace=~"$namespace"';
const IN = `${PLACE}, region=~"$region", instance=~"$instance"`;

/** The metric in the chosen namespaces. Metrics of the process and of Node.js have no prefix, as in every program. */
export const of = (metric: string, matchers = ''): string =>
  `${/^(process|nodejs)_/.test(metric) ? '' : 'zonestead_'}${metric}{${matchers ? `${IN}, ${matchers}` : IN}}`;
/** A series that Prometheus records for a namespace; the variable `instance` does not change it. */
export const recorded = (metric: string, matchers: string): string => `${metric}{${PLACE}, ${matchers}}`;
/** A metric of another program in the chosen namespaces. */
export const foreign = (metric: string, matchers: string): string => `${metric}{${PLACE}, ${matchers}}`;
export const rate = (metric: string, matchers = ''): string => `rate(${of(metric, matchers)}[$__rate_interval])`;
/** For rare events: half an event a second says little. */
export const perMinute = (metric: string, matchers = ''): string => `60 * ${rate(metric, matchers)}`;
export const quantile = (q: number, metric: string, by: string[] = [], matchers = ''): string =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (${rate(`${metric}_bucket`, matchers)}))`;
export const one = (expr: string, legend = ''): Query[] => [{ expr, legend }];
export const from = (program: NonNullable<Query['from']>, expr: string, legend: string): Query => ({
  expr,
  legend,
  from: program,
});
/** The selector for the processes' own metrics, which all have the same names. */
export const byComponent = (expr: string): string =>
  `${expr} * on (namespace, instance) group_left (component) ${of('build_info')}`;
