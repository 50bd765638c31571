// Profile small on a real node of both families: one pod of 512 MiB, used, and made an installation for production
// without a lost query.
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatHostPort } from '#base/address.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openCluster, type TestCluster } from '../../support/kubelet/cluster.ts';
import { type DnsLoad, startDnsLoad } from '../../support/kubelet/dns-load.ts';
import { measureMemory } from '../../support/kubelet/memory.ts';
import { CHART, installRelease, NAMESPACE, RELEASE, type Release } from '../../support/kubelet/release.ts';
import { issuesCertificate } from './certificate.ts';
import { answersOverBothFamilies, feedsSecondaryOverIpv6, type Served, writesOverBothFamilies } from './families.ts';

const ZONE = 'small.example';
const LIMIT_MIB = 512;
const NAMES = ['ns1.small.example', 'ns2.small.example'];
const WORKLOAD = `statefulset/${RELEASE}-nameserver`;
const record = (name: string, content = '192.0.2.10') => ({
  apiVersion: 'zonestead.dev/v1alpha1',
  kind: 'DNSRecord',
  metadata: { name, namespace: 'default' },
  spec: { zoneRef: { name: 'small' }, name, type: 'A', content },
});
const objects = [
  {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSZone',
    metadata: { name: 'small', namespace: 'default' },
    spec: { zoneName: ZONE },
  },
  record('www'),
];
const served: Served = { zone: ZONE, name: `www.${ZONE}`, answer: `www.${ZONE} 3600 A 192.0.2.10` };

let cluster: TestCluster;
let release: Release;
let installedAt = 0;
let folder = '';
const [install, upgrade, check, removal] = await scenario('small');

/** A cluster that KUBECONFIG names can have the chart already, and has containers that are not on this machine. */
const onOwnNode = test.skipIf((process.env.KUBECONFIG ?? '') !== '');

beforeAll(async () => {
  cluster = await openCluster([4, 6]);
  if (cluster.node === undefined) return;
  installedAt = performance.now();
  folder = await mkdtemp(join(tmpdir(), 'zonestead-small-'));
  release = await installRelease(cluster, { words: wordsOf(install), workload: WORKLOAD });
});
afterAll(async () => {
  if (folder !== '') await rm(folder, { recursive: true, force: true });
  await release?.close();
  await cluster?.stop();
});

/** A command of a page without its program, with the files of this test. */
function wordsOf(step: { text: string } | undefined): string[] {
  const files: Record<string, string> = {
    'charts/zonestead': CHART,
    'production.yaml': join(folder, 'production.yaml'),
  };
  const words = (step?.text ?? '').split(/\s+/).slice(1);
  return words.map((word) => files[word] ?? word);
}

/** Writes down the memory of each container, and that none was started again, for instance by the kernel. */
async function tellMemory(when: string): Promise<void> {
  const [pod] = await release.pods();
  if (pod === undefined || cluster.node === undefined) throw new Error('no pod');
  const measured = await measureMemory(cluster.node, pod.containers);
  const parts = Object.entries(measured).map(([name, { used, peak }]) => `${name} ${used} (${peak})`);
  const total = Object.values(measured).reduce((sum, { used }) => sum + used, 0);
  process.stdout.write(`memory ${when}: ${total} MiB: ${parts.join(', ')}\n`);
  expect(total).toBeLessThan(LIMIT_MIB);
  expect(pod.containers.filter(({ restarts }) => restarts > 0)).toEqual([]);
  expect(Object.entries(measured).filter(([, { kills }]) => kills > 0)).toEqual([]);
}

onOwnNode(
  'profile small on a real node is one pod of at most 512 MiB that answers for a zone after one command',
  async () => {
    await release.apply(objects);
    const answers = async () => (await release.dns.lookup(`www.${ZONE}`, 'A')).answers;
    const limits = { timeout: 240_000, interval: 100 };
    await expect.poll(() => answers().catch(() => []), limits).toEqual([served.answer]);
    // Bar: 25 s on two quiet cores.
    const seconds = Math.round((performance.now() - installedAt) / 100) / 10;
    process.stdout.write(`helm install with profile small to the first answer: ${seconds} s\n`);
    await cluster.kubectl('wait', '--for=condition=Ready', 'dnsrecord/www', '--timeout=180s');
    const states = () => cluster.kubectl('-n', NAMESPACE, 'get', 'pods', '-o=jsonpath={.items[*].status.phase}');
    await expect.poll(states, limits).toMatch(/^(Running Succeeded|Succeeded Running)$/);
    const path = '-o=jsonpath={.items[*].spec.containers[*].resources.limits.memory}';
    const given = await cluster.kubectl('-n', NAMESPACE, 'get', 'pods', '--field-selector=status.phase=Running', path);
    const total = given.split(' ').reduce((sum, limit) => sum + Number(/^(\d+)Mi$/.exec(limit)?.[1]), 0);
    expect(given.split(' ')).toHaveLength(6);
    expect(total).toBeLessThanOrEqual(LIMIT_MIB);
    expect((await release.dns.delv(ZONE, `www.${ZONE}`, 'A')).state).toBe('secure');
    await tellMemory('after the start');
  },
);

onOwnNode('profile small on a real node passes its own tests, and gives out keys', async () => {
  expect(await cluster.helm(...wordsOf(check), '--timeout=300s')).toMatch(/Phase: +Succeeded/);
  const { key, teamId } = await release.mintKey('small-team');
  await tellMemory('after a command in the pod');
  const request = release.requests(key);
  const { body } = await request('POST', '/zones', { zoneName: 'many.example', owner: `org:${teamId}` });
  const changes = Array.from({ length: 1_000 }, (_, index) => ({
    action: 'create',
    record: { name: `r${index}`, type: 'A', content: '192.0.2.1' },
  }));
  const written = await request('POST', `/zones/${body.id}/records:batch`, { changes });
  expect(written.status, JSON.stringify(written.body)).toBe(200);
  await expect.poll(async () => (await release.dns.lookup('r999.many.example', 'A')).answers).toHaveLength(1);
  await tellMemory('with 1,000 records');
});

onOwnNode(
  'profile small on a real node answers, takes changes and sends transfers over IPv4 and over IPv6',
  async () => {
    await answersOverBothFamilies(release, served);
    await writesOverBothFamilies(release);
    const change = (content: string) => release.apply([record('www', content)]);
    await feedsSecondaryOverIpv6(cluster, release, { served, change });
    await tellMemory('after a secondary');
  },
);

onOwnNode('profile small on a real node gets a Certificate through cert-manager', async () => {
  await issuesCertificate(cluster, release);
  await tellMemory('after a certificate');
});

onOwnNode('profile small on a real node becomes profile production without a lost query of either family', async () => {
  const addresses = await release.serviceAddresses(`${RELEASE}-dns`);
  const loads = addresses.map((address) => startDnsLoad({ address, port: 53 }, `www.${ZONE}`, 25));
  try {
    await becomeProduction(addresses);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  for (const load of loads) tellLoad(load);
  await answersOverBothFamilies(release, served);
  await release.apply([record('later')]);
  await cluster.kubectl('wait', '--for=condition=Ready', 'dnsrecord/later', 'dnsrecord/www', '--timeout=180s');
  expect((await release.dns.delv(ZONE, `later.${ZONE}`, 'A')).state).toBe('secure');
  expect((await release.dns.lookup('r999.many.example', 'A')).answers).toHaveLength(1);
  expect(await cluster.helm(...wordsOf(check), '--timeout=300s')).toMatch(/Phase: +Succeeded/);
  expect(await cluster.kubectl(...wordsOf(removal))).toContain('deleted');
});

function tellLoad(load: DnsLoad): void {
  const { asked, failed, repeated, reasons } = load.count();
  process.stdout.write(
    `small to production: ${failed} of ${asked} queries failed, ${repeated} datagrams unanswered ${reasons}\n`,
  );
  expect([failed, reasons]).toEqual([0, []]);
}

/** docs/how-to/from-small-to-production.md, with a copy of the files in place of pg_dump, which the images lack. */
async function becomeProduction(addresses: readonly string[]): Promise<void> {
  const kubectl = (...args: string[]) => cluster.kubectl('-n', NAMESPACE, ...args);
  const keyBefore = await release.dns.lookup(ZONE, 'DNSKEY');
  await copyDatabase();
  const values = {
    ...{ profile: 'production', nameservers: NAMES, ipFamilyPolicy: 'RequireDualStack' },
    // No public DNS has these names. The operator proves each record over one family by the first, over the other one
    // by the second.
    operator: {
      nameserverAddresses: Object.fromEntries(NAMES.map((name, at) => [name, formatHostPort(addresses[at] ?? '', 53)])),
    },
    // This Postgres has no certificate, and this cluster no Prometheus Operator.
    providedElsewhere: ['tls', 'monitoring'],
    database: {
      mode: 'external',
      external: { existingSecret: 'moved', failsOver: true, tls: { unverified: 'allow' } },
    },
    monitoring: { serviceMonitor: { enabled: false }, prometheusRule: { enabled: false } },
  };
  await writeFile(join(folder, 'production.yaml'), JSON.stringify(values));
  await cluster.helm(...wordsOf(upgrade));
  const counts = async () =>
    Map.groupBy(
      (await release.pods()).filter(({ ready }) => ready),
      ({ component }) => component,
    )
      .entries()
      .map(([name, pods]) => `${name} ${pods.length} ${pods.map(({ containers }) => containers.length)}`)
      .toArray()
      .sort();
  const wanted = ['api 2 1,1', 'nameserver 2 2,2', 'operator 2 1,1', 'solver 2 1,1'];
  await expect.poll(counts, { timeout: 240_000, interval: 500 }).toEqual(wanted);
  expect((await release.dns.lookup(ZONE, 'DNSKEY')).answers.sort()).toEqual(keyBefore.answers.sort());
  expect(await kubectl('get', 'pvc', '-o', 'name')).toMatch(/zonestead-database/);
}

/** Changes are refused from here on. Then a Postgres with the same data is in a pod of another namespace. */
async function copyDatabase(): Promise<void> {
  const password = (key: string) =>
    cluster.kubectl('-n', NAMESPACE, 'get', 'secret', `${RELEASE}-database`, `-o=jsonpath={.data.${key}}`);
  const secret = Buffer.from(await password('postgres-password'), 'base64').toString();
  const { default: postgres } = await import('postgres');
  const host = await release.serviceAddress(`${RELEASE}-postgres`);
  const sql = postgres({
    host,
    user: 'postgres',
    password: secret,
    database: 'postgres',
    ssl: { rejectUnauthorized: false },
    max: 1,
  });
  await sql.unsafe('alter database zonestead set default_transaction_read_only = on');
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'zonestead'`;
  await sql`checkpoint`;
  await sql.end();
  const volume = await cluster.kubectl(
    '-n',
    NAMESPACE,
    'get',
    'pvc',
    `${RELEASE}-database`,
    '-o=jsonpath={.spec.volumeName}',
  );
  const from = await cluster.kubectl('get', 'pv', volume, '-o=jsonpath={.spec.local.path}');
  const copy = `${from}-moved`;
  await promisify(execFile)('cp', ['-a', from, copy]);
  // The data folder of the image takes connections from other machines with TLS only.
  await appendFile(join(copy, 'pgdata/pg_hba.conf'), 'host all all all scram-sha-256\n');
  await startCopy(copy, secret);
}

/** In a namespace of its own, where a pod may have a folder of the node. The Service has the address of the Secret. */
async function startCopy(folder: string, password: string): Promise<void> {
  const labels = { app: 'postgres' };
  const url = await cluster.kubectl('-n', NAMESPACE, 'get', 'secret', `${RELEASE}-database`, '-o=jsonpath={.data.uri}');
  const address = new URL(Buffer.from(url, 'base64').toString());
  address.hostname = 'postgres.moved.svc';
  address.search = '?sslmode=disable';
  const container = {
    ...{ name: 'postgres', image: 'zonestead/postgres:18' },
    env: [{ name: 'PGDATA', value: '/var/lib/postgresql/data/pgdata' }],
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/postgresql/data' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
  };
  const volumes = [
    { name: 'data', hostPath: { path: folder } },
    { name: 'tmp', emptyDir: {} },
  ];
  const metadata = { name: 'postgres', namespace: 'moved', labels };
  await release.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'moved' } },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container], volumes } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 5432 }] } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'moved', namespace: NAMESPACE },
      stringData: { uri: `${address}` },
    },
  ]);
  await cluster.kubectl('-n', 'moved', 'wait', '--for=condition=Ready', 'pod/postgres', '--timeout=120s');
  const { default: postgres } = await import('postgres');
  const host = await cluster.kubectl('-n', 'moved', 'get', 'service', 'postgres', '-o=jsonpath={.spec.clusterIP}');
  const sql = postgres({ host, user: 'postgres', password, database: 'postgres', max: 1 });
  // Its files are those of a server that was killed, so it recovers first.
  const again = () => sql.unsafe('alter database zonestead reset default_transaction_read_only').then(() => 'done');
  await expect.poll(() => again().catch(String), { timeout: 120_000, interval: 500 }).toBe('done');
  await sql.end();
}
