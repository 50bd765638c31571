// The parts that the cells of one file of the fault matrix share: the service with its own database and Knot, a
// control plane with CRDs and the operator's rights, and the calls of a user. The cells start the operator themselves.

import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { afterAll } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type Client, createClient } from '#client/client.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster, type KubeCluster } from '#kube/api/cluster.ts';
import { isNotFound } from '#kube/api/errors.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { type ControlPlane, startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import type { Resolver } from '../dns/resolver.ts';
import type { TestKey } from '../service/keys.ts';
import { addPerson } from '../service/people.ts';
import { NAMESERVERS, startTestService } from '../service/service.ts';

const ROOT = new URL('../../../', import.meta.url);
const { signal } = new AbortController();
const ME = { fieldManager: 'test' };

/** The operators of cells end, or lose their keys, so that their clusters may be lost before the end of the file. */
const EXPECTED = ['a cluster is lost'];

export interface Chain {
  readonly url: string;
  /** The API key of the operator. */
  readonly key: string;
  readonly sql: Sql;
  readonly dns: Resolver;
  /** The service's name servers, all of them this Knot. */
  readonly nameservers: readonly string[];
  /** As the team of the operator's key. */
  readonly client: Client;
  /** As an administrator; valid across restarts. */
  readonly api: KubeApi;
  readonly operatorKubeconfig: string;
  namespace(name: string): Promise<void>;
  zone(name: string, spec: object, namespace?: string): Promise<void>;
  record(name: string, zone: string, spec: object, namespace?: string): Promise<void>;
  /** Like `kubectl delete --wait=false`; succeeds for an object that is gone already. */
  remove(type: ResourceType, name: string, namespace?: string): Promise<void>;
}

export interface OwnChain extends Chain {
  /** A person with a personal key. */
  person(options: Parameters<typeof addPerson>[1]): ReturnType<typeof addPerson>;
  /** One more API key, by default of the operator's team. */
  mint(team?: string): Promise<TestKey>;
  readonly databaseUrl: string;
  /** The folder of kubectl. */
  readonly programs: string;
  /** The kubeconfig of an administrator of Kubernetes. */
  readonly kubeconfig: string;
  readonly apiserverPort: number;
  /** Forgets every older version of every object (etcd's maintenance), so that a watch from before gets 410. */
  compactEtcd(): Promise<void>;
  /**
   * Applies the CRDs of the checkout, each with one more optional field in its spec: the API server builds their
   * handlers again.
   */
  changeCrds(): Promise<void>;
  /** Applies the CRDs as they are in the checkout, as `kubectl apply` would. */
  applyCrds(): Promise<void>;
  /** Ends both, and copies the data of etcd; starts both again. @returns the folder with the copy */
  backUpEtcd(): Promise<string>;
  /** Ends both, and starts them with the data of the copy; nothing answers for `awayMs` in between. */
  restoreEtcd(copy: string, awayMs?: number): Promise<void>;
  /** Kills kube-apiserver, ends etcd, and starts both again with the same data. */
  restartControlPlane(): Promise<void>;
}

/**
 * To be called at the top of a test file; about 8 s. Closes itself after the file's tests.
 * @param warnings parts of more warnings of the service that are not a failure.
 * @param settings more settings of the service
 */
export async function startChain(
  warnings: readonly string[] = [],
  settings: Record<string, string> = {},
): Promise<OwnChain> {
  const closers: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });
  const [service, kube] = await Promise.all([
    startTestService({ warnings: [...EXPECTED, ...warnings], settings }),
    startPlane(closers),
  ]);
  const client = createClient({ baseUrl: service.url, key: service.admin.text });
  closers.push(() => client.close());
  const { api } = kube.cluster;
  return {
    ...createCalls(api),
    url: service.url,
    key: service.admin.text,
    sql: service.sql,
    dns: service.dns,
    nameservers: NAMESERVERS,
    client,
    api,
    operatorKubeconfig: kube.operatorKubeconfig,
    person: (options) => addPerson(service, options),
    mint: (team) => service.key(team === undefined ? {} : { team }),
    databaseUrl: service.database.url,
    apiserverPort: kube.ports.apiserver,
    compactEtcd: () => kube.compact(),
    changeCrds: () => applyCrds(api, withOneMoreField),
    applyCrds: () => applyCrds(api),
    restartControlPlane: () => kube.restart(),
    backUpEtcd: () => kube.backUp(),
    restoreEtcd: (copy, awayMs) => kube.restore(copy, awayMs),
    programs: kube.programs,
    kubeconfig: kube.kubeconfig,
  };
}

/** The operations of a user on objects. */
export function createCalls(api: KubeApi): Pick<Chain, 'namespace' | 'zone' | 'record' | 'remove'> {
  // The cells of a file delete many zones within a minute, most of those that there are.
  const annotations = { [RELEASE_MANY]: 'true' };
  const apply = async (type: ResourceType, name: string, namespace: string, spec: object) =>
    void (await api.apply(
      type,
      { metadata: { namespace, name, ...(type === DNS_ZONE && { annotations }) }, spec },
      ME,
    ));
  return {
    namespace: async (name) => void (await api.create(NAMESPACE, { metadata: { name } })),
    zone: (name, spec, namespace = 'default') => apply(DNS_ZONE, name, namespace, spec),
    record: (name, zone, spec, namespace = 'default') =>
      apply(DNS_RECORD, name, namespace, { zoneRef: { name: zone }, ...spec }),
    remove: async (type, name, namespace = 'default') => {
      await api.delete(type, { namespace, name }).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    },
  };
}

/** A control plane with the CRDs and the rights of the operator. @param closers gets the functions that close it */
export async function startPlane(closers: (() => Promise<unknown>)[]) {
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-chain-'));
  closers.push(() => rm(stateDir, { recursive: true, force: true }));
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  const names = ['etcd', 'etcdPeer', 'apiserver'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name })),
    { stateDir },
  );
  let plane: ControlPlane = await startControlPlane({ dir, stateDir, ports, signal });
  closers.push(() => plane.stop());
  const cluster: KubeCluster = await connectCluster({ kubeconfig: plane.kubeconfig });
  closers.push(() => cluster.close());
  await applyCrds(cluster.api);
  for (const document of parseAllDocuments(readFileSync(new URL('deploy/operator/rbac.yaml', ROOT), 'utf8')))
    await applyManifest(cluster.api, document.toJS());
  const data = join(stateDir, 'controlplane', 'etcd');
  /** Does the work while nothing of the control plane runs. */
  const between = async (work: () => Promise<unknown>) => {
    // Asked politely it would wait for open watches to end.
    await findApiserver(plane).stop({ signal: 'SIGKILL' });
    await plane.stop();
    await work();
    plane = await startControlPlane({ dir, stateDir, ports, signal });
  };
  return {
    cluster,
    ports,
    operatorKubeconfig: plane.operatorKubeconfig,
    kubeconfig: plane.kubeconfig,
    /** The folder of kubectl. */
    programs: dir,
    kill: () => findApiserver(plane).stop({ signal: 'SIGKILL' }),
    compact: () => compactEtcd(cluster.api, join(stateDir, 'controlplane', 'pki'), ports.etcd),
    restart: () => between(async () => undefined),
    backUp: async () => {
      const copy = await mkdtemp(join(stateDir, 'etcd-'));
      await between(() => cp(data, copy, { recursive: true }));
      return copy;
    },
    restore: (copy: string, awayMs = 0) =>
      between(async () => {
        await rm(data, { recursive: true });
        await cp(copy, data, { recursive: true });
        await pause(awayMs);
      }),
  };
}

function findApiserver({ parts }: ControlPlane): Part {
  return parts.find(({ name }) => name === 'kube-apiserver') as Part;
}

/** Through etcd's own JSON gateway; the API server does the same every five minutes. */
async function compactEtcd(api: KubeApi, pki: string, port: number): Promise<void> {
  const { resourceVersion } = await api.list(NAMESPACE, {});
  const read = (name: string) => readFileSync(join(pki, name));
  const tls = { ca: read('ca.crt'), cert: read('etcd.crt'), key: read('etcd.key') };
  const body = JSON.stringify({ revision: resourceVersion, physical: true });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const call = request(`https://127.0.0.1:${port}/v3/kv/compaction`, { ...tls, method: 'POST', agent: false });
    call.once('response', (answer) => resolve(answer.resume().statusCode));
    call.once('error', reject);
    call.end(body);
  });
  if (status !== 200) throw new Error(`etcd was not compacted: ${status}`);
}

const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  CustomResourceDefinition: 'customresourcedefinitions',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

async function applyManifest(api: KubeApi, manifest: KubeObject): Promise<ResourceType> {
  const [version = '', group = ''] = manifest.apiVersion.split('/').reverse();
  const { kind, metadata } = manifest;
  const plural = PLURALS[kind];
  if (plural === undefined) throw new Error(`no plural for ${kind}`);
  const type = { group, version, kind, plural, namespaced: metadata.namespace !== undefined };
  await api.apply(type, manifest as never, ME);
  return type;
}

interface Crd extends KubeObject {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: { readonly properties: { readonly spec: { properties: Record<string, object> } } };
      };
    }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function withOneMoreField(crd: Crd): Crd {
  const changed = structuredClone(crd);
  for (const { schema } of changed.spec.versions)
    schema.openAPIV3Schema.properties.spec.properties.noteOfATest = { type: 'string' };
  return changed;
}

async function applyCrds(api: KubeApi, change = (crd: Crd): Crd => crd): Promise<void> {
  const folder = new URL('crds/', ROOT);
  for (const file of readdirSync(folder).filter((name) => name.startsWith('zonestead.dev_'))) {
    const manifest = change(parse(readFileSync(new URL(file, folder), 'utf8')) as Crd);
    const type = await applyManifest(api, manifest);
    for (let tries = 1; ; tries += 1) {
      const { status } = await api.get<Crd>(type, { name: manifest.metadata.name });
      if (status?.conditions?.some(({ type: name, status: is }) => name === 'Established' && is === 'True')) break;
      if (tries === 200) throw new Error(`${file} was not established within 10 s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
