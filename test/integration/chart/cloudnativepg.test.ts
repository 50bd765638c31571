// The Cluster of CloudNativePG as Helm renders it. cloudnativepg-operator.test.ts gives it to the real operator.
import { expect, test } from 'vitest';
import { one, type Rendered, render, template, type Values } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';

const cnpg = (values: Values = {}, around: Values = {}): Values => ({
  database: { mode: 'cnpg', cnpg: { operatorInstalled: true, ...values }, ...around },
});
const spec = async (values?: Values, around?: Values) =>
  one(await render(cnpg(values, around)), 'Cluster', 'zonestead-db').spec;

test('A new Cluster is an empty database with checksums, whose owner is the api', async () => {
  expect((await spec()).bootstrap).toEqual({
    initdb: { database: 'zonestead', owner: 'zonestead', dataChecksums: true },
  });
  expect((await spec({ dataChecksums: false }, { name: 'dns' })).bootstrap).toEqual({
    initdb: { database: 'dns', owner: 'zonestead', dataChecksums: false },
  });
});

test('The bootstrap of the values replaces initdb, and keeps the database and the owner that the api uses', async () => {
  const recovery = { source: 'before', recoveryTarget: { targetTime: '2026-06-30T08:00:00Z' } };
  expect((await spec({ bootstrap: { recovery } })).bootstrap).toEqual({
    recovery: { ...recovery, database: 'zonestead', owner: 'zonestead' },
  });
  expect((await spec({ bootstrap: { pg_basebackup: { source: 'before', owner: 'dns' } } })).bootstrap).toEqual({
    pg_basebackup: { source: 'before', database: 'zonestead', owner: 'dns' },
  });
  const initdb = { localeProvider: 'icu', icuLocale: 'und' };
  expect((await spec({ bootstrap: { initdb } })).bootstrap.initdb).toMatchObject({ ...initdb, owner: 'zonestead' });
});

test('Secret, authority, rights of the bootstrap Job, network policy, backups and monitor follow the name of the Cluster', async () => {
  const values = VALUE_SETS['CloudNativePG from a backup'] ?? {};
  const objects = await render({ ...values, networkPolicy: { enabled: true } });
  expect(JSON.stringify(objects)).not.toContain('zonestead-db-');
  const { volumes } = one(objects, 'Deployment', 'zonestead-api').spec.template.spec;
  const secret = (name: string) => volumes.find((each: Rendered) => each.name === name)?.secret.secretName;
  expect([secret('database'), secret('database-ca')]).toEqual(['restored-app', 'restored-ca']);
  const { rules } = one(objects, 'Role', 'zonestead-bootstrap');
  expect(rules.flatMap(({ resourceNames }: Rendered) => resourceNames ?? [])).toContain('restored-app');
  const peers = one(objects, 'NetworkPolicy', 'zonestead-api').spec.egress.flatMap(({ to }: Rendered) => to ?? []);
  expect(peers).toContainEqual({ podSelector: { matchLabels: { 'cnpg.io/cluster': 'restored' } } });
  expect(one(objects, 'ScheduledBackup', 'restored').spec).toEqual({
    cluster: { name: 'restored' },
    schedule: '0 30 2 * * *',
    immediate: true,
    backupOwnerReference: 'cluster',
    method: 'plugin',
    pluginConfiguration: { name: 'barman-cloud.cloudnative-pg.io' },
  });
  const monitor = one(objects, 'PodMonitor', 'restored');
  expect(monitor.metadata.labels).toMatchObject({ release: 'prometheus' });
  expect(monitor.spec.selector).toEqual({ matchLabels: { 'cnpg.io/cluster': 'restored' } });
  expect(monitor.spec.podMetricsEndpoints).toEqual([{ port: 'metrics', interval: '30s', scrapeTimeout: '10s' }]);
});

test.each([
  [
    'two methods',
    { bootstrap: { recovery: {}, initdb: {} } },
    'bootstrap has initdb and recovery, and a Cluster starts in',
  ],
  [
    'a second method in extraSpec',
    { extraSpec: { bootstrap: { recovery: {} } } },
    'set database.cnpg.bootstrap, which',
  ],
  ['a null that removes initdb', { extraSpec: { bootstrap: { initdb: null } } }, 'set database.cnpg.bootstrap, which'],
  ['backups by a missing plugin', { scheduledBackup: { enabled: true } }, 'which database.cnpg.plugins does not have'],
])('The chart refuses %s', async (_what, values, words) => {
  const { ok, text } = await template(cnpg(values));
  expect([ok, text]).toEqual([false, expect.stringContaining(words)]);
});

test('The api reads its login from the Secret that the bootstrap names', async () => {
  const recovery = { source: 'before', secret: { name: 'login' } };
  const objects = await render(cnpg({ bootstrap: { recovery } }));
  const { volumes } = one(objects, 'Deployment', 'zonestead-api').spec.template.spec;
  expect(volumes.find(({ name }: Rendered) => name === 'database').secret.secretName).toBe('login');
});

test.each([
  ['required', 3, { number: 1, dataDurability: 'required', failoverQuorum: true }],
  ['required', 5, { number: 2, dataDurability: 'required', failoverQuorum: true }],
  ['required', 2, undefined],
  ['required', 1, undefined],
  ['preferred', 3, { number: 1, dataDurability: 'preferred', failoverQuorum: false }],
  ['preferred', 2, { number: 1, dataDurability: 'preferred', failoverQuorum: false }],
  ['preferred', 1, undefined],
  ['never', 3, undefined],
])(
  'With synchronous %s and %i instances, commits wait for standbys as the page says',
  async (synchronous, instances, wanted) => {
    const { postgresql } = await spec({ synchronous, instances });
    expect(postgresql.synchronous).toEqual(wanted === undefined ? undefined : { method: 'any', ...wanted });
  },
);

test('Commits wait for a standby by default, and a primary that must end closes its sessions at once', async () => {
  const defaults = await spec();
  expect(defaults.postgresql.synchronous.dataDurability).toBe('required');
  expect(defaults.smartShutdownTimeout).toBe(0);
});

test('extraSpec changes and adds fields of the spec', async () => {
  const changed = await spec({
    extraSpec: {
      smartShutdownTimeout: 30,
      postgresql: { synchronous: { number: 2 }, parameters: { work_mem: '8MB' } },
    },
  });
  expect(changed).toMatchObject({ smartShutdownTimeout: 30, instances: 3 });
  expect(changed.postgresql.synchronous).toMatchObject({ method: 'any', number: 2 });
  expect(changed.postgresql.parameters).toMatchObject({ work_mem: '8MB', tcp_user_timeout: '10000' });
});

test('Backups by volume snapshots need no plugin', async () => {
  const objects = await render(cnpg({ scheduledBackup: { enabled: true, plugin: '' } }));
  const backup = one(objects, 'ScheduledBackup', 'zonestead-db').spec;
  expect(backup).toMatchObject({ method: 'volumeSnapshot' });
  expect(backup).not.toHaveProperty('pluginConfiguration');
});

test('A release without an api has no Cluster, even if the values describe one', async () => {
  const region = VALUE_SETS['name servers of another region'] ?? {};
  const { ok, text } = await template({ ...region, ...cnpg({ extraSpec: { bootstrap: {} } }) });
  expect(ok, text).toBe(true);
  expect(text).not.toContain('postgresql.cnpg.io');
});
