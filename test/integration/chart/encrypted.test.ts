// The connections between the pods of the chart are encrypted, and each process trusts the authority of its peer alone.
import { expect, test } from 'vitest';
import { one, type Rendered, render } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';

const settingsOf = (objects: Rendered[], kind: string, name: string): Record<string, string> =>
  Object.fromEntries(
    one(objects, kind, name).spec.template.spec.containers[0].env.map((each: Rendered) => [each.name, each.value]),
  );

test.each([
  ['the built-in Postgres', {}, 'zonestead-postgres-tls'],
  ['CloudNativePG', VALUE_SETS.CloudNativePG ?? {}, 'zonestead-db-ca'],
  [
    'CloudNativePG with an authority of its own',
    {
      database: {
        mode: 'cnpg',
        cnpg: { operatorInstalled: true, extraSpec: { certificates: { serverCASecret: 'own' } } },
      },
    },
    'own',
  ],
])(
  'the api verifies %s by its authority alone, whose key no pod of the api mounts',
  async (_what, values, secretName) => {
    const objects = await render(values);
    expect(settingsOf(objects, 'Deployment', 'zonestead-api').ZONESTEAD_DATABASE_CA).toBe(
      '/etc/zonestead/database-ca/ca.crt',
    );
    const { volumes } = one(objects, 'Deployment', 'zonestead-api').spec.template.spec;
    expect(volumes.find(({ name }: { name: string }) => name === 'database-ca')?.secret).toEqual({
      secretName,
      defaultMode: 0o440,
      items: [{ key: 'ca.crt', path: 'ca.crt' }],
    });
  },
);

test('the operator and helm test send their tokens over HTTPS, to an api that they verify', async () => {
  const clients = async (values: Parameters<typeof render>[0]) => {
    const objects = await render(values);
    const pods = [
      one(objects, 'Deployment', 'zonestead-operator').spec.template,
      one(objects, 'Pod', 'zonestead-test'),
    ];
    return pods.map(({ spec }: Rendered) => {
      const settings = Object.fromEntries(spec.containers[0].env.map((each: Rendered) => [each.name, each.value]));
      const ca = spec.volumes.find(({ name }: { name: string }) => name === 'api-ca')?.secret;
      return [settings.ZONESTEAD_URL, settings.ZONESTEAD_URL_CA, ca?.secretName, ca?.items[0].key];
    });
  };
  const file = '/etc/zonestead/api-ca/ca.crt';
  const own = ['https://zonestead-api.zonestead.svc:443', file, 'zonestead-api-tls', 'ca.crt'];
  expect(await clients({})).toEqual([own, own]);
  const mesh = ['http://zonestead-api.zonestead.svc:80', undefined, undefined, undefined];
  expect(await clients({ api: { tls: { mode: 'off' } } })).toEqual([mesh, mesh]);
  const url = 'https://dns.example.net';
  const elsewhere = [url, file, 'their-ca', 'root.crt'];
  expect(
    await clients({ operator: { url, caSecret: 'their-ca', caKey: 'root.crt', apiKey: { existingSecret: 'k' } } }),
  ).toEqual([elsewhere, elsewhere]);
});

test('the api connects to a Postgres that it cannot verify only if the values say so', async () => {
  const external = { existingSecret: 'postgres', tls: { unverified: 'allow' } };
  const objects = await render({ database: { mode: 'external', external } });
  expect(settingsOf(objects, 'Deployment', 'zonestead-api').ZONESTEAD_DATABASE_WITHOUT_TLS).toBe('allow');
  const refused = await render({ database: { mode: 'external', external: { existingSecret: 'postgres' } } });
  expect(settingsOf(refused, 'Deployment', 'zonestead-api')).not.toHaveProperty('ZONESTEAD_DATABASE_WITHOUT_TLS');
});
