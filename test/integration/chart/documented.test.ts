// The values that the chart's page shows are taken by the chart, and do what the page says of them.
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { one, render, type Values } from '../../support/chart.ts';
import { readPage } from '../../support/docs/document.ts';

const { blocks } = await readPage('charts/zonestead/README.md');
const documented = blocks.filter(({ language }) => language === 'yaml').map(({ text }) => parse(text) as Values);

it('the page shows values', () => expect(documented).toHaveLength(1));

it.each(documented)('values %# render: production with no Postgres of ours, guarded and watched', async (values) => {
  const objects = await render(values);
  const kinds = objects.map(({ kind }) => kind);
  expect(kinds).not.toContain('StatefulSet');
  expect(kinds).toEqual(
    expect.arrayContaining(['PodDisruptionBudget', 'NetworkPolicy', 'ServiceMonitor', 'PrometheusRule']),
  );
  expect(one(objects, 'Deployment', 'zonestead-nameserver').spec.replicas).toBe(3);
});
