// The page for the person on call names every alert that wakes a person, and none that does not exist.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../../support/docs/document.ts';

interface RuleFile {
  groups: { rules: { alert?: string; labels?: { severity?: string } }[] }[];
}

const read = (path: string) => readFile(join(PROJECT, path), 'utf8');
const files = await Promise.all(globSync('charts/zonestead/files/alerts/*.yaml', { cwd: PROJECT }).map(read));
const rules = files.flatMap((text) => (parse(text) as RuleFile).groups.flatMap((group) => group.rules));
const alerts = rules.flatMap(({ alert, labels }) =>
  alert === undefined ? [] : [{ name: alert.replace('Zonestead', ''), isCritical: labels?.severity === 'critical' }],
);
const incident = await read('docs/how-to/handle-an-incident.md');
/** The cells of the table of alerts in the order in which they cause each other. */
const ordered = incident
  .split('\n')
  .filter((line) => /^ {3}\| (Do|Does|Are|Is) /.test(line))
  .flatMap((line) => (line.split('|')[2] ?? '').split(',').map((name) => name.trim()));

test('the page for the person on call has a place for every critical alert, and names no other', () => {
  const critical = alerts.filter(({ isCritical }) => isCritical).map(({ name }) => name);
  expect(critical.length).toBeGreaterThan(10);
  expect(critical.filter((name) => !ordered.includes(name))).toEqual([]);
  expect(ordered.filter((name) => !alerts.some((alert) => alert.name === name))).toEqual([]);
  expect(ordered.length).toBe(new Set(ordered).size);
});

test('each failure of the page of failures has an alert or a dash, a page, and both of its costs', async () => {
  const rows = (await read('docs/explanation/failures.md')).split('\n').filter((line) => /^\| (?!-|event )/.test(line));
  expect(rows).toHaveLength(29);
  for (const row of rows) {
    const [, event, effect, alert = '', page, lost, time, end, ...more] = row.split('|').map((cell) => cell.trim());
    expect([end, more], row).toEqual(['', []]);
    expect(
      [event, effect, page, lost, time].filter((cell) => cell === ''),
      row,
    ).toEqual([]);
    expect(alert, row).toMatch(/^(–|\[\w+\]\(\.\.\/reference\/alerts\.md#zonestead\w+\))/);
  }
});
