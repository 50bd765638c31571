// Edges of the rendered chart, and the secondaries of the values.
import { beforeAll, expect, test } from 'vitest';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import { readConfig } from '#config.ts';
import { EDGE_METRICS_SETTINGS } from '#nameserver/settings.ts';
import { one, type Rendered, render } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';

let objects: Rendered[];
beforeAll(async () => {
  objects = await render(VALUE_SETS['hidden name servers with edges'] ?? {});
});

const edgeOf = (all: readonly Rendered[], name = 'zonestead-edge') => one(all, 'StatefulSet', name).spec;
const envOf = (spec: Rendered): Record<string, string> =>
  Object.fromEntries(spec.template.spec.containers[0].env.map(({ name, value }: Rendered) => [name, value]));
const services = (all: readonly Rendered[], pattern: RegExp) =>
  all.filter(({ kind, metadata }) => kind === 'Service' && pattern.test(metadata.name));
/** The secondaries as the bootstrap Job reads them. */
function givenToJob(all: readonly Rendered[]) {
  const job = all.find(({ kind }) => kind === 'Job') as Rendered;
  const args: string[] = job.spec.template.spec.containers[0].args;
  const argument = (option: string) => args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1);
  return bootstrapOptions({
    ...{
      database: 'external',
      databaseName: 'z',
      urlSecret: 'u',
      urlKey: 'k',
      team: 't',
      rotation: '',
      labels: '',
      timeout: '1',
    },
    secondaries: argument('--secondaries'),
    secondariesSecret: argument('--secondaries-secret'),
  }).secondaries;
}

test('edges of the chart get the queries of the DNS Service instead of the name servers', () => {
  const [dns] = services(objects, /-dns$/);
  expect(dns?.spec.selector['app.kubernetes.io/component']).toBe('edge');
});

test('edges of the chart have no node key, no database and no token, but the TSIG key that the Job makes', () => {
  const { volumes, automountServiceAccountToken, containers } = edgeOf(objects).template.spec;
  const secrets = volumes.flatMap(({ secret }: Rendered) => (secret ? [secret.secretName] : []));
  expect(secrets).toEqual(['zonestead-secondary-edge']);
  expect(automountServiceAccountToken).toBe(false);
  expect(containers.map(({ name }: Rendered) => name)).toEqual(['knot', 'metrics']);
  expect(givenToJob(objects)?.at(-1)?.secret).toEqual({ name: 'zonestead-secondary-edge', key: 'secret', own: true });
});

test('edges of the chart and name servers know each other by Services that stay when pods change', () => {
  const [nodes, edges] = [services(objects, /-nameserver-\d$/), services(objects, /-edge-\d$/)];
  expect([nodes.length, edges.length]).toEqual([2, 4]);
  for (const { metadata, spec } of [...nodes, ...edges]) {
    expect(spec.selector['statefulset.kubernetes.io/pod-name']).toBe(metadata.name);
    expect([spec.type, spec.publishNotReadyAddresses]).toEqual(['ClusterIP', true]);
  }
  const address = ({ metadata }: Rendered) => `${metadata.name}.zonestead.svc:53`;
  expect(envOf(edgeOf(objects)).ZONESTEAD_EDGE_PRIMARIES).toBe(nodes.map(address).join(','));
  expect(givenToJob(objects)?.at(-1)?.addresses).toEqual(edges.map(address));
});

test('edges of the chart are ready with their zones, and keep their configuration up to date', () => {
  const { startupProbe, livenessProbe, readinessProbe } = edgeOf(objects).template.spec.containers[0];
  expect(startupProbe.exec.command.slice(-2)).toEqual(['edge-conf', '--zones']);
  expect(livenessProbe.exec.command.slice(-2)).toEqual(['edge-conf', '--check']);
  expect(readinessProbe.tcpSocket).toEqual({ port: 'dns-tcp' });
});

test('edges of the chart serve metrics from a container that has no key and cannot keep queries from knotd', async () => {
  const { containers } = edgeOf(objects).template.spec;
  const container = containers.find(({ name }: Rendered) => name === 'metrics');
  const env = Object.fromEntries(container.env.map(({ name, value }: Rendered) => [name, value]));
  expect(readConfig(EDGE_METRICS_SETTINGS, env)).toMatchObject({
    ZONESTEAD_KNOT_FOLDER: envOf(edgeOf(objects)).ZONESTEAD_KNOT_FOLDER,
    ZONESTEAD_EDGE_SECONDARY: 'edge',
    ZONESTEAD_HEALTH_LISTEN: { port: 9090 },
  });
  expect(container.args).toEqual(['edge-metrics']);
  expect(container.volumeMounts.map(({ name, readOnly }: Rendered) => [name, readOnly])).toEqual([
    ['data', true],
    ['tmp', undefined],
  ]);
  expect(container).not.toHaveProperty('readinessProbe');
  const monitored = await render({ edge: { enabled: true }, monitoring: { serviceMonitor: { enabled: true } } });
  const { selector } = one(monitored, 'ServiceMonitor', 'zonestead-edge').spec;
  const service = one(monitored, 'Service', 'zonestead-edge-metrics');
  expect(service.metadata.labels).toMatchObject(selector.matchLabels);
  expect(edgeOf(monitored).template.metadata.labels).toMatchObject(service.spec.selector);
  expect(service.spec.ports).toEqual([{ name: 'metrics', port: 9090, targetPort: 'health' }]);
});

test('edges of the chart in another region follow name servers outside of their release', async () => {
  const all = await render(VALUE_SETS['edges of another region'] ?? {}, { release: 'zonestead-eu' });
  const spec = edgeOf(all, 'zonestead-eu-edge');
  expect(envOf(spec)).toMatchObject({
    ZONESTEAD_EDGE_PRIMARIES: '192.0.2.53:53,192.0.2.54:53',
    ZONESTEAD_EDGE_SECONDARY: 'eu',
  });
  expect(all.filter(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment' || kind === 'Job')).toHaveLength(1);
});

test.each([
  ['1Gi', '1073741824'],
  ['1.5G', '1500000000'],
  ['200M', '200000000'],
  ['200000000', '200000000'],
])('the volume of an edge has a size that Knot DNS knows: %s is %s bytes', async (size, bytes) => {
  const all = await render({ edge: { enabled: true, persistence: { size } }, nameserver: { persistence: { size } } });
  for (const name of ['edge', 'nameserver'])
    expect(envOf(edgeOf(all, `zonestead-${name}`)).ZONESTEAD_KNOT_DISK).toBe(bytes);
});

test('secondaries of the values reach the Job with their Secrets, made or given', () => {
  expect(givenToJob(objects)?.slice(0, 2)).toEqual([
    {
      name: 'eu',
      addresses: ['198.51.100.53', '[2001:db8::1]:5353'],
      nameservers: ['ns4.example.net'],
      zones: 'all',
      tsig: {},
      secret: { name: 'zonestead-secondary-eu', key: 'secret', own: true },
    },
    {
      name: 'us',
      addresses: ['198.51.100.54:5300'],
      transfersFrom: ['203.0.113.0/24'],
      zones: ['a.example'],
      offer: { all: true },
      tsig: { name: 'us.test', algorithm: 'hmac-sha512' },
      secret: { name: 'given', key: 'tsig', own: false },
    },
  ]);
});

test('secondaries of the values let the Job read and make these Secrets only', () => {
  const { rules } = one(objects, 'Role', 'zonestead-bootstrap');
  const named = (verb: string) =>
    (rules as Rendered[]).flatMap(({ verbs, resourceNames = [] }) => (verbs.includes(verb) ? resourceNames : []));
  expect(named('patch')).toEqual(
    expect.arrayContaining(['zonestead-secondary-eu', 'zonestead-secondary-edge', 'zonestead-secondaries']),
  );
  expect(named('patch')).not.toContain('given');
  expect(named('get')).toContain('given');
});

test('values without secondaries remove those of an earlier release', async () => {
  expect(givenToJob(await render({}))).toEqual([]);
});
