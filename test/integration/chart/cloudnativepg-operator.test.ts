// The Cluster of the chart and the page about CloudNativePG, given to the real operator: its schemas and webhooks admit
// the objects, and it works on them as far as it can without a kubelet.
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { ensureHelm } from '../../../deploy/local/parts/helm-build.ts';
import { CHART, helm, type Rendered, template, type Values } from '../../support/chart/chart.ts';
import { ensureCloudNativePg } from '../../support/cloudnativepg/build.ts';
import { type CloudNativePg, startCloudNativePg } from '../../support/cloudnativepg/operator.ts';
import { PROJECT, readPage } from '../../support/docs/document.ts';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const MINUTE_MS = 60_000;
const { signal } = new AbortController();
const progress = () => undefined;
const page = await readPage('docs/how-to/cloudnativepg.md');
let cluster: ChartCluster;
let operator: CloudNativePg;

beforeAll(async () => {
  cluster = await startChartCluster();
  const { kubeconfig, stateDir } = cluster;
  operator = await startCloudNativePg({
    dir: await ensureCloudNativePg(progress, signal),
    stateDir,
    kubeconfig,
    signal,
  });
  expect(await apply(operator.webhooks)).toMatchObject({ ok: true });
}, 30 * MINUTE_MS);
afterAll(async () => {
  await operator?.part.stop();
  await cluster?.stop();
});

const apply = async (text: string, ...args: string[]) =>
  cluster.kubectl('apply', '--server-side', ...args, '-f', await cluster.file(text));
const read = async (namespace: string, kind: string, name: string): Promise<Rendered | undefined> => {
  const { out } = await cluster.kubectl('get', kind, name, '-n', namespace, '--ignore-not-found', '-o', 'json');
  return out.trim() === '' ? undefined : (JSON.parse(out) as Rendered);
};
/** The objects of these kinds and names are there, at the latest after a minute. */
const appears = (namespace: string, wanted: readonly string[]) =>
  expect
    .poll(async () => (await cluster.kubectl('get', '-n', namespace, ...wanted, '-o', 'name')).words, {
      timeout: MINUTE_MS,
      interval: 300,
    })
    .not.toContain('NotFound');
const phase = async (namespace: string, name: string) => {
  const status = (await read(namespace, 'cluster', name))?.status ?? {};
  return [status.phase, status.phaseReason].join(': ');
};

const cnpg = (values: Values = {}): Values => ({
  solver: { enabled: false },
  database: { mode: 'cnpg', cnpg: { operatorInstalled: true, ...values } },
});
const install = async (namespace: string, values: Values) => {
  const file = await cluster.file(JSON.stringify(values));
  const where = ['--namespace', namespace, '--kubeconfig', cluster.kubeconfig];
  return helm('upgrade', '--install', 'zonestead', CHART, ...where, '--values', file, '--set', 'crds.enabled=false');
};
const args = (job: Rendered | undefined): string => job?.spec.template.spec.containers[0].command.join(' ') ?? '';

test('The operator takes the Cluster of the defaults, creates its Secrets, Services and volume, and begins with initdb', async () => {
  expect(await install('team-a', cnpg())).toMatchObject({ ok: true });
  await appears('team-a', ['job/zonestead-db-1-initdb', 'pvc/zonestead-db-1', 'service/zonestead-db-rw']);
  const job = await read('team-a', 'job', 'zonestead-db-1-initdb');
  expect(args(job)).toContain('--app-db-name zonestead --app-user zonestead');
  expect(args(job)).toContain('-k');
  const { spec, status } = (await read('team-a', 'cluster', 'zonestead-db')) as Rendered;
  expect(spec.smartShutdownTimeout).toBe(0);
  expect(spec.postgresql.synchronous).toEqual({
    method: 'any',
    number: 1,
    dataDurability: 'required',
    failoverQuorum: true,
  });
  expect(spec.postgresql.parameters).toMatchObject({ tcp_user_timeout: '10000' });
  expect(spec.probes.liveness.isolationCheck.enabled).toBe(true);
  expect(status.phase).toBe('Setting up primary');
  // The api mounts these keys.
  const login = (await read('team-a', 'secret', 'zonestead-db-app'))?.data;
  const uri = Buffer.from(login.uri, 'base64').toString();
  expect(uri).toMatch(/^postgresql:\/\/zonestead:[^@]+@zonestead-db-rw\.team-a:5432\/zonestead$/);
  expect(Object.keys((await read('team-a', 'secret', 'zonestead-db-ca'))?.data)).toContain('ca.crt');
});

test('A recovery makes another Cluster with a login of its own, the old one stays, and the release can return', async () => {
  const bootstrap = { recovery: { source: 'before', recoveryTarget: { targetTime: '2026-06-30T08:00:00Z' } } };
  const externalClusters = [
    {
      name: 'before',
      // The operator restores from here without a plugin until 1.31.
      barmanObjectStore: { destinationPath: 's3://backups/zonestead', s3Credentials: { inheritFromIAMRole: true } },
    },
  ];
  const restore = cnpg({ clusterName: 'restored', bootstrap, externalClusters });
  const login = (await read('team-a', 'secret', 'zonestead-db-app'))?.data.password;
  expect(await install('team-a', restore)).toMatchObject({ ok: true });
  await appears('team-a', ['job/restored-1-full-recovery', 'pvc/restored-1', 'secret/restored-app']);
  const { spec } = (await read('team-a', 'cluster', 'restored')) as Rendered;
  expect(spec.bootstrap).toEqual({ recovery: { ...bootstrap.recovery, database: 'zonestead', owner: 'zonestead' } });
  const secret = (await read('team-a', 'secret', 'restored-app'))?.data;
  expect(Buffer.from(secret.uri, 'base64').toString()).toContain('@restored-rw.team-a:5432/zonestead');
  const api = await read('team-a', 'deployment', 'zonestead-api');
  expect(JSON.stringify(api?.spec.template.spec.volumes)).toContain('"secretName":"restored-app"');

  const old = await read('team-a', 'cluster', 'zonestead-db');
  expect(old?.metadata.deletionTimestamp).toBeUndefined();
  await appears('team-a', ['pvc/zonestead-db-1', 'secret/zonestead-db-app']);
  expect(await install('team-a', restore)).toMatchObject({ ok: true });
  expect(await install('team-a', cnpg())).toMatchObject({ ok: true });
  expect((await read('team-a', 'secret', 'zonestead-db-app'))?.data.password).toBe(login);
  expect((await read('team-a', 'cluster', 'restored'))?.metadata.deletionTimestamp).toBeUndefined();
});

test('The chart refuses a recovery of the Cluster that runs, which would do nothing', async () => {
  const recovery = (targetTime: string, clusterName = '') =>
    cnpg({
      clusterName,
      bootstrap: { recovery: { source: 'before', recoveryTarget: { targetTime } } },
      externalClusters: [{ name: 'before', barmanObjectStore: { destinationPath: 's3://a' } }],
    });
  const words = 'is created: set database.cnpg.clusterName to a new name, for instance';
  const refused = await install('team-a', recovery('2026-06-30T08:00:00Z'));
  expect([refused.ok, refused.words]).toEqual([false, expect.stringContaining(`${words} zonestead-db-2`)]);
  // The recovered one reads no other target either.
  const later = await install('team-a', recovery('2026-06-30T09:00:00Z', 'restored'));
  expect([later.ok, later.words]).toEqual([false, expect.stringContaining(`${words} restored-2`)]);
});

test('The chart refuses a new name without a backup, because the api would get an empty database', async () => {
  const refused = await install('team-a', cnpg({ clusterName: 'zonestead-bd' }));
  expect([refused.ok, refused.words]).toEqual([
    false,
    expect.stringContaining(
      'zonestead-bd does not exist, and would be an empty database next to restored and zonestead-db:',
    ),
  ]);
  expect(await install('team-a', cnpg({ clusterName: 'empty', bootstrap: { initdb: {} } }))).toMatchObject({
    ok: true,
  });
  // A Cluster that was restored needs its bootstrap no longer.
  expect(await install('team-a', cnpg({ clusterName: 'restored' }))).toMatchObject({ ok: true });
  expect((await read('team-a', 'job', 'restored-1-full-recovery'))?.metadata.deletionTimestamp).toBeUndefined();
});

test('The operator refuses two ways to start, which the chart does not render', async () => {
  const spec = {
    instances: 1,
    storage: { size: '1Gi' },
    bootstrap: { initdb: { database: 'a', owner: 'a' }, recovery: { backup: { name: 'b' } } },
  };
  const metadata = { name: 'two', namespace: 'team-b' };
  const { ok, words } = await apply(
    JSON.stringify({ apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster', metadata, spec }),
  );
  expect([ok, words]).toEqual([false, expect.stringContaining('Only one bootstrap method can be specified at a time')]);
});

test('The operator admits a schedule of five fields, which it reads from the seconds on, so the chart refuses one', async () => {
  const schedule = (text: string) =>
    JSON.stringify({
      apiVersion: 'postgresql.cnpg.io/v1',
      kind: 'ScheduledBackup',
      metadata: { name: 'five', namespace: 'team-b' },
      spec: { schedule: text, cluster: { name: 'none' }, method: 'plugin', pluginConfiguration: { name: 'a' } },
    });
  expect((await apply(schedule('30 2 * * *'), '--dry-run=server')).ok).toBe(true);
  expect((await apply(schedule('0 30 2 * * *'), '--dry-run=server')).ok).toBe(true);
  expect((await apply(schedule('tomorrow'), '--dry-run=server')).words).toContain('spec.schedule');
});

test('The objects and values of the page are admitted without a warning', async () => {
  const yaml = page.blocks.filter(({ language, file }) => language === 'yaml' && file !== undefined);
  expect(yaml.map(({ file }) => file)).toEqual(['objectstore.yaml', 'database.yaml', 'restore.yaml']);
  const [store, base, restore] = yaml.map(({ text }) => parse(text) as Rendered);
  const changed = { ...base?.database.cnpg, ...restore?.database.cnpg };
  for (const cnpgValues of [base?.database.cnpg, changed]) {
    const { ok, text } = await template({ ...base, database: { mode: 'cnpg', cnpg: cnpgValues } });
    expect(ok, text).toBe(true);
    const objects = text.split(/^---$/m).filter((each) => /postgresql\.cnpg\.io|PodMonitor/.test(each));
    const { words } = await apply(objects.join('---'), '--dry-run=server');
    expect(words.split('\n').filter((line) => !line.endsWith('serverside-applied (server dry run)'))).toEqual([]);
  }
  expect(await apply(JSON.stringify(store), '--dry-run=server')).toMatchObject({ ok: true });
});

test('The commands of the page create a new Cluster, keep the old one, and both say that they wait for the plugin', async () => {
  const folder = await temporaryFolder('cloudnativepg-page');
  await symlink(join(PROJECT, 'charts'), join(folder, 'charts'));
  for (const { file, text } of page.blocks) if (file !== undefined) await writeFile(join(folder, file), `${text}\n`);
  const builtin = { solver: { enabled: false }, crds: { enabled: false } };
  expect(await install('zonestead', builtin)).toMatchObject({ ok: true });
  const { dir } = await ensureControlPlane({ progress, signal });
  const path = [dirname(await ensureHelm({ progress, signal })), dir, process.env.PATH].join(':');
  const shell = openShell({ cwd: folder, env: { PATH: path, HOME: folder, KUBECONFIG: cluster.kubeconfig } });
  try {
    for (const step of await scenario('cloudnativepg')) {
      if (step.text.startsWith('kubectl delete cluster'))
        for (const name of ['zonestead-db', 'zonestead-db-2'])
          await expect
            .poll(() => phase('zonestead', name), { timeout: MINUTE_MS })
            .toMatch(/unknown plugin being required: Unknown plugin: 'barman-cloud\.cloudnative-pg\.io'/);
      await follow(step, { shell });
    }
  } finally {
    await shell.close();
  }
  // The ScheduledBackup follows the Cluster of the release, and the PodMonitor is not the operator's to delete.
  const names = await cluster.kubectl('get', 'scheduledbackup,podmonitor', '-n', 'zonestead', '-o', 'name');
  expect(
    names.out
      .trim()
      .split('\n')
      .map((each) => each.split('/')[1]),
  ).toEqual(['zonestead-db-2', 'zonestead-db-2']);
});
