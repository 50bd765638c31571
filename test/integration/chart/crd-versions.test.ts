// Helm with the CustomResourceDefinitions of two versions on a real kube-apiserver. The newer version has one more
// field.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { CHART, helm } from '../../support/chart/chart.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const CRD = 'dnsrecords.zonestead.dev';
const FILE = 'files/crds/zonestead.dev_dnsrecords.yaml';
const folder = await temporaryFolder('crd-versions');
let cluster: ChartCluster;
let kubeconfig: string;

beforeAll(async () => {
  cluster = await startChartCluster();
  kubeconfig = cluster.kubeconfig;
}, 20 * 60_000);
afterAll(async () => cluster?.stop());

/** A copy of the chart with another version. */
async function chartOf(version: string, change = (crd: string) => crd): Promise<string> {
  const chart = join(folder, version);
  await cp(CHART, chart, { recursive: true, dereference: true });
  const manifest = await readFile(join(chart, 'Chart.yaml'), 'utf8');
  const changed = manifest.replace(/^version: .*$/m, `version: ${version}`);
  await writeFile(join(chart, 'Chart.yaml'), changed.replace(/^appVersion: .*$/m, `appVersion: ${version}`));
  await writeFile(join(chart, FILE), change(await readFile(join(chart, FILE), 'utf8')));
  return chart;
}

function withRemark(text: string): string {
  const crd = parse(text);
  crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.remarkOfTest = { type: 'string' };
  return stringify(crd);
}

const run = (...args: string[]) => helm(...args, '--namespace', 'zonestead', '--kubeconfig', kubeconfig);

async function upgrade(chart: string, ...more: string[]) {
  const values = ['--set', 'solver.enabled=false', '--set-json', 'nameservers=["ns1.example.net"]', ...more];
  const { ok, words } = await run('upgrade', '--install', 'zonestead', chart, '--no-hooks', ...values);
  if (!ok) throw new Error(words);
}

/** Whether the schema has the new field, and its version. */
async function schema(): Promise<[boolean, string | undefined]> {
  const { out } = await cluster.kubectl('get', 'crd', CRD, '-o', 'json');
  const crd = JSON.parse(out);
  const { properties } = crd.spec.versions[0].schema.openAPIV3Schema.properties.spec;
  return ['remarkOfTest' in properties, crd.metadata.annotations['zonestead.dev/schema-version']];
}

/** The field of an object after one more write. */
async function fieldAfterWrite(): Promise<string | undefined> {
  await cluster.kubectl('annotate', 'zdr', 'www', '-n', 'team-a', `test/write=${Date.now()}`, '--overwrite');
  const { out } = await cluster.kubectl('get', 'zdr', 'www', '-n', 'team-a', '-o', 'json');
  return JSON.parse(out).spec.remarkOfTest;
}

test('an older chart keeps newer schemas, helm rollback to older ones is refused, and without the rule fields are lost', {
  timeout: 600_000,
}, async () => {
  const old = await chartOf('1.1.0');
  const next = await chartOf('1.2.0-rc.1', withRemark);
  await upgrade(old);
  expect(await schema()).toEqual([false, '1.1.0']);
  await upgrade(next);
  expect(await schema()).toEqual([true, '1.2.0-rc.1']);
  const record = {
    ...{ apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSRecord', metadata: { name: 'www', namespace: 'team-a' } },
    spec: { zoneRef: { name: 'z' }, name: 'www', type: 'A', content: '192.0.2.1', remarkOfTest: 'kept' },
  };
  const { ok, words } = await cluster.kubectl('apply', '-f', await cluster.file(JSON.stringify(record)));
  if (!ok) throw new Error(words);
  expect(await fieldAfterWrite()).toBe('kept');

  // A policy takes effect a short time after its creation.
  const rollback = await run('rollback', 'zonestead', '1', '--no-hooks');
  expect(rollback.ok).toBe(false);
  expect(rollback.words).toContain('Roll back with helm upgrade and the older chart');
  expect(await schema()).toEqual([true, '1.2.0-rc.1']);

  await upgrade(old);
  expect(await schema()).toEqual([true, '1.2.0-rc.1']);
  expect(await fieldAfterWrite()).toBe('kept');
  await upgrade(next);
  expect(await schema()).toEqual([true, '1.2.0-rc.1']);

  await upgrade(next, '--set', 'crds.refuseOlder=false');
  expect(await run('rollback', 'zonestead', '1', '--no-hooks')).toMatchObject({ ok: true });
  expect(await schema()).toEqual([false, '1.1.0']);
  expect(await fieldAfterWrite()).toBeUndefined();
});
