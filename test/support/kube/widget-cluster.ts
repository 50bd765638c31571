// A real control plane of one test file's own, with the CRD of a small kind (Widget) and nothing else in it. Tests that
// stop and restart kube-apiserver need one that no other test uses.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { CRD } from '#kube/objects/crds.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { WIDGETS } from './fake-apiserver.ts';

const CONDITION = {
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: { type: 'string' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: { type: 'string' },
    message: { type: 'string' },
    observedGeneration: { type: 'integer', format: 'int64' },
    lastTransitionTime: { type: 'string', format: 'date-time' },
  },
};

const WIDGET_SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { color: { type: 'string', maxLength: 100 }, size: { type: 'integer' } } },
    status: {
      type: 'object',
      properties: {
        seen: { type: 'string' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: CONDITION,
        },
      },
    },
  },
};

export interface WidgetCluster {
  /** As an administrator. */
  readonly api: KubeCluster['api'];
  /** The file of an administrator. */
  readonly kubeconfig: string;
  /** One more connection, of an administrator or of a user with these groups. */
  connect(user?: { name: string; groups: string[] }): Promise<KubeCluster>;
  /** Kills kube-apiserver, ends etcd, and starts both again on the same ports with the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts everything; about 5 s once the programs are built. */
export async function startWidgetCluster(): Promise<WidgetCluster> {
  const { signal } = new AbortController();
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-kube-'));
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  const names = ['etcd', 'etcdPeer', 'apiserver'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name })),
    { stateDir },
  );
  let plane = await startControlPlane({ dir, stateDir, ports, signal });
  const clusters: KubeCluster[] = [];
  const connect: WidgetCluster['connect'] = async (user) => {
    const kubeconfig = user ? await plane.clientConfig(user.name, user.groups) : plane.kubeconfig;
    const cluster = await connectCluster({ kubeconfig });
    clusters.push(cluster);
    return cluster;
  };
  const { api } = await connect();
  await installWidgets(api);
  return {
    api,
    kubeconfig: plane.kubeconfig,
    connect,
    restart: async () => {
      // Asked politely it would wait for open watches to end.
      await plane.parts.find((part) => part.name === 'kube-apiserver')?.stop({ signal: 'SIGKILL' });
      await plane.stop();
      plane = await startControlPlane({ dir, stateDir, ports, signal });
    },
    stop: async () => {
      // First our connections: with an open watch kube-apiserver takes its whole grace to end.
      await Promise.all(clusters.map((cluster) => cluster.close()));
      await plane.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

async function installWidgets(api: KubeCluster['api']): Promise<void> {
  const { group, version, plural, kind } = WIDGETS;
  await api.apply(
    CRD,
    {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, kind, singular: 'widget' },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: WIDGET_SCHEMA },
          },
        ],
      },
    },
    { fieldManager: 'test' },
  );
  type Crd = KubeObject & { status?: { conditions?: { type: string; status: string }[] } };
  for (let tries = 0; tries < 200; tries++) {
    const crd = await api.get<Crd>(CRD, { name: `${plural}.${group}` });
    if (crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The CRD was not established within 10 s');
}
