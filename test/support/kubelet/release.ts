// The chart in a cluster of the tests: its installation with default values into a namespace where Pod Security's level
// "restricted" is enforced, its pods, services and an API key.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { stringify } from 'yaml';
import { formatHostPort } from '#base/address.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { PROJECT } from '../../../deploy/image/parts.ts';
import { createResolver, type Resolver } from '../dns/resolver.ts';
import { createRequest, type Request } from '../http/requests.ts';
import type { TestCluster } from './cluster.ts';

export const CHART = join(PROJECT, 'charts/zonestead');
export const RELEASE = 'zonestead';
export const NAMESPACE = 'zonestead';
/** As far as a command of the image goes, in front of its words. */
const inApi = (workload: string) => ['-n', NAMESPACE, 'exec', workload, '-c', 'api', '--', 'zonestead'];

export interface Installation {
  /** Words for helm. (Default: installs the chart that an upgrade begins with, and waits until everything is Ready.) */
  words?: readonly string[];
  /** The workload that runs the `api` container. (Default: the Deployment of the api.) */
  workload?: string;
}

export interface Pod {
  name: string;
  /** It stays when a container is started again. */
  uid: string;
  component: string;
  /** One of each family of the cluster. */
  addresses: string[];
  ready: boolean;
  containers: Container[];
}

export interface Container {
  name: string;
  image: string;
  /** The id in the container runtime; each start has another one. Empty before the first. */
  id: string;
  ready: boolean;
  restarts: number;
}

export interface Release {
  /** Pods that run permanently: no Jobs, no tests. */
  pods(): Promise<Pod[]>;
  /** Address of a Service in the primary family of the cluster, as the host reaches it. */
  serviceAddress(name: string): Promise<string>;
  /** Its addresses in each family. */
  serviceAddresses(name: string): Promise<string[]>;
  dns: Resolver;
  /** The name server at this address. */
  dnsAt(server: ProbeEndpoint): Resolver;
  /** With TLS and this key. @param address an address of the api's Service (Default: that of the primary family.) */
  requests(key: string, address?: string): Request;
  /** The output of a command of Zonestead in a pod of the api. */
  command(...words: string[]): Promise<string>;
  /** A key for a team, with a high write limit, created in an api pod. */
  mintKey(team: string): Promise<{ key: string; teamId: string }>;
  /** Applies objects. */
  apply(objects: readonly object[], ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/**
 * Makes the namespace and installs the chart.
 * @throws with helm's words and the state of the pods
 */
export async function installRelease(cluster: TestCluster, given: Installation = {}): Promise<Release> {
  const { chart, args } = cluster.before;
  const { workload = `deployment/${RELEASE}-api` } = given;
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-release-'));
  const apply = async (objects: readonly object[], ...more: string[]) => {
    const file = join(folder, 'objects.yaml');
    await writeFile(file, objects.map((object) => stringify(object)).join('---\n'));
    return cluster.kubectl('apply', '-f', file, ...more);
  };
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } }]);
  // A cluster that is not ours may have it already.
  const wait = ['--wait', '--wait-for-jobs', '--timeout=600s'];
  const { words: install = ['upgrade', '--install', RELEASE, chart, '-n', NAMESPACE, ...wait, ...args] } = given;
  const { code, tail } = await cluster.attempt('helm', ...install);
  if (code !== 0) throw new Error(`helm install: ${tail}\n${await describeCluster(cluster)}`);
  const serviceField = (name: string, field: string) =>
    cluster.kubectl('-n', NAMESPACE, 'get', 'service', name, `-o=jsonpath={.spec.${field}}`);
  const serviceAddress = (name: string) => serviceField(name, 'clusterIP');
  const command = (...words: string[]) => cluster.kubectl(...inApi(workload), ...words);
  const api = await serviceAddress(`${RELEASE}-api`);
  const servername = `${RELEASE}-api.${NAMESPACE}.svc`;
  // Without --wait, helm ends before the release has created its certificate; the first key comes later.
  let agent: Agent | undefined;
  return {
    pods: () => listPods(cluster),
    serviceAddress,
    serviceAddresses: async (name) => (await serviceField(name, 'clusterIPs[*]')).split(' '),
    dns: createResolver({ address: await serviceAddress(`${RELEASE}-dns`), port: 53 }, folder),
    dnsAt: (server) => createResolver(server, folder),
    requests: (key, address = api) => {
      if (agent === undefined) throw new Error('requests need a key, and none was created yet');
      return createRequest(`https://${formatHostPort(address, 443)}`, agent, key);
    },
    command,
    mintKey: async (team) => {
      const words = [
        'admin',
        'keys',
        'mint',
        '--team',
        team,
        '--create-team',
        '--name',
        'tests',
        '--manage-zones',
        'write',
      ];
      const limits = ['--zone-writes', '100000', '--record-writes', '100000'];
      const out = await command(...words, ...limits);
      const [key, teamId] = [/\byk_\w+/.exec(out)?.[0], /\bteam_\w+/.exec(out)?.[0]];
      if (key === undefined || teamId === undefined) throw new Error(`no key in: ${out}`);
      agent ??= new Agent({ connect: { ca: await readAuthority(cluster), servername } });
      return { key, teamId };
    },
    apply,
    close: async () => {
      await agent?.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The authority of the api's certificate, as PEM. It stays the same for years. */
export async function readAuthority({ kubectl }: Pick<TestCluster, 'kubectl'>): Promise<string> {
  const data = await kubectl('-n', NAMESPACE, 'get', 'secret', `${RELEASE}-api-tls`, '-o=jsonpath={.data.ca\\.crt}');
  return Buffer.from(data, 'base64').toString('utf8');
}

/** For the message of a failure: the status and the logs of the pods. */
async function describeCluster(cluster: TestCluster): Promise<string> {
  const parts = [
    ['get', 'pods', '-o', 'wide'],
    ['get', 'events', '--field-selector=type=Warning'],
    ['logs', '-l', 'app.kubernetes.io/part-of=zonestead', '--all-containers', '--prefix', '--tail=5'],
  ];
  const texts: string[] = [];
  for (const args of parts) texts.push((await cluster.attempt('kubectl', '-n', NAMESPACE, ...args)).tail);
  return texts.join('\n');
}

const POD: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

interface PodObject extends KubeObject {
  spec: { containers: { name: string; image: string }[] };
  status: {
    podIPs?: { ip: string }[];
    conditions?: { type: string; status: string }[];
    containerStatuses?: { name: string; containerID?: string; ready: boolean; restartCount: number }[];
  };
}

async function listPods(cluster: TestCluster): Promise<Pod[]> {
  const { items } = await cluster.api.list<PodObject>(POD, { namespace: NAMESPACE });
  const component = (pod: PodObject) => pod.metadata.labels?.['app.kubernetes.io/component'] ?? '';
  return items
    .filter((pod) => !pod.metadata.deletionTimestamp && !['', 'bootstrap', 'test'].includes(component(pod)))
    .map((pod) => ({
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
      component: component(pod),
      addresses: (pod.status.podIPs ?? []).map(({ ip }) => ip),
      ready: pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
      containers: listContainers(pod),
    }));
}

function listContainers({ spec, status }: PodObject): Container[] {
  return spec.containers.map(({ name, image }) => {
    const told = status.containerStatuses?.find((each) => each.name === name);
    const id = (told?.containerID ?? '').replace(/^\w+:\/\//, '');
    return { name, image, id, ready: told?.ready ?? false, restarts: told?.restartCount ?? 0 };
  });
}
