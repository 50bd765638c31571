// The page of metrics is made from registries (docs/generate/metrics.ts). A function that registers metrics but is not
// called there would be missing on the page, so the names in the source text are compared too.
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { METRICS_PREFIX } from '#telemetry/metrics.ts';
import { readMetrics } from '../../../docs/generate/metrics.ts';
import { PROJECT } from '../../support/docs/document.ts';

const REGISTERS = /\.(?:counter|gauge|histogram)[(<]|new (?:Counter|Gauge|Histogram)\(/;
/** `name: 'leader'`, and the first argument of a helper: `perLane('pace_waiting', …)`. */
const NAME = /\bname: '([a-z][a-z_]*)'|\w\(\s*'([a-z]+(?:_[a-z]+)+)'/g;
/** Files whose metrics get their names from the caller. */
const WITHOUT_NAMES = ['src/telemetry/calls.ts', 'src/telemetry/metrics.ts'];

const facts = await readMetrics();
const metrics = Object.values(facts).flat();

test('the page of metrics has every metric that a source file registers', async () => {
  const documented = new Set(metrics.map(({ name }) => name.slice(METRICS_PREFIX.length)));
  const unreadable: string[] = [];
  const missing: string[] = [];
  for await (const file of glob('src/**/*.ts', { cwd: PROJECT })) {
    const text = await readFile(PROJECT + file, 'utf8');
    if (!REGISTERS.test(text)) continue;
    const names = [...text.matchAll(NAME)].map(([, property, argument]) => property ?? argument ?? '');
    if (names.length === 0) unreadable.push(file);
    missing.push(...names.filter((name) => !documented.has(name)).map((name) => `${file}: ${name}`));
  }
  expect(unreadable.sort()).toEqual(WITHOUT_NAMES);
  expect(missing).toEqual([]);
});

test('the page of metrics has the metrics of each process', () => {
  expect(Object.keys(facts)).toEqual([
    ...['all', 'api', 'nameserver', 'edge', 'operator', 'solver', 'external-dns', 'canary'],
  ]);
  expect(metrics.filter(({ name }) => !name.startsWith(METRICS_PREFIX))).toEqual([]);
});

test('the page of metrics explains every metric in whole sentences, and names the unit of a time', () => {
  expect(metrics.filter(({ help }) => !/^[A-Z0-9].*\.$/.test(help)).map(({ name }) => name)).toEqual([]);
  const times = metrics.filter(({ name }) => name.endsWith('_seconds'));
  expect(times.length).toBeGreaterThan(10);
  expect(times.filter(({ help }) => !/^Seconds|^Unix time/.test(help)).map(({ name }) => name)).toEqual([]);
});
