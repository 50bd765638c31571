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
  expect(await clients({ api: { tls: { enabled: false } } })).toEqual([mesh, mesh]);
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

test('cert-manager issues the certificates of the api and of Postgres only if the values say so, and the release then makes none', async () => {
  const hosts = ['dns.example.net', '192.0.2.1', '2001:db8::1'];
  const objects = await render({ certificates: { mode: 'cert-manager' }, api: { tls: { hosts } } });
  const issued = objects
    .filter(({ kind }) => kind === 'Certificate')
    .map(({ metadata, spec }) => [metadata.name, spec]);
  const specs: Record<string, Rendered> = Object.fromEntries(issued);
  expect(Object.keys(specs).sort()).toEqual([
    'zonestead-api-tls',
    'zonestead-certificates-ca',
    'zonestead-postgres-tls',
  ]);
  expect(specs['zonestead-api-tls']).toMatchObject({
    secretName: 'zonestead-api-tls',
    dnsNames: expect.arrayContaining(['zonestead-api.zonestead.svc', 'dns.example.net']),
    ipAddresses: ['192.0.2.1', '2001:db8::1'],
    issuerRef: { name: 'zonestead-certificates-ca' },
  });
  expect(specs['zonestead-api-tls']?.dnsNames).not.toContain('192.0.2.1');
  // A new key of the authority would need an overlap that cert-manager does not have.
  expect(specs['zonestead-certificates-ca']?.privateKey.rotationPolicy).toBe('Never');
  expect(objects.filter(({ kind }) => kind === 'CronJob')).toEqual([]);
  const job = objects.find(({ kind }) => kind === 'Job')?.spec.template.spec;
  expect(job.containers[0].args.filter((each: string) => each.includes('certificate'))).toEqual([]);
  expect(job.containers[0].env).toContainEqual({
    name: 'ZONESTEAD_DATABASE_CA',
    value: '/etc/zonestead/database-ca/ca.crt',
  });
  const mounted = job.volumes.find(({ name }: { name: string }) => name === 'database-ca')?.secret;
  expect(mounted).toMatchObject({ secretName: 'zonestead-postgres-tls', items: [{ key: 'ca.crt' }] });
  const writers = objects.filter(({ kind }) => kind === 'Role');
  expect(JSON.stringify(writers)).not.toMatch(/zonestead-(api|postgres)-tls/);
  const own = await render({});
  expect(own.filter(({ kind }) => kind === 'Certificate' || kind === 'Issuer')).toEqual([]);
});

test('no connection of the default release that carries a token or a key is plain HTTP', async () => {
  const objects = await render({});
  const addresses = JSON.stringify(objects).match(/http:\/\/[a-z0-9.-]*zonestead[^"\\ ]*/g) ?? [];
  expect(addresses).toEqual([]);
});
