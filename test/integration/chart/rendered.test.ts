// The chart as Helm renders it: many sets of values, rejected values, names, and generated files. The tests need no
// cluster.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderedManifests } from '../../../charts/tools/chart.ts';
import { RULE_FILES, readRules } from '../../support/chart/alerts.ts';
import { CHART, helm, one, parseObjects, type Rendered, render, template } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';
import { WRONG_VALUES } from '../../support/chart/wrong-values.ts';
import { findings } from './chart-rules.support.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const keyOf = ({ kind, metadata }: Rendered) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
/** Cluster-scoped objects whose names have another form. */
const CLUSTER_WIDE = new Set([
  ...['CustomResourceDefinition', 'APIService'],
  // Their names are DNS names, which contain no colon.
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
]);
// biome-ignore lint/suspicious/noExplicitAny: the contents of YAML have no type.
const container = (objects: Rendered[], kind: string, name: string): any =>
  one(objects, kind, name).spec.template.spec.containers[0];
const env = (objects: Rendered[], kind: string, name: string) =>
  Object.fromEntries(
    container(objects, kind, name).env.map((each: { name: string; value: string }) => [each.name, each.value]),
  );

const oidc = { issuer: 'https://login.example.net:8444/realm', clientId: 'zonestead' };

test('helm lint finds nothing with the defaults', async () => {
  const words = expect.stringContaining('0 chart(s) failed');
  expect(await helm('lint', '--strict', CHART)).toMatchObject({ ok: true, words });
});

describe.each(Object.entries(VALUE_SETS))('%s', (title, values) => {
  test(`${title} renders objects whose references match`, async () => {
    const objects = await render(values);
    expect(objects.length).toBeGreaterThan(6);
    expect(findings(objects)).toEqual([]);
  });
});

test('the chart renders the same objects each time, without random parts', async () => {
  expect(await template({})).toEqual(await template({}));
});

test.each(WRONG_VALUES)('the chart rejects %j and names the accepted values', async (values, words) => {
  expect(await template(values)).toMatchObject({ ok: false, text: expect.stringMatching(words) });
});

test('the chart rejects a cluster that is too old, and accepts the versions of cloud providers', async () => {
  expect((await template({}, { kubeVersion: 'v1.30.9' })).text).toContain('>=1.31.0-0');
  expect((await template({}, { kubeVersion: 'v1.31.1-gke.100' })).ok).toBe(true);
});

test('the chart works as a part of another chart, with the global values of its parent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-parent-'));
  try {
    await mkdir(join(folder, 'charts'));
    await cp(CHART, join(folder, 'charts', 'zonestead'), { recursive: true });
    const dependencies = [{ name: 'zonestead', version: '0.1.0', condition: 'zonestead.enabled' }];
    await writeFile(
      join(folder, 'Chart.yaml'),
      JSON.stringify({ apiVersion: 'v2', name: 'parent', version: '1.0.0', dependencies }),
    );
    const global = { imageRegistry: 'mirror.example', somethingOfTheParent: { a: 1 } };
    const objects = await render({ global, zonestead: { enabled: true, api: { replicaCount: 3 } } }, { chart: folder });
    expect(one(objects, 'Deployment', 'zonestead-api').spec.replicas).toBe(3);
    expect(container(objects, 'Deployment', 'zonestead-api').image).toBe('mirror.example/zonestead/zonestead:0.1.0');
    expect(await render({ zonestead: { enabled: false } }, { chart: folder })).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the chart has network policies that open the outside ports in the values of each component', async () => {
  const bundle = { kind: 'jwks', url: 'https://bundle.example.net:7443' };
  const objects = await render({
    networkPolicy: { enabled: true },
    api: { resolvers: ['192.0.2.1:5300', '192.0.2.2:53'], console: { url: 'https://dns.example.net', oidc } },
    tracing: { endpoint: 'http://collector:4318' },
    trusts: {
      list: [
        { name: 'login', issuer: 'https://login.example.net:9443', match: { sub: 'robot' } },
        { name: 'workloads', issuer: 'spiffe://example.net', match: { sub: 'a' }, keySource: bundle },
      ],
    },
  });
  const ports = (component: string): number[] => {
    const { egress } = one(objects, 'NetworkPolicy', `zonestead-${component}`).spec;
    return egress.flatMap((rule: Rendered) => rule.ports.map(({ port }: { port: number }) => port));
  };
  expect(ports('api')).toEqual(expect.arrayContaining([53, 5300, 8444, 4318, 9443, 7443]));
  expect(ports('operator')).toContain(4318);
  for (const other of [5300, 8444, 9443, 7443]) expect(ports('operator')).not.toContain(other);
  expect(ports('bootstrap')).not.toContain(4318);
});

describe('the feed', () => {
  /** The Secret and the keys that a volume has. */
  const mounted = (objects: Rendered[], kind: string, name: string, volume: string) => {
    const { volumes } = one(objects, kind, name).spec.template.spec;
    const secret = volumes.find((each: Rendered) => each.name === volume)?.secret;
    return secret && [secret.secretName, secret.items.map(({ key }: { key: string }) => key)];
  };
  const feed = (objects: Rendered[]) => [
    one(objects, 'StatefulSet', 'zonestead-nameserver').spec.template.spec.containers[1].env.find(
      ({ name }: { name: string }) => name === 'ZONESTEAD_FEED_URL',
    ).value,
    mounted(objects, 'StatefulSet', 'zonestead-nameserver', 'feed-ca'),
    mounted(objects, 'Deployment', 'zonestead-api', 'tls'),
  ];

  test('the feed is HTTPS: the api mounts its certificate, and the name servers mount only the authority', async () => {
    const objects = await render({});
    const keys = ['tls.crt', 'tls.key'];
    expect(feed(objects)).toEqual([
      'https://zonestead-api.zonestead.svc:443',
      ['zonestead-api-tls', ['ca.crt']],
      ['zonestead-api-tls', keys],
    ]);
    const renewal = one(objects, 'CronJob', 'zonestead-certificates').spec.jobTemplate.spec.template.spec;
    const { args } = objects.find(({ kind }) => kind === 'Job')?.spec.template.spec.containers[0] ?? {};
    const certificates = (from: string[]) => from.filter((each) => each.startsWith('--certificate='));
    expect(certificates(args)).toEqual([
      expect.stringMatching(/^--certificate=zonestead-api-tls=zonestead-api\.zonestead\.svc,/),
      expect.stringMatching(/^--certificate=zonestead-postgres-tls=zonestead-postgres\.zonestead\.svc,/),
    ]);
    expect(certificates(renewal.containers[0].args)).toEqual(certificates(args));
    expect(renewal.serviceAccountName).toBe('zonestead-certificates');
    const given = await render({
      api: { tls: { existingSecret: 'own' } },
      database: { mode: 'external', external: { existingSecret: 'postgres' } },
    });
    expect(feed(given).slice(1)).toEqual([
      ['own', ['ca.crt']],
      ['own', keys],
    ]);
    expect(given.filter(({ kind }) => kind === 'CronJob')).toEqual([]);
  });

  test('the feed turns the PowerDNS API off only if the values say so', async () => {
    const settings = async (values: Parameters<typeof render>[0]) =>
      env(await render(values), 'Deployment', 'zonestead-api');
    expect((await settings({})).ZONESTEAD_PDNS_API).toBe(undefined);
    expect((await settings({ api: { powerdnsApi: false } })).ZONESTEAD_PDNS_API).toBe('off');
  });

  test('the feed is not encrypted only if the values say so, and an address of another api has its own authority', async () => {
    const off = await render({ api: { tls: { enabled: false } } });
    expect(feed(off)).toEqual(['http://zonestead-api.zonestead.svc:80', undefined, undefined]);
    expect(env(off, 'Deployment', 'zonestead-api').ZONESTEAD_FEED_WITHOUT_TLS).toBe('allow');
    expect(env(await render({}), 'Deployment', 'zonestead-api').ZONESTEAD_FEED_WITHOUT_TLS).toBe(undefined);
    const nodeKey = { existingSecret: 'node-key' };
    const other = { feed: { url: 'https://dns.example.net' }, nodeKey };
    expect(feed(await render({ nameserver: other })).slice(0, 2)).toEqual(['https://dns.example.net', undefined]);
    const authority = { ...other, feed: { ...other.feed, caSecret: 'ca', caKey: 'pem' } };
    expect(feed(await render({ nameserver: authority }))[1]).toEqual(['ca', ['pem']]);
  });
});

test('names of objects begin with the name of the release in any namespace', async () => {
  const objects = await render({}, { release: 'edge', namespace: 'dns' });
  for (const { kind, metadata } of objects.filter((object) => !CLUSTER_WIDE.has(object.kind))) {
    expect(metadata.name, kind).toMatch(
      metadata.namespace === 'dns' ? /^(dns:)?edge-zonestead-/ : /^dns:edge-zonestead-/,
    );
  }
});

test('names of objects do not conflict between two releases, in one namespace or with one name', async () => {
  const second = { solver: { enabled: false }, crds: { enabled: false } };
  const policies = (await render({}, { release: 'edge', namespace: 'dns' })).filter(({ kind }) =>
    kind.startsWith('ValidatingAdmissionPolicy'),
  );
  const named = ['crds', 'secrets', 'zone-warnings', 'deletion-warnings', 'record-warnings'].flatMap((component) =>
    Array.from({ length: 2 }, () => `edge-zonestead-${component}.dns`),
  );
  expect(policies.map(({ metadata }) => metadata.name).sort()).toEqual(named.sort());
  const [first, ...others] = await Promise.all([
    render({}, { release: 'a', namespace: 'one' }),
    render(second, { release: 'b', namespace: 'one' }),
    render(second, { release: 'a', namespace: 'two' }),
  ]);
  const taken = new Set(first.map(keyOf));
  for (const objects of others) expect(objects.map(keyOf).filter((key) => taken.has(key))).toEqual([]);
  expect(env(first, 'Deployment', 'a-zonestead-operator').ZONESTEAD_LEASE_NAME).not.toBe(
    env(others[0] ?? [], 'Deployment', 'b-zonestead-operator').ZONESTEAD_LEASE_NAME,
  );
});

test('names of objects stay within 63 characters for a long release', async () => {
  const objects = await render({}, { release: 'r'.repeat(53) });
  for (const { kind, metadata } of objects.filter((object) => !CLUSTER_WIDE.has(object.kind))) {
    if (!metadata.name.includes(':')) expect(metadata.name.length, `${kind} ${metadata.name}`).toBeLessThanOrEqual(63);
  }
});

test('names of objects do not change in selectors with an upgrade', async () => {
  const { spec } = one(await render({ commonLabels: { owner: 'x' } }), 'Deployment', 'zonestead-api');
  expect(Object.keys(spec.selector.matchLabels).sort()).toEqual([
    'app.kubernetes.io/component',
    'app.kubernetes.io/instance',
    'app.kubernetes.io/name',
  ]);
});

test('values of the chart take the address of the primary of CloudNativePG from its own Secret, and make none', async () => {
  const objects = await render(VALUE_SETS.CloudNativePG ?? {});
  const { args } = container(objects, 'Job', objects.find(({ kind }) => kind === 'Job')?.metadata.name ?? '');
  expect(args.filter((arg: string) => arg.startsWith('--database-'))).toEqual([]);
  for (const suffix of ['-db-ro', '-db-r.']) expect(JSON.stringify(objects)).not.toContain(suffix);
  expect(args).toContain('--url-secret=zonestead-db-app');
  const cluster = one(objects, 'Cluster', 'zonestead-db');
  expect(cluster.spec).toMatchObject({ instances: 3, logLevel: 'debug' });
  expect(cluster.spec).not.toHaveProperty('managed');
  expect(cluster.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
});

test('values of the chart pass on the address of an external Postgres, with its certificate authority', async () => {
  const objects = await render(VALUE_SETS['a Postgres elsewhere'] ?? {});
  expect(objects.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => metadata.name)).toEqual([
    'zonestead-nameserver',
  ]);
  const job = objects.find(({ kind }) => kind === 'Job')?.metadata.name ?? '';
  for (const settings of [env(objects, 'Deployment', 'zonestead-api'), env(objects, 'Job', job)]) {
    expect(settings.ZONESTEAD_DATABASE_CA).toBe('/etc/zonestead/database-ca/ca.crt');
    expect(settings).not.toHaveProperty('ZONESTEAD_DATABASE_WITHOUT_TLS');
  }
  // It would be an authority for every connection of the process.
  expect(JSON.stringify(objects)).not.toContain('NODE_EXTRA_CA_CERTS');
  const { volumes } = one(objects, 'Deployment', 'zonestead-api').spec.template.spec;
  expect(volumes.find((volume: Rendered) => volume.name === 'database')).toMatchObject({
    secret: { secretName: 'postgres', items: [{ key: 'uri', path: 'uri' }] },
  });
});

test('values of the chart give an operator for some namespaces rights in these only', async () => {
  const objects = await render({ operator: { namespaces: ['a', 'b'] } });
  const role = objects.filter(
    ({ kind, metadata }) => kind === 'Role' && metadata.name === 'zonestead:zonestead-operator',
  );
  expect(role.map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
  const wide = objects.filter(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name.includes('operator'));
  const rules = wide.flatMap((role) => role.rules as Rendered[]);
  expect(rules.map(({ resources, resourceNames, verbs }) => ({ resources, resourceNames, verbs }))).toEqual([
    { resources: ['namespaces'], verbs: ['list', 'watch'] },
    {
      resources: ['customresourcedefinitions'],
      resourceNames: ['dnszones.zonestead.dev', 'dnsrecords.zonestead.dev'],
      verbs: ['get'],
    },
  ]);
  expect(env(objects, 'Deployment', 'zonestead-operator').ZONESTEAD_NAMESPACES).toBe('a,b');
});

test('values name the cluster in the environment of the operator, and leave the name to it if there is none', async () => {
  const cluster = async (values: Record<string, unknown>) =>
    env(await render(values), 'Deployment', 'zonestead-operator').ZONESTEAD_CLUSTER;
  expect(await cluster({ operator: { cluster: 'prod-eu' } })).toBe('prod-eu');
  expect(await cluster({})).toBeUndefined();
  await expect(render({ operator: { cluster: 'Prod/EU' } })).rejects.toThrow('/operator/cluster');
});

test('values of the chart set caBundle only if the certificate is given, so that it has one writer', async () => {
  const spec = async (what: string) =>
    one(await render(VALUE_SETS[what] ?? {}), 'APIService', 'v1alpha1.acme.zonestead.dev').spec;
  expect(await spec('defaults')).not.toHaveProperty('caBundle');
  expect(await spec('the solver with a certificate by cert-manager')).not.toHaveProperty('caBundle');
  expect(await spec('the solver with a certificate that is given')).toHaveProperty('caBundle');
});

test('values of the chart make two Services of a split one, with the shared fields in both', async () => {
  const objects = await render(VALUE_SETS['a load balancer for each protocol'] ?? {});
  const [udp, tcp] = [one(objects, 'Service', 'zonestead-dns'), one(objects, 'Service', 'zonestead-dns-tcp')];
  expect([udp, tcp].map(({ spec }) => spec.ports.map((port: Rendered) => port.protocol))).toEqual([['UDP'], ['TCP']]);
  expect(udp.metadata.annotations).toEqual({ 'lb.example/shared': 'dns', 'lb.example/udp': 'yes' });
  expect(tcp.spec).toMatchObject({ externalTrafficPolicy: 'Local', allocateLoadBalancerNodePorts: false });
});

test('values of the chart open a port of the api for DNS updates, which asks the name servers of the release', async () => {
  const objects = await render({ ...VALUE_SETS['DNS updates at a load balancer'], networkPolicy: { enabled: true } });
  const { spec } = one(objects, 'Service', 'zonestead-updates');
  expect(spec).toMatchObject({
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    selector: { 'app.kubernetes.io/component': 'api' },
    ports: [
      { protocol: 'UDP', port: 53, targetPort: 'updates-udp' },
      { protocol: 'TCP', port: 53, targetPort: 'updates-tcp' },
    ],
  });
  expect(env(objects, 'Deployment', 'zonestead-api')).toMatchObject({
    ZONESTEAD_UPDATE_LISTEN: '*:5353',
    ZONESTEAD_UPDATE_NAMESERVERS: 'zonestead-dns.zonestead.svc:53',
  });
  const ports = container(objects, 'Deployment', 'zonestead-api').ports;
  expect(ports).toContainEqual({ name: 'updates-udp', containerPort: 5353, protocol: 'UDP' });
  const policy = JSON.stringify(one(objects, 'NetworkPolicy', 'zonestead-api').spec.ingress);
  expect(policy).toContain('"port":"updates-udp"');
  const without = await render({});
  expect(without.some(({ metadata }) => metadata.name === 'zonestead-updates')).toBe(false);
  expect(env(without, 'Deployment', 'zonestead-api')).not.toHaveProperty('ZONESTEAD_UPDATE_LISTEN');
});

test('values of the chart give each name server a Service of its own', async () => {
  const objects = await render(VALUE_SETS['an address for each name server'] ?? {});
  const services = [0, 1].map((index) => one(objects, 'Service', `zonestead-nameserver-${index}`).spec);
  expect(services.map(({ selector }) => selector['statefulset.kubernetes.io/pod-name'])).toEqual([
    'zonestead-nameserver-0',
    'zonestead-nameserver-1',
  ]);
  expect(services.map(({ loadBalancerIP }) => loadBalancerIP)).toEqual(['192.0.2.1', '192.0.2.2']);
});

test('values of the chart keep the version of the chart out of pods, so that it does not restart Postgres', async () => {
  const { template: pod } = one(await render({}), 'StatefulSet', 'zonestead-postgres').spec;
  expect(JSON.stringify(pod)).not.toContain('0.1.0');
});

test('values of the chart create another Job for another rotation, and the same Job for the same values', async () => {
  const name = async (rotation: string) =>
    (await render({ bootstrap: { rotation } })).find(({ kind, metadata }) => kind === 'Job' && !metadata.annotations)
      ?.metadata.name;
  expect(await name('a')).toBe(await name('a'));
  expect(await name('a')).not.toBe(await name('b'));
});

test('values of the chart render the CRDs of crds/, with the annotation that keeps them', async () => {
  const kept = (await render({})).filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(kept.map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'])).toEqual(['keep', 'keep']);
  for (const { spec, metadata } of kept) {
    const [plural, ...group] = metadata.name.split('.');
    const [source] = parseObjects(await readFile(`${ROOT}crds/${group.join('.')}_${plural}.yaml`, 'utf8'));
    expect(spec).toEqual(source?.spec);
  }
  const free = (await render({ crds: { keep: false } })).filter(({ kind }) => kind === 'CustomResourceDefinition');
  const version = { 'zonestead.dev/schema-version': '0.1.0' };
  expect(free.map(({ metadata }) => metadata.annotations)).toEqual([version, version]);
});

test('values of the chart keep the templates of Prometheus in alerts, and link to the given runbooks', async () => {
  const objects = await render(VALUE_SETS['everything that can be added'] ?? {});
  const rule = one(objects, 'PrometheusRule', 'zonestead');
  const rules: Rendered[] = rule.spec.groups.flatMap((group: Rendered) => group.rules);
  // This release has no Cluster of CloudNativePG. The rules come in the order of the components.
  const texts = (all: readonly { expr: string; annotations?: Record<string, string> }[]) =>
    all.map(({ expr, annotations }) => `${expr} ${annotations?.description}`).sort();
  const written = texts(await readRules(RULE_FILES.filter((file) => !file.endsWith('cnpg.yaml'))));
  expect(texts(rules as never)).toEqual(
    written.map((text) => text.replaceAll('namespace=~".+"', 'namespace="zonestead"')),
  );
  for (const { annotations } of rules.filter(({ alert }) => alert)) {
    expect(annotations.runbook_url).toMatch(/^https:\/\/dns\.example\.net\/alerts\.md#/);
  }
  const unsaid = await render({ monitoring: { prometheusRule: { enabled: true } } });
  const [first] = one(unsaid, 'PrometheusRule', 'zonestead').spec.groups[0].rules;
  const [file = '', heading] = first.annotations.runbook_url.split('#');
  expect((await readFile(`${ROOT}${file}`, 'utf8')).toLowerCase()).toContain(`## ${heading}\n`);
  const docs = { docsUrl: 'https://docs.example.net/0.1/', monitoring: { prometheusRule: { enabled: true } } };
  const published = await render(docs);
  const [second] = one(published, 'PrometheusRule', 'zonestead').spec.groups[0].rules;
  expect(second.annotations.runbook_url).toBe(`https://docs.example.net/0.1/reference/alerts.html#${heading}`);
  const { env } = one(published, 'Deployment', 'zonestead-api').spec.template.spec.containers[0];
  expect(env).toContainEqual({ name: 'ZONESTEAD_DOCS_URL', value: docs.docsUrl });
  const board = one(objects, 'ConfigMap', 'zonestead-dashboard');
  expect(JSON.parse(board.data['zonestead.json'])).toEqual(
    JSON.parse(await readFile(`${CHART}/files/dashboard.json`, 'utf8')),
  );
  expect(board.metadata.namespace).toBe('monitoring');
});

test('deploy/manifests equals the output of `npm run generate`', async () => {
  const files = await renderedManifests(() => undefined, new AbortController().signal);
  expect(files.size).toBe(3);
  for (const [path, text] of files) expect(await readFile(`${ROOT}${path}`, 'utf8'), path).toBe(text);
});
