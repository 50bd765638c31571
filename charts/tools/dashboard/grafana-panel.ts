// Converts a panel to Grafana's form: queries, options and field settings, checked against Grafana's own types. Pure.
// dashboard.ts places the panels.
import type { DataQuery, DataSourceRef, FieldConfig, GraphFieldConfig, Panel as Typed } from '@grafana/schema';
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type {
  FieldConfig as TableFields,
  Options as TableOptions,
} from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type { Options as TimeSeriesOptions } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import type { Panel } from './panels/panel.ts';

/** A type of Grafana's in JSON: enums are their values. */
export type Json<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Each)[]
    ? Json<Each>[]
    : T extends object
      ? { [Key in keyof T]: Json<T[Key]> }
      : T;

/** The query of a Prometheus data source. No package has its types alone. */
interface Target extends Pick<DataQuery, 'refId'> {
  datasource: DataSourceRef;
  expr: string;
  legendFormat: string;
  instant: boolean;
  range: boolean;
  format: 'time_series' | 'table';
}

/** The choice in the dashboard's variable `datasource`. */
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '$datasource' };

export function grafanaPanel(panel: Panel) {
  const { title, description, kind, queries } = panel;
  const instant = kind === 'stat' || kind === 'table';
  const targets = queries.map(
    ({ expr, legend }, index): Target => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      instant,
      range: !instant,
      format: kind === 'table' ? 'table' : 'time_series',
    }),
  );
  return { title, description, datasource: DATASOURCE, targets, ...LOOKS[kind](panel) } satisfies Json<
    Omit<Typed, 'targets'>
  > & { targets: Target[] };
}

interface Look<Options = Record<string, unknown>, Custom = Record<string, unknown>> {
  type: string;
  fieldConfig: { defaults: Json<Omit<FieldConfig, 'custom'>> & { custom?: Json<Custom> }; overrides: [] };
  options: Json<Options>;
  transformations?: { id: string; options: object }[];
}

const LOOKS: Record<Panel['kind'], (panel: Panel) => Look> = {
  stat,
  lines: (panel) => timeSeries(panel, 'none'),
  stacked: (panel) => timeSeries(panel, 'normal'),
  table,
  alerts,
};

/** Grafana has no package with the types of this panel. The data source is that of the rules, here Prometheus itself. */
function alerts(): Look {
  return {
    type: 'alertlist',
    fieldConfig: { defaults: {}, overrides: [] },
    options: {
      viewMode: 'list',
      groupMode: 'default',
      maxItems: 20,
      sortOrder: 3,
      datasource: '$datasource',
      alertInstanceLabelFilter: '{namespace=~"$namespace"}',
      alertName: 'Zonestead',
      stateFilter: { firing: true, pending: true, normal: false, noData: false, error: true },
    },
  };
}

function stat({ unit, bad, decimals }: Panel): Look<StatOptions> {
  return {
    type: 'stat',
    fieldConfig: {
      defaults: { unit, noValue: '–', thresholds: thresholds(bad), ...(decimals === undefined ? {} : { decimals }) },
      overrides: [],
    },
    options: {
      colorMode: 'value',
      graphMode: 'none',
      justifyMode: 'auto',
      orientation: 'auto',
      percentChangeColorMode: 'standard',
      showPercentChange: false,
      // The title says what it is.
      textMode: 'value',
      wideLayout: true,
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    },
  };
}

function timeSeries({ unit, bad }: Panel, stacking: 'none' | 'normal'): Look<TimeSeriesOptions, GraphFieldConfig> {
  const custom: Json<GraphFieldConfig> = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: stacking === 'normal' ? 25 : 0,
    showPoints: 'never',
    stacking: { mode: stacking, group: 'A' },
    ...(bad === undefined ? {} : { thresholdsStyle: { mode: 'dashed' as const } }),
  };
  const limit = bad === undefined ? {} : { thresholds: thresholds(bad) };
  return {
    type: 'timeseries',
    fieldConfig: {
      defaults: { unit, min: 0, ...(unit === 'percentunit' ? { max: 1 } : {}), ...limit, custom },
      overrides: [],
    },
    options: {
      legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

function table({ unit }: Panel): Look<TableOptions, TableFields> {
  return {
    type: 'table',
    fieldConfig: {
      defaults: { unit, custom: { align: 'auto', cellOptions: { type: 'auto' }, inspect: false } },
      overrides: [],
    },
    options: { frameIndex: 0, showHeader: true },
    transformations: [
      { id: 'organize', options: { excludeByName: { Time: true }, renameByName: { Value: 'processes' } } },
    ],
  };
}

/** Green, and red at and above one bound or below the other. */
function thresholds({ above, below }: NonNullable<Panel['bad']> = {}): Json<NonNullable<FieldConfig['thresholds']>> {
  const good = below === undefined ? [{ color: 'green', value: null }] : [RED, { color: 'green', value: below }];
  return { mode: 'absolute', steps: above === undefined ? good : [...good, { ...RED, value: above }] };
}

const RED = { color: 'red', value: null };
