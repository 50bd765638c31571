// Plots: scales, gaps, texts and tables.
import { expect, test } from 'vitest';
import { barPlot, formatPlotValue, linePlot } from '#console/overview/plot.ts';

const plot = (values: (number | null)[], more = {}) =>
  linePlot({
    ...{ id: 'a', title: 'Queries', unit: 'queries a second' },
    moments: values.map((_, at) => `t${at}`),
    series: [{ name: 'ns1', values }],
    ...more,
  });

test.each([
  [0.03, '0.05'],
  [1, '1'],
  [1.1, '2'],
  [420, '500'],
  [6_000, '10k'],
  [0, '1'],
])('a plot with at most %d has a scale up to %s', (most, text) => {
  expect(plot([0, most]).grid.at(-1)?.text).toBe(text);
});

test('a plot has zero at the bottom and the top of the scale at the top', () => {
  const { lines, grid } = plot([0, 10]);
  const [low, , high] = grid;
  expect(lines[0]?.path).toBe(`M60 ${low?.y}L552 ${high?.y}`);
  expect(low?.y).toBeGreaterThan(high?.y ?? 0);
  // The text of the unit is above the scale.
  expect(high?.y).toBeGreaterThan(14);
});

test('a plot has the value of each line of its grid, and the half in the middle', () => {
  const { grid } = plot([0, 10]);
  expect(grid.map(({ text }) => text)).toEqual(['0', '5', '10']);
  expect(grid[1]?.y).toBe(((grid[0]?.y ?? 0) + (grid[2]?.y ?? 0)) / 2);
});

test('a plot names the first, the middle and the last moment at their places', () => {
  expect(plot([1, 2, 3, 4, 5]).labels).toEqual([
    { x: 60, text: 't0', anchor: 'start' },
    { x: (60 + 552) / 2, text: 't2', anchor: 'middle' },
    { x: 552, text: 't4', anchor: 'end' },
  ]);
});

test('a plot says the last value that is known', () => {
  expect(plot([1, 5, null]).lines[0]?.latest).toBe('5');
  expect(plot([null]).lines[0]?.latest).toBe('–');
});

test('a plot leaves a gap where nothing is known, and shows a value without neighbours as a dot', () => {
  const { path, dots } = plot([1, 1, null, 0, null]).lines[0] ?? { path: '', dots: [] };
  expect(path.match(/M/g)).toHaveLength(2);
  // The fourth of five places between the edges of the plot, at its bottom.
  expect(dots).toEqual([{ x: 60 + (3 / 4) * (552 - 60), y: plot([0]).grid[0]?.y }]);
  expect(plot([5]).lines[0]?.dots).toHaveLength(1);
  expect(plot([1, 2, null, 3, 4]).lines[0]?.dots).toEqual([]);
});

test('a plot says its figures in words and in a table of averages', () => {
  const { desc, table } = plot(Array.from({ length: 96 }, (_, at) => at));
  expect(desc).toBe('ns1: at most 95 queries a second.');
  expect(table.head).toEqual(['Time (UTC)', 'ns1']);
  expect(table.rows).toHaveLength(24);
  // The last four of 96 values.
  expect(table.rows.at(-1)).toEqual(['t95', String((92 + 93 + 94 + 95) / 4)]);
  expect(plot([1, null, null]).table.rows).toEqual([
    ['t0', '1'],
    ['t1', '–'],
    ['t2', '–'],
  ]);
});

test('a plot has a title, the unit of each axis, and a sentence if there is nothing to draw', () => {
  expect(plot([1])).toMatchObject({
    title: 'Queries',
    unit: 'queries a second',
    momentsAre: 'Time (UTC)',
    empty: null,
  });
  const none = plot([], { series: [] });
  expect([none.desc, none.empty]).toEqual(['There are no figures yet.', 'There are no figures yet.']);
  expect(plot([], { series: [], empty: 'Nothing.' }).empty).toBe('Nothing.');
  const bars = (values: number[]) =>
    barPlot({
      ...{ id: 'b', title: 'Changes', unit: 'changes', empty: 'No changes.' },
      moments: ['mon', 'tue'],
      series: [{ name: 'c', values }],
    });
  expect([bars([0, 0]).empty, bars([0, 1]).empty]).toEqual(['No changes.', null]);
});

test('a plot draws six lines, and the table has all', () => {
  const series = Array.from({ length: 8 }, (_, at) => ({ name: `ns${at}`, values: [1, 2] }));
  const { lines, table, desc } = plot([1, 2], { series });
  expect([lines.length, table.head.length, desc.split('; ').length]).toEqual([6, 9, 6]);
});

test('a plot with bars has one bar for each value, from the bottom', () => {
  const given = { id: 'b', title: 'Changes', unit: 'changes', moments: ['mon', 'tue'] };
  const { bars, labels } = barPlot({ ...given, series: [{ name: 'Changes', values: [5, 10] }] });
  expect(bars.map(({ title }) => title)).toEqual(['mon: 5 changes', 'tue: 10 changes']);
  expect((bars[1]?.height ?? 0) / (bars[0]?.height ?? 1)).toBeCloseTo(2);
  expect(labels.map(({ text }) => text)).toEqual(['mon', 'tue']);
});

const bars = (values: number[]) =>
  barPlot({
    ...{ id: 'b', title: 'Objects', unit: 'objects' },
    moments: values.map((_, at) => `m${at}`),
    series: [{ name: 'Objects', values }],
  });

test('a plot with bars has no line at a half, because bars count things', () => {
  const lines = (value: number) => bars([value]).grid.map(({ text }) => text);
  expect([lines(0), lines(1), lines(2), lines(5)]).toEqual([
    ['0', '1'],
    ['0', '1'],
    ['0', '1', '2'],
    ['0', '5'],
  ]);
});

test('a plot with bars has each bar over its label, at most 60 wide, and a gap between two', () => {
  for (const count of [1, 2, 5]) {
    const drawn = bars(Array.from({ length: count }, () => 1));
    const centres = drawn.bars.map(({ x, width }) => x + width / 2);
    centres.forEach((centre, at) => {
      expect(centre).toBeCloseTo(drawn.labels[at]?.x ?? 0, 0);
    });
    for (const { width } of drawn.bars) expect(width).toBeLessThanOrEqual(Math.min(60, (552 - 60) / count - 1));
  }
});

test('a plot with bars has a label for each of five bars, and the first, middle and last moment for more', () => {
  const labels = (count: number) => bars(Array.from({ length: count }, () => 1)).labels.map(({ text }) => text);
  expect(labels(5)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  expect(labels(7)).toEqual(['m0', 'm3', 'm6']);
});

test('numbers have three digits', () => {
  expect([null, 0, 0.00238, 0.12345, 12.345, 1_234, 56_789].map(formatPlotValue)).toEqual([
    '–',
    '0',
    '0',
    '0.123',
    '12.3',
    '1234',
    '56.8k',
  ]);
});
