// The names in a PromQL text: which metrics it selects, by which labels, and which labels it groups by. As much of the
// language as our queries use. It must not know which names exist.

export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

const SELECTOR = /\b(zonestead_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const MATCHER = /([a-z_]+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g;
const GROUPING = /\b(?:by|on|group_left|group_right|without|ignoring)\s*\(([^)]*)\)/g;

export function selectorsOf(expr: string): Selector[] {
  return [...expr.matchAll(SELECTOR)].map(([, metric = '', inside = '']) => ({
    metric,
    matchers: [...inside.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value,
    })),
  }));
}

export function groupingLabelsOf(expr: string): string[] {
  return [...expr.matchAll(GROUPING)].flatMap(([, labels = '']) =>
    labels.split(',').flatMap((each) => each.trim() || []),
  );
}

/** `{{label}}` of a legend, `{{ $labels.label }}` of an annotation. */
export function shownLabelsOf(text: string): string[] {
  return [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(([, label = '']) => label);
}

/** What Grafana writes beside a line. @throws when the series has no label of that name, which Grafana leaves empty */
export function legendOf(legend: string, series: Readonly<Record<string, string>>): string {
  return legend.replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/g, (_, label: string) => {
    const value = series[label];
    if (value === undefined) throw new Error(`${legend}: no label ${label} in ${JSON.stringify(series)}`);
    return value;
  });
}

/** With what Grafana would put in for its variables. */
export function withoutVariables(expr: string): string {
  return expr.replaceAll('$namespace', '.*').replaceAll('$__rate_interval', '30s');
}
