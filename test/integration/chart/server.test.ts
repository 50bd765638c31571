// The chart on a real kube-apiserver. The server accepts every set of values without a warning, with pods at the level
// "restricted". With the defaults installed, the accounts of the chart do their work with exactly the rights that the
// chart gives them.
import { randomBytes, X509Certificate } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { bootstrap } from '#cli/jobs/bootstrap.ts';
import { keepCertificates } from '#cli/jobs/certificates.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import { releaseFinalizers } from '#cli/jobs/release.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { serviceHosts } from '#kube/certificates/own-secret.ts';
import { createManager } from '#kube/controller/manager.ts';
import { createKubeMetrics } from '#kube/metrics.ts';
import { readSecret, SECRET } from '#kube/objects/secrets.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { ownCertificate } from '#solver/own-serving.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createTokenVerifier } from '#tokens/verifier.ts';
import { parseObjects, template } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';
import { dropDatabase } from '../../support/postgres/database.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const MINUTE_MS = 60_000;
const SECRETS = [
  ...['zonestead-database', 'zonestead-session', 'zonestead-node-key', 'zonestead-api-tls', 'zonestead-encryption'],
];
const { signal } = new AbortController();
const namespace = 'zonestead';
const log = createLogger({ name: 'test', level: 'silent' });
let cluster: ChartCluster;

beforeAll(async () => {
  cluster = await startChartCluster();
}, 20 * MINUTE_MS);
afterAll(async () => cluster?.stop());

/** The API server refuses the Secret with these words. A policy takes effect a short time after its creation. */
const refusesToCreate = (api: KubeApi, draft: { metadata: { name: string; namespace: string } }, words: string) =>
  expect
    .poll(() => api.create(SECRET, draft, signal).catch((error) => String(error)), { timeout: 60_000 })
    .toContain(words);

const APPLY = ['apply', '--server-side', '--field-manager=helm', '--force-conflicts'];

test.each(Object.entries(VALUE_SETS))(
  '%s: the server accepts every object without a warning',
  async (_what, values) => {
    const { text } = await template(values);
    // The server refuses a Pod whose ServiceAccount does not exist, and a dry run creates none.
    const accounts = parseObjects(text).filter(({ kind }) => kind === 'ServiceAccount');
    const items = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: accounts });
    await cluster.kubectl(...APPLY, '-f', await cluster.file(items));
    const { ok, words } = await cluster.kubectl(...APPLY, '--dry-run=server', '-f', await cluster.file(text));
    expect(words.split('\n').filter((line) => !line.endsWith('serverside-applied (server dry run)'))).toEqual([]);
    expect(ok).toBe(true);
  },
);

test('plain manifests: the server accepts every object without a warning', async () => {
  const folder = new URL('../../../deploy/manifests', import.meta.url).pathname;
  const { ok, words } = await cluster.kubectl(...APPLY, '--dry-run=server', '-k', folder);
  expect(words).not.toMatch(/warning:|error/i);
  expect(ok).toBe(true);
});

describe('installed with the defaults', () => {
  const database = `test_${randomBytes(6).toString('hex')}`;
  const { adminUrl, service } = inject('postgres');
  const admin = new URL(adminUrl);
  const given = {
    'postgres-password': decodeURIComponent(admin.password),
    'service-password': service.password,
  };
  /** As the chart writes it. */
  const OPERATOR = {
    ...{ name: 'operator', audience: 'zonestead', records: 'write', manageZones: 'write' },
    match: { 'kubernetes.io': { namespace, serviceaccount: { name: 'zonestead-operator' } } },
  };
  const options = bootstrapOptions({
    database: 'builtin',
    databaseSecret: 'zonestead-database',
    databaseHost: admin.host,
    databaseName: database,
    givenSecret: 'passwords',
    urlKey: 'uri',
    trusts: JSON.stringify([OPERATOR]),
    trustsOf: 'zonestead/zonestead',
    nodeKeySecret: 'zonestead-node-key',
    sessionSecret: 'zonestead-session',
    encryptionSecret: 'zonestead-encryption',
    certificate: ['zonestead-api-tls=zonestead-api.zonestead.svc', 'zonestead-postgres-tls=postgres'],
    team: 'platform',
    rotation: '',
    labels: 'app.kubernetes.io/instance=zonestead',
    timeout: '20',
  });

  beforeAll(async () => {
    const values = { database: { builtin: { existingSecret: 'passwords' } } };
    const { text } = await template(values);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'passwords', namespace }, stringData: given };
    const installed = await cluster.kubectl(
      ...APPLY,
      '-f',
      await cluster.file(`${text}\n---\n${JSON.stringify(secret)}`),
    );
    if (!installed.ok) throw new Error(installed.words);
  });
  afterAll(async () => dropDatabase(adminUrl, database));

  test('installed with the defaults, the bootstrap creates Secrets, database, team, trust and key with its own rights, and changes nothing the second time', async () => {
    const { api, request } = await cluster.as('zonestead-bootstrap');
    const around = { api, request, namespace, clock: realClock, log };
    const secret = async (name: string) => (await readSecret(api, { namespace, name }, signal))?.texts ?? {};
    await bootstrap(options, around, signal);
    const made = await api.get(SECRET, { namespace, name: 'zonestead-node-key' }, signal);
    expect(made.metadata.labels).toEqual({ 'app.kubernetes.io/instance': 'zonestead' });

    const { uri = '' } = await secret('zonestead-database');
    const sql = postgres(uri, { max: 1, onnotice: () => undefined });
    const trusts = () =>
      sql`select name, issuer, key_source as "keySource", records, manage_zones as "manageZones" from trusts`;
    try {
      expect(await sql`select * from zones`).toHaveLength(0);
      // The issuer is that of real tokens of the cluster.
      const rights = { records: 'write', manageZones: 'write' };
      const [, claims = ''] = (await cluster.token('zonestead-operator', 'zonestead')).split('.');
      const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      const trust = { name: 'operator (zonestead/zonestead)', issuer: iss, keySource: { kind: 'cluster' }, ...rights };
      expect(await trusts()).toEqual([trust]);
      const before = await Promise.all(SECRETS.map(secret));
      expect(before[1]?.sessionKey).toMatch(/^[0-9a-f]{64}$/);
      expect(before[4]?.encryptionKeys).toMatch(/^k[0-9a-f]{8}:[\w+/]{43}=$/);
      expect(before[2]?.nodeKey).toMatch(/^yn_\w+$/);
      await bootstrap(options, around, signal);
      expect(await Promise.all(SECRETS.map(secret))).toEqual(before);
      expect(await trusts()).toEqual([trust]);
    } finally {
      await sql.end();
    }
  });

  test('installed with the defaults, the CronJob renews the certificates of the api and of Postgres with its own rights, which reach no other Secret', async () => {
    const { api } = await cluster.as('zonestead-certificates');
    const names = ['zonestead-api-tls', 'zonestead-postgres-tls'] as const;
    const secret = async (name: string) => (await readSecret(api, { namespace, name }, signal))?.texts ?? {};
    const renew = (days: number) =>
      keepCertificates(options, { api, namespace, log }, signal, new Date(Date.now() + days * 24 * 60 * MINUTE_MS));
    const before = await Promise.all(names.map(secret));
    await renew(1);
    expect(await Promise.all(names.map(secret))).toEqual(before);
    await renew(61);
    for (const [at, name] of names.entries()) {
      const renewed = await secret(name);
      expect(renewed['ca.crt']).toBe(before[at]?.['ca.crt']);
      expect(renewed['tls.crt']).not.toBe(before[at]?.['tls.crt']);
    }
    for (const name of ['zonestead-database', 'zonestead-session', 'zonestead-node-key', 'zonestead-encryption'])
      await expect(secret(name)).rejects.toThrow(/forbidden/);
    const draft = { metadata: { name: 'any', namespace }, data: {} };
    await refusesToCreate(api, draft, 'may create the Secrets of its Zonestead release');
  });

  test('installed with the defaults, the api verifies tokens of the cluster with its own rights, and no others', async () => {
    const { request } = await cluster.as('zonestead-api');
    const verifier = createTokenVerifier({ log, metrics: createMetrics(), cluster: request });
    const token = await cluster.token('zonestead-operator', 'zonestead');
    const { iss } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const keySource = { kind: 'cluster' } as const;
    const issuer = { issuer: iss, audience: 'zonestead', keySource, maxAgeS: 3_600, privateAddresses: false };
    expect(await verifier.verify(token, issuer, signal)).toMatchObject({
      ok: true,
      token: { subject: 'system:serviceaccount:zonestead:zonestead-operator' },
    });
    const forOthers = await cluster.token('zonestead-operator', 'other');
    expect(await verifier.verify(forOthers, issuer, signal)).toMatchObject({ problem: { code: 'audience' } });
    const forged = `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(342)}`;
    expect(await verifier.verify(forged, issuer, signal)).toMatchObject({ problem: { code: 'signature' } });
  });

  test.each([
    ['bootstrap', 'zonestead-solver-tls', 'Opaque', 'its Zonestead release only'],
    ['bootstrap', 'somebody-else', 'Opaque', 'its Zonestead release only'],
    ['solver', 'zonestead-node-key', 'Opaque', 'its Zonestead release only'],
    ['solver', 'zonestead-solver-tls', 'kubernetes.io/service-account-token', 'type Opaque'],
  ])(
    'installed with the defaults, the account of %s cannot create Secret %s of type %s',
    async (component, name, type, words) => {
      const { api } = await cluster.as(`zonestead-${component}`);
      const annotations = { 'kubernetes.io/service-account.name': 'zonestead-api' };
      const draft = { metadata: { namespace, name, annotations }, type };
      await refusesToCreate(api, draft, words);
    },
  );

  test('installed with the defaults, the policy for Secrets does not apply to another account', async () => {
    const { ok, words } = await cluster.kubectl(
      'create',
      'secret',
      'generic',
      'free',
      '-n',
      namespace,
      '--from-literal=a=b',
    );
    expect([ok, words]).toEqual([true, expect.any(String)]);
  });

  test('installed with the defaults, the bootstrap logs each missing part once, and fails after its time limit', async () => {
    const { api, request } = await cluster.as('zonestead-bootstrap');
    const lines: string[] = [];
    const telling = createLogger({ name: 'bootstrap', destination: { write: (line) => lines.push(line) } });
    const missing = { ...options, databaseSecret: 'zonestead-database', givenSecret: 'nowhere', timeout: 3 };
    const around = { api, request, namespace, clock: realClock, log: telling };
    // It has rights for the Secrets of the release only.
    await expect(bootstrap(missing, around, signal)).rejects.toThrow(/timed out waiting: .*nowhere/);
    expect(lines.filter((line) => line.includes('waiting:'))).toHaveLength(1);
  });

  test('installed with the defaults, the solver keeps a certificate that its APIService trusts, with its own rights', async () => {
    const { api } = await cluster.as('zonestead-solver');
    const hosts = serviceHosts('zonestead-solver', namespace);
    const own = { api, at: { namespace, name: 'zonestead-solver-tls' }, hosts, now: () => new Date() };
    const { certificate } = await ownCertificate(own, signal);
    const { out } = await cluster.kubectl('get', 'apiservice', 'v1alpha1.acme.zonestead.dev', '-o', 'json');
    const bundle = Buffer.from(JSON.parse(out).spec.caBundle, 'base64').toString();
    expect(new X509Certificate(certificate).verify(new X509Certificate(bundle).publicKey)).toBe(true);
    expect((await ownCertificate(own, signal)).certificate).toBe(certificate);

    // An upgrade does not remove the field again.
    const { text } = await template({ database: { builtin: { existingSecret: 'passwords' } } });
    expect((await cluster.kubectl(...APPLY, '-f', await cluster.file(text))).ok).toBe(true);
    const after = await cluster.kubectl('get', 'apiservice', 'v1alpha1.acme.zonestead.dev', '-o', 'json');
    expect(JSON.parse(after.out).spec.caBundle).toBe(JSON.parse(out).spec.caBundle);
  });

  test.each(['quickstart', 'tenancy', 'alias', 'gitops/argocd', 'gitops/flux'])(
    'a server with the chart installed with the defaults takes deploy/examples/%s.yaml',
    async (name) => {
      const file = new URL(`../../../deploy/examples/${name}.yaml`, import.meta.url).pathname;
      const { ok, words } = await cluster.kubectl('apply', '--server-side', '-f', file);
      expect(words).not.toMatch(/error|Warning: unknown/i);
      expect(ok).toBe(true);
    },
  );

  test('installed with the defaults, an operator for some namespaces works there, with rights in these only', async () => {
    const { text } = await template(VALUE_SETS['the second release of a cluster'] ?? {}, { release: 'second' });
    expect((await cluster.kubectl(...APPLY, '-f', await cluster.file(text))).ok).toBe(true);
    const zone = (name: string, where: string) => ({
      apiVersion: 'zonestead.dev/v1alpha1',
      kind: 'DNSZone',
      metadata: { name, namespace: where },
      spec: { zoneName: `${name}.example` },
    });
    const put = async (object: object) =>
      expect((await cluster.kubectl('apply', '-f', await cluster.file(JSON.stringify(object)))).ok).toBe(true);
    await put(zone('early', 'team-a'));
    await put(zone('foreign', 'elsewhere'));
    const { api } = await cluster.as('second-zonestead-operator');
    await expect(api.list(DNS_ZONE, {}, signal)).rejects.toMatchObject({ status: 403 });
    const metrics = createMetrics();
    const manager = createManager({ api, log, metrics, kubeMetrics: createKubeMetrics(metrics) });
    const zones = manager.cache<DNSZone>(DNS_ZONE, { namespaces: ['team-a', 'team-b'] });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    try {
      await expect.poll(() => zones.keys()).toEqual(['team-a/early']);
      await put(zone('late', 'team-b'));
      await expect.poll(() => zones.keys().sort()).toEqual(['team-a/early', 'team-b/late']);
    } finally {
      stop.abort();
      await running;
    }
  });

  test('installed with the defaults before an uninstall, the hook removes the finalizers with its own rights', async () => {
    const zone = {
      apiVersion: 'zonestead.dev/v1alpha1',
      kind: 'DNSZone',
      metadata: { name: 'held', namespace: 'team-a', finalizers: ['zonestead.dev/dns'] },
      spec: { zoneName: 'held.example' },
    };
    expect((await cluster.kubectl('apply', '-f', await cluster.file(JSON.stringify(zone)))).words).toContain('created');
    const { api } = await cluster.as('zonestead-uninstall');
    const workload: [string, string] = ['deployment', 'zonestead-operator'];
    const asked = { workload, pods: 'app.kubernetes.io/component=operator', timeout: 5 };
    await releaseFinalizers(asked, { api, namespace, clock: realClock, log }, signal);
    const { out } = await cluster.kubectl(
      'get',
      'dnszone',
      'held',
      '-n',
      'team-a',
      '-o',
      'jsonpath={.metadata.finalizers}',
    );
    expect(out).toBe('');
    const operator = await cluster.kubectl(
      'get',
      'deployment',
      'zonestead-operator',
      '-n',
      namespace,
      '-o',
      'jsonpath={.spec.replicas}',
    );
    expect(operator.out).toBe('0');
  });

  test.each([
    ['api', []],
    ['nameserver', []],
    ['postgres', []],
    [
      'bootstrap',
      [
        'secrets [create]',
        'secrets passwords [get]',
        'secrets zonestead-api-tls [get patch]',
        'secrets zonestead-database [get patch]',
        'secrets zonestead-encryption [get patch]',
        'secrets zonestead-node-key [get patch]',
        'secrets zonestead-postgres-tls [get patch]',
        'secrets zonestead-secondaries [get patch]',
        'secrets zonestead-session [get patch]',
      ],
    ],
    [
      'certificates',
      ['secrets [create]', 'secrets zonestead-api-tls [get patch]', 'secrets zonestead-postgres-tls [get patch]'],
    ],
    [
      'operator',
      [
        'customresourcedefinitions.apiextensions.k8s.io dnsrecords.zonestead.dev [get]',
        'customresourcedefinitions.apiextensions.k8s.io dnszones.zonestead.dev [get]',
        'dnsrecords.zonestead.dev [list watch]',
        'dnsrecords.zonestead.dev/status [update]',
        'dnszones.zonestead.dev [list watch patch]',
        'dnszones.zonestead.dev/status [update]',
        'endpointslices.discovery.k8s.io [list watch]',
        'events.events.k8s.io [create patch]',
        'leases.coordination.k8s.io [create]',
        'leases.coordination.k8s.io zonestead-operator [get watch patch]',
        'namespaces [list watch]',
      ],
    ],
    [
      'solver',
      [
        'apiservices.apiregistration.k8s.io v1alpha1.acme.zonestead.dev [get patch]',
        'challenges.acme.cert-manager.io [get list watch]',
        'dnsrecords.zonestead.dev [get list watch create delete]',
        'dnszones.zonestead.dev [list watch]',
        'events.events.k8s.io [create patch]',
        'namespaces [list watch]',
        'secrets [create]',
        'secrets zonestead-solver-tls [get patch]',
        'subjectaccessreviews.authorization.k8s.io [create]',
      ],
    ],
  ])(
    'installed with the defaults, the account of %s has exactly the rights that it needs',
    async (component, wanted) => {
      const [own, nobodys] = await Promise.all([rightsOf(`zonestead-${component}`), rightsOf('nobody')]);
      expect(own.filter((right) => !nobodys.includes(right))).toEqual(wanted);
    },
  );
});

/** `kubectl auth can-i --list` as lines `resource names [verbs]`, sorted. */
async function rightsOf(account: string): Promise<string[]> {
  const who = `--as=system:serviceaccount:${namespace}:${account}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const { out } = await cluster.kubectl(
    'auth',
    'can-i',
    '--list',
    '--no-headers',
    '-n',
    namespace,
    who,
    ...groups.map((group) => `--as-group=${group}`),
  );
  const lines = out.split('\n').flatMap((line) => {
    const [, resource = '', , names = '', verbs = ''] =
      /^(\S*)\s+\[(.*?)\]\s+\[(.*?)\]\s+\[(.*?)\]$/.exec(line.trim()) ?? [];
    return resource === ''
      ? []
      : [`${resource}${names === '' ? '' : ` ${names.split(' ').sort().join(',')}`} [${verbs}]`];
  });
  return lines.sort();
}
