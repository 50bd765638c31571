// The CRDs and the edges of a cluster, before and after an upgrade.
import { expect, test } from 'vitest';
import type { Gap } from '#diagnosis/kube-reader.ts';
import {
  type ClusterParts,
  type Crd,
  checkClusterParts,
  type Edge,
  readClusterParts,
} from '#diagnosis/upgrade-cluster.ts';

function crd(version: string | null, { versions = ['v1alpha1'], stored = ['v1alpha1'] } = {}): Crd {
  const annotations = version === null ? {} : { 'zonestead.dev/schema-version': version };
  return {
    metadata: { name: 'dnszones.zonestead.dev', annotations },
    spec: { versions: versions.map((name) => ({ name, served: true })) },
    status: { storedVersions: stored },
  } as unknown as Crd;
}
const edge = (version: string, ready: number): Edge =>
  ({
    metadata: { namespace: 'dns', name: 'edge', labels: { 'app.kubernetes.io/version': version } },
    spec: { replicas: 2 },
    status: { readyReplicas: ready },
  }) as unknown as Edge;
const SOUND: ClusterParts = {
  crds: [crd('2.0.0'), crd('2.0.0')],
  edges: { items: [edge('2.0.0', 2)], gap: undefined },
};
const faults = (parts: Partial<ClusterParts>) =>
  checkClusterParts({ ...SOUND, ...parts }, '2.0.0').flatMap(({ level, what }) =>
    level === 'ok' ? [] : [`${level}: ${what}`],
  );

test('CRDs and edges of this version have no fault', () => {
  expect(faults({})).toEqual([]);
  expect(faults({ edges: { items: [], gap: undefined } })).toEqual([]);
  // A candidate has the schema of its release.
  expect(faults({ crds: [crd('2.0.0-rc.1'), crd('2.0.0')] })).toEqual([]);
});

test('CRDs of another or of no known version are warnings, and the next step says which is older', () => {
  const steps = checkClusterParts({ ...SOUND, crds: [crd('1.9.0'), crd('2.1.0')] }, '2.0.0');
  expect(steps.slice(0, 2).map(({ level, nextStep }) => `${level} ${nextStep?.words}`)).toEqual([
    expect.stringContaining('warn It is older than 2.0.0'),
    expect.stringContaining('warn It is newer than 2.0.0'),
  ]);
  expect(faults({ crds: [crd(null), crd('2.0.0')] })).toEqual([
    'warn: CRD of DNSZone: schema of version unknown, served as v1alpha1',
  ]);
});

test('a CRD that does not serve the version of this program, or has objects of an unknown one, is a failure', () => {
  expect(faults({ crds: [crd('2.0.0', { versions: ['v1'] }), crd('2.0.0', { stored: ['v1alpha1', 'v1'] })] })).toEqual([
    'fail: the cluster does not serve zonestead.dev/v1alpha1 of DNSZone, which this version reads',
    'fail: objects of DNSRecord may be stored as v1, which this version does not have',
  ]);
});

test('an edge of another version is a warning, and an edge with a pod that is not ready is a failure', () => {
  expect(faults({ edges: { items: [edge('1.9.0', 1)], gap: undefined } })).toEqual([
    'warn: edge dns/edge: version 1.9.0',
    'fail: edge dns/edge: 1 of 2 pods are ready',
  ]);
});

test('a missing right and a missing CRD are warnings that say so', () => {
  const right: Gap = { gap: 'right', problem: 'You may not get it.' };
  expect(faults({ crds: [right, { gap: 'object', problem: '' }], edges: { items: [], gap: right } })).toEqual([
    'warn: the CRDs were not checked: You may not get it.',
    'warn: the cluster has no CRD of DNSRecord',
    'warn: the edges were not checked: You may not get it.',
  ]);
});

test('the reader asks for both CRDs and for the StatefulSets of edges only', async () => {
  const asked: unknown[] = [];
  const reader = {
    get: async (_type: unknown, { name }: { name: string }) => {
      asked.push(name);
      return crd('2.0.0');
    },
    list: async (_type: unknown, namespace: unknown, _signal: unknown, selector: unknown) => {
      asked.push([namespace, selector]);
      return { items: [], gap: undefined };
    },
  };
  await readClusterParts(reader as never, new AbortController().signal);
  expect(asked).toEqual([
    'dnszones.zonestead.dev',
    'dnsrecords.zonestead.dev',
    [undefined, 'app.kubernetes.io/part-of=zonestead,app.kubernetes.io/component=edge'],
  ]);
});
