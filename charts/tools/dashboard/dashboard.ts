// The panels as a Grafana dashboard (schema 39, Grafana 10 and later), held against Grafana's own types. Pure: the same
// data gives the same text, so that a test can hold the file in the chart against it.
import type { AnnotationQuery, Dashboard, GridPos, RowPanel, VariableModel } from '@grafana/schema';
import { DATASOURCE, grafanaPanel, type Json } from './grafana-panel.ts';
import { API } from './panels/api.ts';
import { CHECKS } from './panels/checks.ts';
import { DATABASE } from './panels/database.ts';
import { DNS } from './panels/dns.ts';
import { FEED } from './panels/feed.ts';
import { OPERATOR } from './panels/operator.ts';
import { OVERVIEW } from './panels/overview.ts';
import type { Panel, Row } from './panels/panel.ts';
import { PROCESSES } from './panels/processes.ts';
import { SOLVER } from './panels/solver.ts';
import { USERS } from './panels/users.ts';

/**
 * In the order of the screen, which is that of a search in an incident: the objectives and alerts, the view of the
 * users, and then each part on which the one before depends. The clients in a cluster come last.
 */
export const ROWS: readonly Row[] = [OVERVIEW, USERS, DNS, FEED, API, DATABASE, PROCESSES, CHECKS, OPERATOR, SOLVER];

const COLUMNS = 24;
const HEIGHTS = { stat: 4, lines: 8, stacked: 8, table: 8, alerts: 8 } as const;

export type DashboardJson = Omit<Json<Dashboard>, 'panels'> & { panels: (Json<RowPanel> | PlacedPanel)[] };
/** `panels` have only rows. */
type PlacedPanel = ReturnType<typeof grafanaPanel> & { id: number; gridPos: GridPos; panels?: never };

export function dashboard(): DashboardJson {
  let [y, id] = [0, 0];
  const panels: DashboardJson['panels'] = [];
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
    for (const line of wrapPanels(row)) {
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
    description:
      'From the users down: objectives, name servers, feed, REST service, database, processes; then health checks, operator and solver.',
    tags: ['zonestead', 'dns'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: '',
    templating: {
      list: [
        datasourceVariable(),
        labelVariable('namespace', 'Namespace', 'zonestead_build_info'),
        labelVariable('region', 'Region', 'zonestead_build_info{namespace=~"$namespace"}'),
        labelVariable('instance', 'Instance', 'zonestead_build_info{namespace=~"$namespace", region=~"$region"}'),
      ],
    },
    annotations: { list: [versionAnnotation()] },
    links: [],
    panels,
  };
}

/** The dashboard in the form of the chart's file. */
export function dashboardText(): string {
  return `${JSON.stringify(dashboard(), null, 2)}\n`;
}

function widthOf({ kind, width }: Panel): number {
  return width ?? (kind === 'stat' ? 4 : 8);
}

/** Panels side by side until a line is full. */
function wrapPanels({ panels }: Row): Panel[][] {
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

function datasourceVariable(): Json<VariableModel> {
  // Grafana's default where it is a Prometheus, else the first that is one.
  const current = { selected: true, text: 'default', value: 'default' };
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current, hide: 0 };
}

/** A line where a version begins to run that did not run two minutes before. */
function versionAnnotation(): VersionAnnotation {
  const versions = 'group by (namespace, component, version) (zonestead_build_info{namespace=~"$namespace"}';
  return {
    name: 'Deployments',
    enable: true,
    iconColor: 'blue',
    datasource: DATASOURCE,
    expr: `${versions}) unless ${versions} offset 2m)`,
    step: '60s',
    titleFormat: '{{component}} {{version}}',
    textFormat: '{{namespace}}',
    useValueForTime: false,
  };
}

/** An annotation of a Prometheus data source. No package has its types alone. */
type VersionAnnotation = Json<AnnotationQuery> & {
  expr: string;
  step: string;
  titleFormat: string;
  textFormat: string;
  useValueForTime: boolean;
};

/** @param series the series that have the label */
function labelVariable(name: string, label: string, series: string): Json<VariableModel> {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    // As the data source's own editor writes it: 1 is label_values.
    query: {
      qryType: 1,
      query: `label_values(${series}, ${name})`,
      refId: 'PrometheusVariableQueryEditor-VariableQuery',
    },
    refresh: 2,
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { selected: true, text: ['All'], value: ['$__all'] },
    sort: 1,
  };
}
