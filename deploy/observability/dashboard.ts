// The panels as a Grafana dashboard (schema 39, Grafana 10 and later; imports into 9.4). Pure: the same data gives the same
// text, so that a test can hold the file in the chart against it.
import { API } from './panels/api.ts';
import { DNS } from './panels/dns.ts';
import { OPERATOR } from './panels/operator.ts';
import { OVERVIEW } from './panels/overview.ts';
import type { Panel, Row } from './panels/panel.ts';
import { PROCESSES } from './panels/processes.ts';
import { SOLVER } from './panels/solver.ts';

/** In the order of the screen. */
export const ROWS: readonly Row[] = [OVERVIEW, DNS, API, OPERATOR, SOLVER, PROCESSES];

const COLUMNS = 24;
const HEIGHTS = { stat: 4, lines: 8, stacked: 8, table: 8 } as const;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

export function dashboard(): object {
  let [y, id] = [0, 0];
  const panels: object[] = [];
  for (const row of ROWS) {
    id += 1;
    panels.push({
      id,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { h: 1, w: COLUMNS, x: 0, y },
      panels: [],
    });
    y += 1;
    for (const line of linesOf(row)) {
      let x = 0;
      for (const panel of line) {
        id += 1;
        const w = widthOf(panel);
        panels.push({ id, ...grafanaPanel(panel), gridPos: { h: HEIGHTS[panel.kind], w, x, y } });
        x += w;
      }
      y += Math.max(...line.map(({ kind }) => HEIGHTS[kind]));
    }
  }
  return {
    uid: 'zonestead',
    title: 'Zonestead',
    description: 'DNS as Kubernetes resources: name servers, REST service, operator, solver.',
    tags: ['zonestead', 'dns'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: '',
    templating: { list: [datasourceVariable(), namespaceVariable()] },
    annotations: { list: [] },
    links: [],
    panels,
  };
}

/** As it stands in the chart. */
export function dashboardText(): string {
  return `${JSON.stringify(dashboard(), null, 2)}\n`;
}

function widthOf({ kind, width }: Panel): number {
  return width ?? (kind === 'stat' ? 4 : 8);
}

/** Panels side by side until a line is full. */
function linesOf({ panels }: Row): Panel[][] {
  const lines: Panel[][] = [];
  let room = 0;
  for (const panel of panels) {
    const width = widthOf(panel);
    if (width > room) {
      lines.push([]);
      room = COLUMNS;
    }
    lines.at(-1)?.push(panel);
    room -= width;
  }
  return lines;
}

function grafanaPanel({ title, description, kind, unit, bad, queries }: Panel): object {
  const instant = kind === 'stat' || kind === 'table';
  const targets = queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource: DATASOURCE,
    expr,
    legendFormat: legend,
    instant,
    range: !instant,
    ...(kind === 'table' ? { format: 'table' } : {}),
  }));
  return { title, description, datasource: DATASOURCE, targets, ...LOOKS[kind](unit, bad) };
}

type Look = (unit: string, bad: Panel['bad']) => object;

const LOOKS: Record<Panel['kind'], Look> = {
  stat: (unit, bad) => ({
    type: 'stat',
    fieldConfig: { defaults: { unit, noValue: '–', thresholds: thresholds(bad) }, overrides: [] },
    options: {
      colorMode: 'value',
      graphMode: 'none',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    },
  }),
  lines: (unit) => timeSeries(unit, 'none'),
  stacked: (unit) => timeSeries(unit, 'normal'),
  table: (unit) => ({
    type: 'table',
    fieldConfig: { defaults: { unit }, overrides: [] },
    options: { showHeader: true },
    transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
  }),
};

function timeSeries(unit: string, stacking: 'none' | 'normal'): object {
  const custom = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: stacking === 'normal' ? 25 : 0,
    showPoints: 'never',
    stacking: { mode: stacking, group: 'A' },
  };
  return {
    type: 'timeseries',
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

function thresholds(bad: Panel['bad']): object {
  const steps =
    bad === undefined
      ? [{ color: 'green', value: null }]
      : 'above' in bad
        ? [
            { color: 'green', value: null },
            { color: 'red', value: bad.above },
          ]
        : [
            { color: 'red', value: null },
            { color: 'green', value: bad.below },
          ];
  return { mode: 'absolute', steps };
}

function datasourceVariable(): object {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 };
}

function namespaceVariable(): object {
  const query = 'label_values(zonestead_build_info, namespace)';
  return {
    name: 'namespace',
    label: 'Namespace',
    type: 'query',
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: 'namespace' },
    refresh: 2,
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { selected: true, text: ['All'], value: ['$__all'] },
    sort: 1,
  };
}
