// The names in a PromQL text: the metrics that it selects, the labels by which it selects them, and the labels by which
// it groups. It supports the part of the language that our queries use.

export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

const SELECTOR = /\b(zonestead_[a-z0-9_:]+)(?:\{([^}]*)\})?/g;
const MATCHER = /([a-z_]+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g;
const GROUPING = /\b(?:by|on|group_left|group_right|without|ignoring)\s*\(([^)]*)\)/g;

export function parseSelectors(expr: string): Selector[] {
  return [...expr.matchAll(SELECTOR)].map(([, metric = '', inside = '']) => ({
    metric,
    matchers: [...inside.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value,
    })),
  }));
}

export function parseGroupingLabels(expr: string): string[] {
  return [...expr.matchAll(GROUPING)].flatMap(([, labels = '']) =>
    labels.split(',').flatMap((each) => each.trim() || []),
  );
}

/** `{{label}}` of a legend, `{{ $labels.label }}` of an annotation. */
export function parseShownLabels(text: string): string[] {
  return [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(([, label = '']) => label);
}

/**
 * The legend that Grafana shows for a line. @throws when the series has no label of that name, which Grafana leaves
 * empty
 */
export function fillLegend(legend: string, series: Readonly<Record<string, string>>): string {
  return legend.replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/g, (_, label: string) => {
    const value = series[label];
    if (value === undefined) throw new Error(`${legend}: no label ${label} in ${JSON.stringify(series)}`);
    return value;
  });
}

/** The query with the values that Grafana would insert for its variables. */
export function withoutVariables(expr: string): string {
  return expr.replaceAll(/\$(namespace|region|instance)/g, '.*').replaceAll('$__rate_interval', '30s');
}
