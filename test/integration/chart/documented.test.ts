// The chart accepts every block of values on a page, and renders the objects that the page describes.
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { one, render, type Values } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';
import { readPage } from '../../support/docs/document.ts';
import { PAGES } from '../../support/docs/plan.ts';

interface Shown {
  page: string;
  section: string;
  values: Values;
}

/**
 * Sections with the values of another chart, which test/unit/external-dns reads, with the configuration of octoDNS, and
 * with a part of an object.
 */
const OTHERS: ReadonlySet<string> = new Set([
  'With the Helm chart of external-dns',
  'Set octoDNS up',
  'Move a zone in',
  'Comments of objects',
  'Require TLS for a secondary',
  'Use one check for several records',
  'Roll with a DNSZone',
]);

/** Blocks of YAML that are not Kubernetes objects. */
async function valuesOf(path: string): Promise<Shown[]> {
  const yaml = (await readPage(path)).blocks.filter(({ language }) => language === 'yaml');
  return yaml.flatMap(({ section, text }) => {
    const [first] = parseAllDocuments(text).map((document) => document.toJS() as Values);
    const isOther = first === undefined || 'apiVersion' in first || OTHERS.has(section);
    return isOther ? [] : [{ page: path, section, values: first }];
  });
}

const shown = (await Promise.all(PAGES.map(valuesOf))).flat();

test('pages show values', () => expect(shown.length).toBeGreaterThan(10));

test.each(shown)('$page, $section: the chart accepts the values', async ({ values }) => {
  expect(await render(values)).not.toEqual([]);
});

test('values for production render no built-in Postgres, but disruption budgets, policies and monitors', async () => {
  const objects = await render(VALUE_SETS.production ?? {});
  const kinds = objects.map(({ kind }) => kind);
  expect(objects.filter(({ metadata }) => metadata.name === 'zonestead-postgres')).toEqual([]);
  expect(kinds).toEqual(
    expect.arrayContaining(['PodDisruptionBudget', 'NetworkPolicy', 'ServiceMonitor', 'PrometheusRule']),
  );
  expect(one(objects, 'StatefulSet', 'zonestead-nameserver').spec.replicas).toBe(3);
});

test.each([
  [true, ['nameserver', 'postgres']],
  [false, ['postgres']],
])('docs/reference/network.md: the api reaches name servers for the console alone (%s)', async (enabled, wanted) => {
  const objects = await render({ networkPolicy: { enabled: true }, api: { console: { enabled } } });
  const rules = one(objects, 'NetworkPolicy', 'zonestead-api').spec.egress as { to?: object[] }[];
  const component = /"app.kubernetes.io\/component":"(\w+)"/;
  expect(rules.flatMap(({ to }) => component.exec(JSON.stringify(to ?? ''))?.[1] ?? []).sort()).toEqual(wanted);
});
