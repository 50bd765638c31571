// A second `helm upgrade` with the same values changes nothing, and one that would start an empty database is refused,
// at a real kube-apiserver. No pod runs.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHART, helm, type Rendered, type Values } from '../../support/chart/chart.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const external = { mode: 'external', external: { existingSecret: 'postgres', failsOver: true } };
const PROFILES: Readonly<Record<string, Values>> = {
  standard: { profile: 'standard' },
  small: { profile: 'small' },
  production: { profile: 'production', nameservers: ['ns1.example.net', 'ns2.example.net'], database: external },
};

let cluster: ChartCluster;
beforeAll(async () => {
  cluster = await startChartCluster();
  // The operators whose CRDs it has may still have to be built.
}, 20 * 60_000);
afterAll(() => cluster?.stop());
afterEach(() => uninstall());

const at = () => [`--kubeconfig=${cluster.kubeconfig}`, '--namespace=zonestead'];
const release = async (command: string, values: Values, ...args: string[]) => {
  const file = await cluster.file(JSON.stringify(values));
  return helm(command, 'zonestead', CHART, ...at(), '--values', file, ...args);
};
/** The objects of the release, without the counters and the records that an apply of the same object may renew. */
async function written(): Promise<Rendered[]> {
  const kinds =
    'deploy,sts,svc,sa,role,rolebinding,clusterrole,clusterrolebinding,netpol,pdb,job,cronjob,pvc,crd,apiservice';
  const { out } = await cluster.kubectl('get', kinds, '-A', '-l', 'app.kubernetes.io/instance=zonestead', '-o=json');
  return JSON.parse(out).items.map(({ metadata, status: _, ...rest }: Rendered) => {
    const { managedFields: _fields, resourceVersion: _version, ...lasting } = metadata as unknown as Rendered;
    return { ...rest, metadata: lasting };
  });
}
const uninstall = () => helm('uninstall', 'zonestead', ...at(), '--no-hooks', '--ignore-not-found');

describe.each(Object.entries(PROFILES))('profile %s', (profile, values) => {
  test(`a second upgrade of profile ${profile} changes nothing`, async () => {
    const installed = await release('install', values);
    expect(installed.ok, installed.words).toBe(true);
    const before = (await helm('get', 'manifest', 'zonestead', ...at())).out;
    const first = await written();
    expect(first.length).toBeGreaterThan(10);
    expect(await release('upgrade', values)).toMatchObject({ ok: true });
    expect((await helm('get', 'manifest', 'zonestead', ...at())).out).toBe(before);
    expect(await written()).toEqual(first);
  });
});

test('an upgrade between one pod and separate pods that would start an empty database is refused', async () => {
  const [standard = {}, small = {}, production = {}] = Object.values(PROFILES);
  expect(await release('install', small)).toMatchObject({ ok: true });
  const back = await release('upgrade', standard);
  expect(back).toMatchObject({
    ok: false,
    words: expect.stringContaining('database of this release is in its one pod'),
  });
  // The database is elsewhere then.
  expect(await release('upgrade', production)).toMatchObject({ ok: true });
  const claims = await cluster.kubectl('get', 'pvc', '-n', 'zonestead', '-o', 'name');
  expect(claims.out).toContain('zonestead-database');
  await uninstall();
  expect(await release('install', standard)).toMatchObject({ ok: true });
  const into = await release('upgrade', small);
  expect(into).toMatchObject({ ok: false, words: expect.stringContaining('is in a pod of its own') });
});
