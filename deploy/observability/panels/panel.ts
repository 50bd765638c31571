// What a panel is, as data, and the pieces that queries are made of. It must not know Grafana's format (dashboard.ts does).
//
// `$namespace` is the dashboard's variable and `$__rate_interval` Grafana's. `instance` tells replicas apart whatever
// scrapes them: a ServiceMonitor, annotations, or a static list.

/** Ids of Grafana's units. */
export type Unit = 'short' | 's' | 'ops' | 'opm' | 'reqps' | 'percentunit' | 'bytes';

export interface Query {
  expr: string;
  /** Grafana's legend: `{{label}}`. */
  legend: string;
}

export interface Panel {
  title: string;
  /** What is good, and what to do when it is not. */
  description: string;
  kind: 'stat' | 'lines' | 'stacked' | 'table';
  unit: Unit;
  /** Of 24 columns. (Default: 8; a stat 4.) */
  width?: number;
  /** A stat turns red at and above the one, and below the other. (Default: it stays green.) */
  bad?: { above?: number; below?: number };
  queries: Query[];
}

export interface Row {
  title: string;
  panels: Panel[];
}

const IN = 'namespace=~"$namespace"';

/** The metric, of the chosen namespaces. */
export const of = (metric: string, matchers = ''): string =>
  `zonestead_${metric}{${matchers ? `${IN}, ${matchers}` : IN}}`;
export const rate = (metric: string, matchers = ''): string => `rate(${of(metric, matchers)}[$__rate_interval])`;
/** For what is rare: half an event a second says little. */
export const perMinute = (metric: string, matchers = ''): string => `60 * ${rate(metric, matchers)}`;
export const quantile = (q: number, metric: string, by: string[] = [], matchers = ''): string =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (${rate(`${metric}_bucket`, matchers)}))`;
export const one = (expr: string, legend = ''): Query[] => [{ expr, legend }];
/** Of the processes' own metrics, which all have the same names. */
export const byComponent = (expr: string): string =>
  `${expr} * on (namespace, instance) group_left (component) ${of('build_info')}`;
