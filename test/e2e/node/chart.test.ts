// The chart with default values on a real node: the version before installed, upgraded to this one, used, rolled back,
// put behind edges and taken out again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCluster, type TestCluster } from '../../support/kubelet/cluster.ts';
import { startDnsLoad } from '../../support/kubelet/dns-load.ts';
import {
  CHART,
  installRelease,
  NAMESPACE,
  type Pod,
  RELEASE,
  type Release,
  readAuthority,
} from '../../support/kubelet/release.ts';
import { findTraces, machineSettings } from '../../support/kubelet/traces.ts';
import { startWrites } from '../../support/kubelet/writes.ts';
import { issuesCertificate } from './certificate.ts';
import { survivesCrashes } from './crash.ts';
import { followsTheDocuments } from './docs.ts';
import { hidesBehindEdges } from './edges.ts';
import { sendsNoSecretInPlainText } from './wire.ts';

const ZONE = 'node.example';
const TEAM_NAMESPACE = 'team';
const objects = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: TEAM_NAMESPACE } },
  {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSZone',
    metadata: { name: 'node', namespace: TEAM_NAMESPACE },
    spec: { zoneName: ZONE },
  },
  {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSRecord',
    metadata: { name: 'www', namespace: TEAM_NAMESPACE },
    spec: { zoneRef: { name: 'node' }, name: 'www', type: 'A', content: '192.0.2.10' },
  },
];

let cluster: TestCluster;
let release: Release;
let installedAt = 0;
let settings: Record<string, string>;

beforeAll(async () => {
  settings = await machineSettings();
  cluster = await openCluster();
  installedAt = performance.now();
  release = await installRelease(cluster);
});
afterAll(async () => {
  await release?.close();
  await cluster?.stop();
});

test('the chart on a real node serves records that kubectl applies, signed, over UDP and TCP, at the DNS Service', async () => {
  await release.apply(objects);
  await cluster.kubectl(
    '-n',
    TEAM_NAMESPACE,
    'wait',
    '--for=condition=Ready',
    'dnszone/node',
    'dnsrecord/www',
    '--timeout=180s',
  );
  // Bar: from `helm install` (images present) to the first answer in 60 s on two quiet cores; a busy machine takes
  // longer.
  process.stdout.write(
    `helm install to the first zone Ready: ${Math.round((performance.now() - installedAt) / 100) / 10} s\n`,
  );
  for (const tcp of [false, true]) {
    const { rcode, aa, answers, packet } = await release.dns.lookup(`www.${ZONE}`, 'A', { dnssec: true, tcp });
    expect([rcode, aa, answers]).toEqual(['NOERROR', true, [`www.${ZONE} 3600 A 192.0.2.10`]]);
    expect(packet.answers?.map(({ type }) => type)).toContain('RRSIG');
  }
  expect((await release.dns.delv(ZONE, `www.${ZONE}`, 'A')).state).toBe('secure');
  expect(await release.dns.delv(ZONE, `nothing.${ZONE}`, 'A')).toMatchObject({
    state: 'secure',
    negative: 'nxdomain',
  });
});

test('the chart on a real node answers every query and loses no write while the version before becomes this one', async () => {
  const args = ['--reset-values', '-n', NAMESPACE, '--wait', '--timeout=300s'];
  await underLoad('upgrade', () => cluster.helm('upgrade', RELEASE, CHART, ...args));
  // The pods of before may still be ending.
  const images = async () => {
    const all = (await release.pods()).flatMap((pod) => pod.containers.map(({ image }) => image));
    return [...new Set(all)].sort();
  };
  await expect
    .poll(images)
    .toEqual([cluster.image, cluster.image.replace('/zonestead:', '/nameserver:'), 'zonestead/postgres:18'].sort());
});

test('the chart on a real node makes every pod Ready, two of each component, where Pod Security enforces "restricted"', async () => {
  const counts = async () => {
    const pods = await release.pods();
    const byComponent = Map.groupBy(pods, ({ component }) => component)
      .entries()
      .map(([name, of]) => [name, of.length]);
    return { ...Object.fromEntries(byComponent), unready: pods.filter(({ ready }) => !ready).length };
  };
  await expect.poll(counts).toEqual({ api: 2, nameserver: 2, operator: 2, postgres: 1, solver: 2, unready: 0 });
});

test('the chart on a real node gets a Certificate through cert-manager in the cluster, and leaves nothing of the challenge', () =>
  issuesCertificate(cluster, release));

test('the chart on a real node sends no token and no key in plain text between its parts, which all start again', async ({
  skip,
}) => {
  if (cluster.node === undefined) skip('the packets of a cluster that is not ours cannot be captured');
  await sendsNoSecretInPlainText(cluster, release);
});

test('the chart on a real node lets a pod that has only a key from a Secret use the REST service by its name', async () => {
  const { key } = await release.mintKey('pods');
  const program = `
      const call = async (method, path, body) => {
        const answer = await fetch(process.env.ZONESTEAD_URL + '/v1' + path, {
          method,
          headers: { authorization: 'Bearer ' + process.env.ZONESTEAD_API_KEY, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        return [answer.status, await answer.json()];
      };
      const [, { team }] = await call('GET', '/account');
      const [made, zone] = await call('POST', '/dns/zones', { zoneName: 'pod.example', owner: 'org:' + team.id });
      const [written] = await call('POST', '/dns/zones/' + zone.id + '/records', { name: 'www', type: 'A', content: '192.0.2.20' });
      const [, other] = await call('GET', '/dns/zones?zoneName=${ZONE}');
      console.log(JSON.stringify({ made, written, other: other.zones.length }));`;
  const restricted = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  };
  await release.apply([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', namespace: TEAM_NAMESPACE },
      stringData: { apiKey: key },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'api-ca', namespace: TEAM_NAMESPACE },
      data: { 'ca.crt': await readAuthority(cluster) },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'client', namespace: TEAM_NAMESPACE },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'client',
            image: cluster.image,
            command: ['/usr/local/bin/node', '--input-type=module', '-e', program],
            env: [
              { name: 'ZONESTEAD_URL', value: `https://${RELEASE}-api.${NAMESPACE}` },
              { name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' },
              { name: 'ZONESTEAD_API_KEY', valueFrom: { secretKeyRef: { name: 'key', key: 'apiKey' } } },
            ],
            securityContext: restricted,
            volumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
          },
        ],
        volumes: [{ name: 'ca', configMap: { name: 'api-ca' } }],
      },
    },
  ]);
  await cluster.kubectl(
    '-n',
    TEAM_NAMESPACE,
    'wait',
    '--for=jsonpath={.status.phase}=Succeeded',
    'pod/client',
    '--timeout=180s',
  );
  const log = await cluster.kubectl('-n', TEAM_NAMESPACE, 'logs', 'client');
  // Another team's zone is not there for this key.
  expect(JSON.parse(log)).toEqual({ made: 200, written: 201, other: 0 });
  await expect
    .poll(async () => (await release.dns.lookup('www.pod.example', 'A')).answers)
    .toEqual(['www.pod.example 3600 A 192.0.2.20']);
});

test('the chart on a real node gives each service account what is written here, and nothing else', async () => {
  const rights: Record<string, string[]> = {};
  for (const account of Object.keys(RIGHTS)) {
    const user = `--as=system:serviceaccount:${NAMESPACE}:${RELEASE}-${account}`;
    const out = await cluster.kubectl(
      'auth',
      'can-i',
      '--list',
      '-n',
      NAMESPACE,
      user,
      '--as-group=system:serviceaccounts',
      '--as-group=system:authenticated',
      '--no-headers',
    );
    rights[account] = ownRights(out);
  }
  expect(rights).toEqual(RIGHTS);
});

test('the chart on a real node passes its own tests', async () => {
  expect(await cluster.helm('test', RELEASE, '-n', NAMESPACE, '--timeout=300s')).toMatch(/Phase: +Succeeded/);
});

test('the chart on a real node loses no acknowledged write, and fails no query, while each pod is killed in turn', async () => {
  const writes = await startWrites(release, 'load', { pauseMs: 150, writers: 2 });
  const load = startDnsLoad(release.dns, `www.${ZONE}`, 50);
  const failed: Record<string, number> = {};
  const pods = await release.pods();
  const turns = turnsOf(pods);
  expect(turns.flat()).toHaveLength(pods.length);
  for (const turn of turns) {
    const before = load.count().failed;
    await cluster.kubectl('-n', NAMESPACE, 'delete', 'pod', ...turn.map(({ name }) => name), '--wait=false');
    await expect.poll(() => replaced(turn, pods.length), { timeout: 240_000, interval: 300 }).toBe(true);
    const what = turn.map(({ component }) => component).join(', ');
    failed[what] = (failed[what] ?? 0) + load.count().failed - before;
  }
  await writes.stop();
  const { asked, reasons } = await load.stop();
  const told = `${asked} queries, failed by turn ${JSON.stringify(failed)} ${reasons}`;
  process.stdout.write(`killed in turn: ${writes.acknowledged()} writes, ${writes.doubtful()} unanswered; ${told}\n`);
  await writes.settle(release.dns);
  expect(writes.acknowledged()).toBeGreaterThan(20);
  expect(failed).toEqual({ api: 0, 'nameserver, operator, solver': 0, postgres: 0 });
});

const replaced = async (turn: readonly Pod[], count: number) => {
  const gone = new Set(turn.map(({ uid }) => uid));
  const pods = await release.pods();
  return pods.length === count && pods.every(({ uid, ready }) => ready && !gone.has(uid));
};

test('the chart on a real node answers every query while api and database are down and each name server is replaced', async () => {
  const parts = [`deployment/${RELEASE}-api`, `statefulset/${RELEASE}-postgres`] as const;
  const of = async (...components: string[]) =>
    (await release.pods()).filter(({ component }) => components.includes(component));
  const [replicas] = [(await of('api')).length];
  const load = startDnsLoad(release.dns, `www.${ZONE}`, 50);
  try {
    for (const part of parts) await cluster.kubectl('-n', NAMESPACE, 'scale', part, '--replicas=0');
    await expect.poll(() => of('api', 'postgres'), { timeout: 240_000, interval: 300 }).toEqual([]);
    for (const { name, uid } of await of('nameserver')) {
      await cluster.kubectl('-n', NAMESPACE, 'delete', 'pod', name, '--wait=false');
      const isBack = async () => {
        const now = await of('nameserver');
        return now.some((pod) => pod.name === name && pod.uid !== uid) && now.every(({ ready }) => ready);
      };
      await expect.poll(isBack, { timeout: 240_000, interval: 300 }).toBe(true);
    }
  } finally {
    await cluster.kubectl('-n', NAMESPACE, 'scale', parts[1], '--replicas=1');
    await cluster.kubectl('-n', NAMESPACE, 'scale', parts[0], `--replicas=${replicas}`);
    await load.stop();
  }
  const { asked, failed, reasons } = load.count();
  process.stdout.write(`without api and database: ${failed} of ${asked} queries failed ${reasons}\n`);
  expect([failed, reasons]).toEqual([0, []]);
  const isWhole = async () =>
    (await release.pods()).every(({ ready }) => ready) && (await of('api')).length === replicas;
  await expect.poll(isWhole, { timeout: 240_000, interval: 500 }).toBe(true);
});

survivesCrashes(() => ({ cluster, release }));

test('the chart on a real node answers every query and loses no write while it is rolled back', async () => {
  // Without a number: to the one before.
  await underLoad('rollback', () => cluster.helm('rollback', RELEASE, '-n', NAMESPACE, '--wait', '--timeout=300s'));
  await expect.poll(async () => (await release.pods()).every(({ ready }) => ready)).toBe(true);
});

/** Bar: 200 queries and 5 writes a second. A machine that cannot send them in time asks more often afterwards. */
async function underLoad(what: string, work: () => Promise<unknown>): Promise<void> {
  const writes = await startWrites(release, what, { pauseMs: 110, writers: 1 });
  const load = startDnsLoad(release.dns, `www.${ZONE}`, 200);
  const startedAt = performance.now();
  await work().finally(() => Promise.all([load.stop(), writes.stop()]));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { asked, failed, repeated, reasons } = load.count();
  const pace = `${Math.round(asked / seconds)} queries and ${(writes.acknowledged() / seconds).toFixed(1)} writes a second`;
  const lost = `${failed} queries failed, ${repeated} datagrams of ${asked} unanswered, ${writes.doubtful()} writes unanswered, ${writes.busy()} told to come again`;
  process.stdout.write(`${what} in ${Math.round(seconds)} s under ${pace}: ${lost}\n`);
  expect([failed, reasons]).toEqual([0, []]);
  await writes.settle(release.dns);
  expect(writes.acknowledged()).toBeGreaterThan(20);
}

hidesBehindEdges(() => ({ cluster, release }));

test('the chart on a real node is taken out without a finalizer that is stuck, and leaves data and CRDs', async () => {
  // The documented order: first the objects, while the operator is there to see to their finalizers.
  await cluster.kubectl('delete', 'namespace', TEAM_NAMESPACE, '--timeout=180s');
  await cluster.helm('uninstall', RELEASE, '-n', NAMESPACE, '--wait', '--timeout=300s');
  await expect.poll(() => release.pods(), { timeout: 240_000, interval: 500 }).toEqual([]);
  expect(await cluster.kubectl('get', 'crd', '-o', 'name')).toContain('dnszones.zonestead.dev');
  expect(await cluster.kubectl('-n', NAMESPACE, 'get', 'pvc', '-o', 'name')).toMatch(/postgres/);
  expect((await cluster.attempt('kubectl', 'get', 'apiservice', 'v1alpha1.acme.zonestead.dev')).code).toBe(1);
});

followsTheDocuments(() => cluster);

test('the chart on a real node leaves nothing of the node on the machine', async ({ skip }) => {
  const { node } = cluster;
  if (node === undefined) return skip('a cluster that KUBECONFIG names was there before and stays');
  const { cgroup, home, link } = node.marks;
  const running = (await findTraces(node.marks)).join('\n');
  for (const trace of [`folder ${home}`, `interface ${link}`, 'cgroup ', 'process ']) expect(running).toContain(trace);
  expect(running).toContain(cgroup);
  await cluster.stop();
  expect(await findTraces(node.marks)).toEqual([]);
  expect(await machineSettings()).toEqual(settings);
});

/**
 * One pod after the other; an operator and a solver, which neither answer queries nor take writes, with each name
 * server.
 */
function turnsOf(pods: readonly Pod[]): Pod[][] {
  const of = (component: string) => pods.filter((pod) => pod.component === component);
  const [operators, solvers] = [of('operator'), of('solver')];
  const servers = of('nameserver').map((pod, at) => [
    pod,
    ...operators.slice(at, at + 1),
    ...solvers.slice(at, at + 1),
  ]);
  return [...of('api').map((pod) => [pod]), ...servers, ...of('postgres').map((pod) => [pod])];
}

/** Lines of `kubectl auth can-i --list` without those that every account has: resource, names, verbs. */
function ownRights(list: string): string[] {
  return list
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '' && !/^(selfsubject|\[)/.test(line))
    .map((line) => line.replace(/^(\S+) \[\] /, '$1 '))
    .sort();
}

/** The rights of each account in the release's namespace. An account that is not in the list has none. */
const RIGHTS: Record<string, string[]> = {
  api: [],
  nameserver: [],
  postgres: [],
  // Makes Secrets, and reads again those that it makes.
  bootstrap: [
    'secrets [] [create]',
    `secrets [${RELEASE}-api-tls] [get patch]`,
    `secrets [${RELEASE}-database] [get patch]`,
    `secrets [${RELEASE}-encryption] [get patch]`,
    `secrets [${RELEASE}-node-key] [get patch]`,
    `secrets [${RELEASE}-postgres-tls] [get patch]`,
    `secrets [${RELEASE}-secondaries] [get patch]`,
    `secrets [${RELEASE}-session] [get patch]`,
  ],
  // Renews the certificates.
  certificates: [
    'secrets [] [create]',
    `secrets [${RELEASE}-api-tls] [get patch]`,
    `secrets [${RELEASE}-postgres-tls] [get patch]`,
  ],
  operator: [
    'customresourcedefinitions.apiextensions.k8s.io [dnsrecords.zonestead.dev] [get]',
    'customresourcedefinitions.apiextensions.k8s.io [dnszones.zonestead.dev] [get]',
    'dnsrecords.zonestead.dev [] [list watch]',
    'dnsrecords.zonestead.dev/status [] [update]',
    'dnszones.zonestead.dev [] [list watch patch]',
    'dnszones.zonestead.dev/status [] [update]',
    'endpointslices.discovery.k8s.io [] [list watch]',
    'events.events.k8s.io [] [create patch]',
    'leases.coordination.k8s.io [] [create]',
    `leases.coordination.k8s.io [${RELEASE}-operator] [get watch patch]`,
    'namespaces [] [list watch]',
  ],
  solver: [
    'apiservices.apiregistration.k8s.io [v1alpha1.acme.zonestead.dev] [get patch]',
    'challenges.acme.cert-manager.io [] [get list watch]',
    'dnsrecords.zonestead.dev [] [get list watch create delete]',
    'dnszones.zonestead.dev [] [list watch]',
    'events.events.k8s.io [] [create patch]',
    'namespaces [] [list watch]',
    'secrets [] [create]',
    `secrets [${RELEASE}-solver-tls] [get patch]`,
    'subjectaccessreviews.authorization.k8s.io [] [create]',
  ],
};
