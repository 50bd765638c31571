// The page about volumes on a real kube-apiserver with its garbage collector. Without a controller of StatefulSets, the
// test creates the claims and a pod of each StatefulSet.
import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { ensureHelm } from '../../../deploy/local/parts/helm-build.ts';
import { CHART, helm, type Rendered } from '../../support/chart/chart.ts';
import { PROJECT } from '../../support/docs/document.ts';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const MINUTE_MS = 60_000;
const { signal } = new AbortController();
const progress = () => undefined;
const WHERE = ['--namespace', 'zonestead'];
const CLASS = { allowVolumeExpansion: true, provisioner: 'test.example/disks' };
let cluster: ChartCluster;

beforeAll(async () => {
  cluster = await startChartCluster();
}, 20 * MINUTE_MS);
afterAll(async () => cluster?.stop());

const sure = async (...args: string[]) => {
  const { ok, words, out } = await cluster.kubectl(...args);
  if (!ok) throw new Error(words);
  return out;
};
const apply = async (...items: object[]) =>
  sure('apply', '-f', await cluster.file(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })));
const read = async (kind: string, name: string): Promise<Rendered> =>
  JSON.parse(await sure('get', kind, name, ...WHERE, '--output', 'json')) as Rendered;

/** A pod of the StatefulSet with its claim, as its controller creates them, and the volume as it is provisioned. */
async function createPod(component: string): Promise<void> {
  const set = await read('statefulset', `zonestead-${component}`);
  const [template] = set.spec.volumeClaimTemplates;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: set.metadata.name, uid: set.metadata.uid };
  const claim = { ...template.spec, storageClassName: 'disks', volumeName: `volume-${component}` };
  const metadata = { name: `data-zonestead-${component}-0`, namespace: 'zonestead', labels: template.metadata.labels };
  const isOwned = set.spec.persistentVolumeClaimRetentionPolicy.whenDeleted === 'Delete';
  const ownerReferences = isOwned ? [owner] : [];
  await apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, ownerReferences },
    spec: claim,
  });
  const status = { phase: 'Bound', capacity: claim.resources.requests, accessModes: claim.accessModes };
  const patch = ['--subresource=status', '--type=merge', '--patch', JSON.stringify({ status })];
  await sure('patch', 'pvc', metadata.name, ...WHERE, ...patch);
  const { serviceAccountName: _, ...podSpec } = set.spec.template.spec;
  const data = { name: 'data', persistentVolumeClaim: { claimName: metadata.name } };
  const volumes = [...(podSpec.volumes ?? []), data];
  const pod = {
    metadata: {
      ...{ name: `zonestead-${component}-0`, namespace: 'zonestead', labels: set.spec.template.metadata.labels },
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: { ...podSpec, volumes, automountServiceAccountToken: false },
  };
  await apply({ apiVersion: 'v1', kind: 'Pod', ...pod });
}

test('the commands of the page enlarge volumes, and keep pods and claims', async () => {
  await apply({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'disks' }, ...CLASS });
  const folder = await temporaryFolder('volumes-page');
  await symlink(join(PROJECT, 'charts'), join(folder, 'charts'));
  const values = { solver: { enabled: false }, crds: { enabled: false }, edge: { enabled: true } };
  const file = await cluster.file(JSON.stringify(values));
  const place = [...WHERE, '--kubeconfig', cluster.kubeconfig];
  expect(await helm('install', 'zonestead', CHART, ...place, '--values', file)).toMatchObject({ ok: true });
  for (const component of ['nameserver', 'edge', 'postgres']) await createPod(component);
  const pods = () => sure('get', 'pod', ...WHERE, '--output', 'jsonpath={.items[*].metadata.uid}');
  const before = await pods();

  const { dir } = await ensureControlPlane({ progress, signal });
  const path = [dirname(await ensureHelm({ progress, signal })), dir, process.env.PATH].join(':');
  const shell = openShell({ cwd: folder, env: { PATH: path, HOME: folder, KUBECONFIG: cluster.kubeconfig } });
  try {
    for (const step of await scenario('volumes')) {
      if (step.text.startsWith('kubectl delete pvc')) expect(await pods()).toBe(before);
      await follow(step, { shell });
    }
  } finally {
    await shell.close();
  }
});

test('the volumes of edges stay too when their StatefulSet is deleted without its pods', async () => {
  expect((await read('pvc', 'data-zonestead-edge-0')).metadata.ownerReferences).toHaveLength(1);
  await sure('delete', 'statefulset', 'zonestead-edge', ...WHERE, '--cascade=orphan');
  const { metadata } = await read('pvc', 'data-zonestead-edge-0');
  expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined]);
});
