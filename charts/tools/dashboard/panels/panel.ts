// A panel as data, and the parts of its queries. grafana-panel.ts converts it to Grafana's format. `$namespace` is the
// dashboard's variable and `$__rate_interval` Grafana's. `instance` distinguishes replicas for every way of scraping: a
// ServiceMonitor, annotations, or a static list.

/** Ids of Grafana's units. */
export type Unit = 'short' | 's' | 'ops' | 'opm' | 'reqps' | 'percentunit' | 'bytes';

export interface Query {
  expr: string;
  /** Grafana's legend: `{{label}}`. */
  legend: string;
}

export interface Panel {
  title: string;
  /** The good state, and the action to take if the state is bad. */
  description: string;
  kind: 'stat' | 'lines' | 'stacked' | 'table';
  unit: Unit;
  /** The width, of 24 columns. (Default: 8; a stat 4.) */
  width?: number;
  /** A stat turns red at and above the one, and below the other. Absent: it stays green. */
  bad?: { above?: number; below?: number };
  queries: Query[];
}

export interface Row {
  title: string;
  panels: Panel[];
}

const IN = 'namespace=~"$namespace"';

/** The metric in the chosen namespaces. Metrics of the process and of Node.js have no prefix, as in every program. */
export const of = (metric: string, matchers = ''): string =>
  `${/^(process|nodejs)_/.test(metric) ? '' : 'zonestead_'}${metric}{${matchers ? `${IN}, ${matchers}` : IN}}`;
export const rate = (metric: string, matchers = ''): string => `rate(${of(metric, matchers)}[$__rate_interval])`;
/** For rare events: half an event a second says little. */
export const perMinute = (metric: string, matchers = ''): string => `60 * ${rate(metric, matchers)}`;
export const quantile = (q: number, metric: string, by: string[] = [], matchers = ''): string =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (${rate(`${metric}_bucket`, matchers)}))`;
export const one = (expr: string, legend = ''): Query[] => [{ expr, legend }];
/** The selector for the processes' own metrics, which all have the same names. */
export const byComponent = (expr: string): string =>
  `${expr} * on (namespace, instance) group_left (component) ${of('build_info')}`;
