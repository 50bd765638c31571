// Plots as SVG paths, measured here and drawn by overview/plot.eta. Colours are classes, because the
// Content-Security-Policy allows no inline style, and lines differ in their dashes too. Pure.

interface Series {
  name: string;
  /** Null: nothing is known. A gap in the line. */
  values: readonly (number | null)[];
}

export interface Plot {
  id: string;
  title: string;
  /** The unit of the values, at the top of the axis. */
  unit: string;
  /** The name of the moments, below the axis: `Time (UTC)`. */
  momentsAre: string;
  /** The whole plot in a sentence, for screen readers. */
  desc: string;
  width: number;
  height: number;
  /** Horizontal lines with their value. */
  grid: { y: number; text: string }[];
  labels: { x: number; text: string; anchor: 'start' | 'middle' | 'end' }[];
  /** `dots`: values with nothing known before and after them. */
  lines: { name: string; path: string; dots: { x: number; y: number }[]; latest: string }[];
  bars: { x: number; y: number; width: number; height: number; title: string }[];
  /** The sentence in the place of lines or bars. Null: there are some. */
  empty: string | null;
  /** The same figures as text. */
  table: { head: string[]; rows: string[][] };
}

interface Given {
  id: string;
  title: string;
  /** The unit of the values: `queries a second`. */
  unit: string;
  /** Under the plot, one for each value. */
  moments: readonly string[];
  /** The heading of the moments in the table. (Default: Time (UTC).) */
  momentsAre?: string;
  series: readonly Series[];
  /** A sentence for a plot without lines, or whose bars are all zero. (Default: There are no figures yet.) */
  empty?: string;
}

const WIDTH = 560;
const HEIGHT = 200;
const LEFT = 60;
const RIGHT = 8;
/** With a line for the unit. */
const TOP = 32;
/** With a line for the moments, and one for their name. */
const BOTTOM = 40;
const EMPTY = 'There are no figures yet.';
/** Lines that differ in colour and dashes. */
export const MAX_PLOT_LINES = 6;
const MAX_WIDTH = 60;
/** Bars that have a label each. */
const MAX_LABELS = 5;
/** Rows of the table, each with the average of its time. */
const ROWS = 24;

export function linePlot(plotData: Given): Plot {
  const { series, moments } = plotData;
  const top = chooseTop(series);
  const x = (at: number) => LEFT + (at * (WIDTH - LEFT - RIGHT)) / Math.max(1, moments.length - 1);
  const lines = series.slice(0, MAX_PLOT_LINES).map(({ name, values }) => ({
    name,
    path: drawPath(values, x, (value) => scaleY(value, top)),
    dots: values.flatMap((value, at) =>
      value !== null && values[at - 1] == null && values[at + 1] == null
        ? [{ x: round(x(at)), y: scaleY(value, top) }]
        : [],
    ),
    latest: formatPlotValue(values.findLast((value) => value !== null) ?? null),
  }));
  return { ...frame(plotData, top), lines, bars: [], labels: ends(moments) };
}

export function barPlot(plotData: Given): Plot {
  const { series, moments } = plotData;
  const top = chooseTop(series);
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, moments.length);
  const width = Math.min(step * 0.7, MAX_WIDTH);
  const bars = (series[0]?.values ?? []).map((value, at) => {
    const y = scaleY(value ?? 0, top);
    const title = `${moments[at]}: ${formatPlotValue(value)} ${plotData.unit}`;
    const box = { x: round(LEFT + (at + 0.5) * step - width / 2), width: round(width), y };
    return { ...box, height: round(HEIGHT - BOTTOM - y), title };
  });
  const centre = (at: number) => round(LEFT + (at + 0.5) * step);
  const each = moments.map((text, at) => ({ x: centre(at), text, anchor: 'middle' as const }));
  // Bars count things, of which there is no half.
  const whole = frame(plotData, top);
  const grid = whole.grid.filter((_, at) => at !== 1 || Number.isInteger(top / 2));
  const isZero = bars.every(({ height }) => height === 0);
  const empty = isZero ? (plotData.empty ?? EMPTY) : null;
  return { ...whole, grid, empty, lines: [], bars, labels: moments.length <= MAX_LABELS ? each : ends(moments) };
}

function frame({ id, title, unit, moments, momentsAre = 'Time (UTC)', series, empty = EMPTY }: Given, top: number) {
  const shownSeries = series.slice(0, MAX_PLOT_LINES);
  const every = Math.ceil(moments.length / ROWS);
  const rows = moments.flatMap((moment, at) =>
    at % every === (moments.length - 1) % every
      ? [
          [
            moment,
            ...series.map(({ values }) =>
              formatPlotValue(computeAverage(values.slice(Math.max(0, at - every + 1), at + 1))),
            ),
          ],
        ]
      : [],
  );
  const words = shownSeries.map(({ name, values }) => {
    const knownValues = values.filter((value) => value !== null);
    return `${name}: at most ${formatPlotValue(knownValues.length === 0 ? null : Math.max(...knownValues))} ${unit}`;
  });
  return {
    ...{ id, title, unit, momentsAre, width: WIDTH, height: HEIGHT },
    desc: words.length === 0 ? empty : `${words.join('; ')}.`,
    empty: words.length === 0 ? empty : null,
    grid: [0, 0.5, 1].map((part) => ({ y: scaleY(top * part, top), text: formatPlotValue(top * part) })),
    table: { head: [momentsAre, ...series.map(({ name }) => name)], rows },
  };
}

/** The average of the known values. */
function computeAverage(values: readonly (number | null)[]): number | null {
  const knownValues = values.filter((value) => value !== null);
  return knownValues.length === 0 ? null : knownValues.reduce((sum, value) => sum + value, 0) / knownValues.length;
}

/** The largest value, rounded up to 1, 2 or 5 times a power of ten. */
function chooseTop(series: readonly Series[]): number {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.filter((value) => value !== null)));
  if (most === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= most) ?? most;
}

function scaleY(value: number, top: number): number {
  return round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
}

function drawPath(values: readonly (number | null)[], x: (at: number) => number, y: (value: number) => number): string {
  let isOpen = false;
  return values
    .flatMap((value, at) => {
      const command = isOpen ? 'L' : 'M';
      isOpen = value !== null;
      return value === null ? [] : [`${command}${round(x(at))} ${y(value)}`];
    })
    .join('');
}

function ends(moments: readonly string[]): Plot['labels'] {
  const at = (index: number) => moments[index] ?? '';
  const middle = Math.floor((moments.length - 1) / 2);
  return [
    { x: LEFT, text: at(0), anchor: 'start' },
    { x: (LEFT + WIDTH - RIGHT) / 2, text: at(middle), anchor: 'middle' },
    { x: WIDTH - RIGHT, text: at(moments.length - 1), anchor: 'end' },
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Smaller values are shown as 0, such as a single query in a quarter of an hour. */
const MIN_SHOWN = 0.005;

/** Three digits at most; `–` for an unknown value. */
export function formatPlotValue(value: number | null): string {
  if (value === null) return '–';
  if (value >= 10_000) return `${Number((value / 1_000).toPrecision(3))}k`;
  if (value < MIN_SHOWN) return '0';
  return String(Number(value.toPrecision(value >= 100 ? 4 : 3)));
}
