// The dashboard as JSON: errors that Grafana accepts silently and then shows wrongly. tsc checks its structure against
// Grafana's own types; test/e2e/observability.test.ts runs its queries.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dashboard, dashboardText, ROWS } from '../../../charts/tools/dashboard/dashboard.ts';
import { OBJECTIVES } from '../../../charts/tools/slo/objectives.ts';

const FILE = new URL('../../../charts/zonestead/files/dashboard.json', import.meta.url);
const COLUMNS = 24;
const made = dashboard();
const variables = made.templating?.list ?? [];
/** Everything but the rows' headings. */
const panels = made.panels.flatMap((panel) => (panel.panels === undefined ? [panel] : []));
const targets = panels.flatMap((panel) => panel.targets.map((target) => ({ title: panel.title, ...target })));

test('the dashboard in the chart equals the generated one', async () => {
  expect(await readFile(FILE, 'utf8')).toBe(dashboardText());
  expect(panels).toHaveLength(ROWS.flatMap((row) => row.panels).length);
});

test('the dashboard has an address of its own that stays, and is not a copy out of another Grafana', () => {
  // Grafana refuses longer ones ("uid too long, max 40 characters"), and keeps `id` for its own database.
  expect(made.uid).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  expect('id' in made).toBe(false);
  expect(made).toMatchObject({ title: 'Zonestead', tags: ['zonestead', 'dns'], schemaVersion: 39 });
  expect([made.time, made.refresh]).toEqual([{ from: 'now-3h', to: 'now' }, '30s']);
  expect(JSON.stringify(made)).not.toMatch(/\$\{DS_|__inputs|__requires/);
});

test('the dashboard has no two panels in one place, under one number or under one title, and a description in each', () => {
  expect(new Set(made.panels.map(({ id }) => id)).size).toBe(made.panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const taken = new Map<string, string>();
  for (const { title = '', gridPos } of made.panels) {
    const { x, y, w, h } = gridPos ?? { x: -1, y: -1, w: 0, h: 0 };
    expect([title, x >= 0 && w > 0 && x + w <= COLUMNS]).toEqual([title, true]);
    for (let column = x; column < x + w; column += 1) {
      for (let line = y; line < y + h; line += 1) {
        expect([title, taken.get(`${column},${line}`)]).toEqual([title, undefined]);
        taken.set(`${column},${line}`, title);
      }
    }
  }
  for (const { title, description } of panels)
    expect([title, description]).toEqual([title, expect.stringMatching(/\S/)]);
});

test('the dashboard asks the data source that the user chooses, everywhere', () => {
  expect(variables[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
  const chosen = { type: 'prometheus', uid: '$datasource' };
  for (const { title, datasource } of [...panels, ...targets]) expect([title, datasource]).toEqual([title, chosen]);
  for (const { name, datasource } of variables.slice(1)) expect([name, datasource]).toEqual([name, chosen]);
});

test('the dashboard names only variables that there are, the namespace in every selector, and no range of its own', () => {
  const known = [...variables.map(({ name }) => name), '__rate_interval'];
  for (const { title, expr } of targets) {
    const used = [...expr.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name ?? '');
    expect([title, used.filter((name) => !known.includes(name))]).toEqual([title, []]);
    const selectors = [...expr.matchAll(/\bzonestead_[\w:]+(\{[^}]*\})?/g)].map(([, matchers = '']) => matchers);
    expect([title, selectors.filter((each) => !each.includes('namespace=~"$namespace"'))]).toEqual([title, []]);
    // Grafana's is four scrapes at least: a fixed one is empty where Prometheus scrapes less often.
    const ranges = [...expr.matchAll(/\[([^\]]*)\]/g)].map(([, range]) => range);
    expect([title, new Set([...ranges, '$__rate_interval'])]).toEqual([title, new Set(['$__rate_interval'])]);
  }
});

test('the dashboard gives each query of a panel a letter, and is asked once for a number and over time for lines', () => {
  for (const { title, type, targets: own } of panels) {
    expect([title, own.map(({ refId }) => refId)]).toEqual([title, ['A', 'B', 'C', 'D'].slice(0, own.length)]);
    const overTime = type === 'timeseries';
    for (const { instant, range } of own) expect([title, instant, range]).toEqual([title, !overTime, overTime]);
  }
});

test('the dashboard leads from the objectives down to the processes, with the objectives as thresholds', () => {
  const titles = ROWS.map(({ title }) => title);
  const way = ['Objectives and alerts', 'Users', 'Name servers', 'Feed', 'REST service', 'Database', 'Processes'];
  expect(titles.slice(0, way.length)).toEqual(way);
  const stats = panels.slice(0, OBJECTIVES.length);
  expect(stats.map(({ title }) => title)).toEqual(OBJECTIVES.map(({ title }) => `${title} (1 h)`));
  for (const [at, { fieldConfig }] of stats.entries())
    expect(fieldConfig.defaults.thresholds?.steps).toEqual([
      { color: 'red', value: null },
      { color: 'green', value: OBJECTIVES[at]?.target },
    ]);
  expect(panels.map(({ type }) => type)).toContain('alertlist');
});

test('the dashboard marks deployments, and lets the user choose the region and the instance', () => {
  expect(variables.map(({ name }) => name)).toEqual(['datasource', 'namespace', 'region', 'instance']);
  // A label that no series has must hide nothing.
  for (const variable of variables.slice(1)) expect(variable).toMatchObject({ includeAll: true, allValue: '.*' });
  expect(made.annotations?.list).toMatchObject([
    { name: 'Deployments', enable: true, titleFormat: '{{component}} {{version}}' },
  ]);
});
