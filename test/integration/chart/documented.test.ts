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

it.each([
  [true, ['nameserver', 'postgres']],
  [false, ['postgres']],
])('deploy/README.md, network: the api reaches name servers for the console alone (%s)', async (enabled, wanted) => {
  const objects = await render({ networkPolicy: { enabled: true }, api: { console: { enabled } } });
  const rules = one(objects, 'NetworkPolicy', 'zonestead-api').spec.egress as { to?: object[] }[];
  const component = /"app.kubernetes.io\/component":"(\w+)"/;
  expect(rules.flatMap(({ to }) => component.exec(JSON.stringify(to ?? ''))?.[1] ?? []).sort()).toEqual(wanted);
});
