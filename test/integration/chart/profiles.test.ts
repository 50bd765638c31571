// The profiles of the chart: which values they set, which values win, and what profile production refuses.
import { expect, test } from 'vitest';
import { one, type Rendered, render, template, type Values } from '../../support/chart/chart.ts';

const external = { mode: 'external', external: { existingSecret: 'postgres', failsOver: true } };
/** The least that profile production accepts. */
const PRODUCTION = { profile: 'production', nameservers: ['ns1.example.net', 'ns2.example.net'], database: external };
const kinds = (objects: readonly Rendered[]) => new Set(objects.map(({ kind }) => kind));

/** The words of the requirements that are refused, each before its sentence. */
async function refused(values: Values): Promise<string[]> {
  const { ok, text } = await template(values);
  return ok ? [] : [...text.matchAll(/^- (\w+): [^\n]+\. Set [^\n]+$/gm)].map(([, word = '']) => word);
}

test('profile production has two replicas with a budget, network policies and monitoring', async () => {
  const objects = await render(PRODUCTION);
  for (const kind of ['NetworkPolicy', 'ServiceMonitor', 'PrometheusRule', 'PodDisruptionBudget'])
    expect(kinds(objects)).toContain(kind);
  expect(objects.filter(({ metadata }) => /dashboard$/.test(metadata.name))).toHaveLength(1);
  expect(kinds(await render({}))).not.toContain('ServiceMonitor');
  for (const [kind, component] of [
    ['Deployment', 'api'],
    ['Deployment', 'operator'],
    ['Deployment', 'solver'],
    ['StatefulSet', 'nameserver'],
  ] as const)
    expect(one(objects, kind, `zonestead-${component}`).spec.replicas).toBe(2);
});

test('values of the user replace those of a profile, also a false', async () => {
  const dashboard = { dashboard: { enabled: false } };
  const objects = await render({ ...PRODUCTION, nameserver: { replicaCount: 3 }, monitoring: dashboard });
  expect(one(objects, 'StatefulSet', 'zonestead-nameserver').spec.replicas).toBe(3);
  expect(objects.filter(({ metadata }) => /dashboard$/.test(metadata.name))).toEqual([]);
  const own = await render({ profile: 'small', operator: { resources: { limits: { memory: '300Mi' } } } });
  const limitOf = (name: string) =>
    podOf(own, 'StatefulSet', 'nameserver').containers.find((each: Rendered) => each.name === name).resources.limits;
  expect(limitOf('operator')).toEqual({ memory: '300Mi' });
  expect(limitOf('solver')).toEqual({ memory: '64Mi' });
});

test('profile production refuses everything that is missing at once, and accepts it with a word for each', async () => {
  const one = { replicaCount: 1 };
  const no = { enabled: false };
  const worst = {
    ...{ profile: 'production', onePod: false, networkPolicy: no, monitoring: { serviceMonitor: no } },
    api: { ...one, tls: { enabled: false } },
    nameserver: { ...one, persistence: no, podDisruptionBudget: no },
  };
  const words = ['database', 'replicas', 'budgets', 'volumes', 'tls', 'networkPolicies', 'monitoring', 'nameservers'];
  expect([...new Set(await refused(worst))]).toEqual(words);
  expect((await template({ ...worst, providedElsewhere: words })).ok).toBe(true);
});

/** The pod of a workload. */
// biome-ignore lint/suspicious/noExplicitAny: the contents of YAML have no type.
const podOf = (objects: readonly Rendered[], kind: string, component: string): any =>
  one(objects, kind, `zonestead-${component}`).spec.template.spec;
const SMALL = await render({ profile: 'small' });
const pod = podOf(SMALL, 'StatefulSet', 'nameserver');

test('profile small runs one pod, whose containers have limits of 512 MiB together', () => {
  const workloads = SMALL.filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind));
  expect(workloads.map(({ metadata, spec }) => [metadata.name, spec.replicas])).toEqual([['zonestead-nameserver', 1]]);
  const limits = pod.containers.map(({ resources }: Rendered) =>
    Number(/^(\d+)Mi$/.exec(resources.limits.memory)?.[1]),
  );
  expect(limits).toHaveLength(6);
  expect(limits.reduce((sum: number, each: number) => sum + each)).toBe(512);
  // No part of a node may wait for an address that only a Ready pod has.
  const services = SMALL.filter(({ kind, metadata }) => kind === 'Service' && !/nameserver/.test(metadata.name));
  for (const { spec } of services)
    expect(spec).toMatchObject({
      publishNotReadyAddresses: true,
      selector: { 'app.kubernetes.io/component': 'nameserver' },
    });
  expect(pod.hostAliases).toEqual([
    { ip: '127.0.0.1', hostnames: ['zonestead-api.zonestead.svc', 'zonestead-postgres.zonestead.svc'] },
  ]);
});

test('a container of the one pod is that of a pod of its own, with other ports and other memory', async () => {
  const separate = await render({});
  const containers = [
    ...podOf(separate, 'StatefulSet', 'nameserver').containers,
    ...podOf(separate, 'StatefulSet', 'postgres').containers,
    ...['api', 'operator', 'solver'].flatMap((name) => podOf(separate, 'Deployment', name).containers),
  ];
  expect(pod.containers.map(({ name }: Rendered) => name)).toEqual(containers.map(({ name }) => name));
  const settings = (of: { env?: Rendered[] }) => (of.env ?? []).map(({ name }: Rendered) => name);
  for (const [at, { image, name, env, securityContext }] of containers.entries()) {
    const here = pod.containers[at];
    expect([here.image, here.securityContext]).toEqual([image, securityContext]);
    const further = settings(here).filter((setting: string) => !settings({ env }).includes(setting));
    expect(further).toEqual(['api', 'operator', 'solver'].includes(name) ? ['ZONESTEAD_HEALTH_LISTEN'] : []);
  }
});

test('the containers of the one pod have different ports, and only some have the token for kube-apiserver', () => {
  const ports = pod.containers.flatMap(({ ports }: Rendered) => ports);
  const numbers = ports.map(({ containerPort, protocol = 'TCP' }: Rendered) => `${containerPort}/${protocol}`);
  expect([...new Set(numbers)]).toEqual(numbers);
  expect(new Set(ports.map(({ name }: Rendered) => name)).size).toBe(ports.length);
  const callers = pod.containers.filter(({ volumeMounts }: Rendered) =>
    volumeMounts.some(({ name }: Rendered) => name === 'kube-token'),
  );
  expect(callers.map(({ name }: Rendered) => name)).toEqual(['api', 'operator', 'solver']);
  expect([pod.automountServiceAccountToken, pod.serviceAccountName]).toEqual([false, 'zonestead-operator']);
});

test('the data of a small installation stay when it gets separate pods', async () => {
  const large = one(await render(PRODUCTION), 'StatefulSet', 'zonestead-nameserver').spec;
  const { spec } = one(SMALL, 'StatefulSet', 'zonestead-nameserver');
  // Kubernetes refuses an update of the other fields.
  const fixed = ({ selector, serviceName, podManagementPolicy, volumeClaimTemplates }: Rendered) => [
    ...[selector, serviceName, podManagementPolicy, volumeClaimTemplates],
  ];
  expect(fixed(spec)).toEqual(fixed(large));
  const claim = one(SMALL, 'PersistentVolumeClaim', 'zonestead-database');
  expect(claim.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
});

test('no other pod reaches Postgres and the metrics of the one pod', () => {
  const ports = one(SMALL, 'NetworkPolicy', 'zonestead-nameserver-health').spec.ingress.flatMap(
    ({ ports }: Rendered) => ports,
  );
  const opens = (port: number) =>
    ports.some((each: Rendered) => each.protocol === 'TCP' && each.port <= port && port <= each.endPort);
  expect([53, 5353, 8080, 8443, 9443, 65535].filter((port) => !opens(port))).toEqual([]);
  expect([5432, 9090, 9091, 9092, 9093].filter(opens)).toEqual([]);
});

test.each<[string, Values, string[]]>([
  ['the built-in Postgres', { database: {} }, ['database']],
  [
    'a Postgres that may have no standby',
    { database: { ...external, external: { existingSecret: 'a' } } },
    ['database'],
  ],
  [
    'a Cluster without a standby and without backups',
    { database: { mode: 'cnpg', cnpg: { operatorInstalled: true, instances: 1 } } },
    ['database', 'backups'],
  ],
  [
    'a Cluster with standbys and with backups of its own',
    { database: { mode: 'cnpg', cnpg: { operatorInstalled: true, extraSpec: { backup: { volumeSnapshot: {} } } } } },
    [],
  ],
  [
    'a connection to Postgres that proves nothing',
    { database: { ...external, external: { ...external.external, tls: { unverified: 'allow' } } } },
    ['tls'],
  ],
  ['one name server', { nameserver: { replicaCount: 1 } }, ['replicas']],
  ['one operator', { operator: { replicaCount: 1 } }, ['replicas']],
  ['no solver', { solver: { enabled: false, replicaCount: 1 } }, []],
  ['one name', { nameservers: ['ns1.example.net'] }, ['nameservers']],
  [
    'name servers of another region over HTTP',
    {
      ...{ api: { enabled: false }, operator: { enabled: false }, solver: { enabled: false }, nameservers: [] },
      nameserver: { feed: { url: 'http://a.example' }, nodeKey: { existingSecret: 'key' } },
    },
    ['tls'],
  ],
])('profile production refuses %s if it matters', async (_what, values, words) => {
  expect(await refused({ ...PRODUCTION, ...values })).toEqual(words);
});
