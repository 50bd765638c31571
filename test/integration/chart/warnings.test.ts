// The warnings of the chart on a real kube-apiserver, as kubectl prints them. Nothing is refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseObjects, type Rendered, render, template } from '../../support/chart/chart.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.support.ts';

const POLICIES = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
const KINDS = ['CustomResourceDefinition', ...POLICIES];
const NAMESPACE = 'team-a';
let cluster: ChartCluster;

beforeAll(async () => {
  cluster = await startChartCluster();
  const { text } = await template({});
  const items = parseObjects(text).filter(({ kind }) => KINDS.includes(kind));
  await put({ apiVersion: 'v1', kind: 'List', items });
  for (const zone of ZONES) await put(zone);
  for (const { metadata, status } of ZONES) {
    const patch = JSON.stringify({ status });
    const subresource = ['--subresource=status', '--type=merge', '-p', patch];
    if (status !== undefined) await kubectl('patch', 'zdz', metadata.name, '-n', NAMESPACE, ...subresource);
  }
}, 20 * 60_000);
afterAll(async () => cluster?.stop());

interface Zone {
  metadata: { name: string; namespace: string };
  spec: object;
  status?: object;
}

function zone(name: string, spec: object, status?: object): Zone {
  return {
    ...{ apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSZone', metadata: { name, namespace: NAMESPACE } },
    spec: { zoneName: `${name}.example`, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

const ZONES = [
  zone('served', {}, { zoneId: 'zone_1', origin: 'Created' }),
  zone('kept', { deletionPolicy: 'Retain' }, { zoneId: 'zone_2', origin: 'Created' }),
  zone('observed', {}, { zoneId: 'zone_3', origin: 'Observed' }),
  zone('observing', { managementPolicy: 'Observe' }, { zoneId: 'zone_4' }),
  zone('absent', {}),
];

async function kubectl(...args: string[]): Promise<string> {
  const { ok, words } = await cluster.kubectl(...args);
  if (!ok) throw new Error(words);
  return words;
}

const apply = async (object: object, ...more: string[]) =>
  kubectl('apply', ...more, '-f', await cluster.file(JSON.stringify(object)));

// A schema is served a short time after its creation.
const put = (object: object) =>
  expect.poll(() => apply(object).catch(String), { timeout: 60_000 }).not.toMatch(/error/i);

const dryDelete = (name: string) => kubectl('delete', 'zdz', name, '-n', NAMESPACE, '--dry-run=server');

// A policy takes effect a short time after its creation.
const warns = (words: () => Promise<string>, pattern: RegExp) =>
  expect.poll(words, { interval: 500, timeout: 60_000 }).toMatch(pattern);

test('the deletion of a zone in DNS warns that the deletion may wait, and how to end the wait', async () => {
  await warns(
    () => dryDelete('served'),
    /Warning: .*deletes the zone served\.example with its records from DNS.*the deletion waits, and kubectl with it.*kubectl zonestead why dnszone\/served -n team-a/s,
  );
});

test.each(['kept', 'observed', 'observing', 'absent'])(
  'the deletion of an object whose zone remains, or never was, does not warn: %s',
  async (name) => {
    await warns(() => dryDelete('served'), /Warning/);
    expect(await dryDelete(name)).not.toContain('Warning');
  },
);

const RECORD = {
  apiVersion: 'zonestead.dev/v1alpha1',
  kind: 'DNSRecord',
  metadata: { name: 'r', namespace: NAMESPACE },
};

function record(spec: object): object {
  const type = { type: 'TXT', content: 'x' };
  return { ...RECORD, spec: { zoneRef: { name: 'served' }, name: 'www', ...type, ...spec } };
}

test.each([
  ['a single label', zone('open', { zoneName: 'open' }), /a single label is a top-level domain/],
  ['a grant of all names', zone('open', { allowedRecords: [{ namespaces: { from: 'All' } }] }), /every name, the apex/],
  [
    'a grant that restricts its own namespace',
    zone('open', { allowedRecords: [{ namespaces: { from: 'Same' }, names: ['www'] }] }),
    /restricts the namespace of the zone/,
  ],
  ['a zone that is taken over', zone('open', { adopt: 'IfIdentical' }), /deletes the zone that was there before/],
  [
    'Retain in a zone of another namespace',
    record({ zoneRef: { name: 'z', namespace: 'team-b' }, deletionPolicy: 'Retain' }),
    /Retain has no effect/,
  ],
  ['a challenge that resolvers keep', record({ name: '_acme-challenge' }), /set 60/],
  ['SPF for all hosts', record({ content: 'v=spf1 +all' }), /~all or -all is meant/],
])('kubectl apply warns about %s, and accepts it', async (_what, object, pattern) => {
  await warns(() => apply(object, '--dry-run=server'), pattern);
});

test('kubectl apply does not warn about an ordinary zone and record', async () => {
  await warns(() => dryDelete('served'), /Warning/);
  expect(await apply(zone('plain', {}), '--dry-run=server')).not.toContain('Warning');
  expect(await apply(record({}), '--dry-run=server')).not.toContain('Warning');
});

test('crds.warnings: false, and a release without the CRDs, have no policy that warns', async () => {
  const warning = ({ kind, metadata }: Rendered) => POLICIES.includes(kind) && metadata.name.includes('-warnings.');
  expect((await render({})).filter(warning)).toHaveLength(6);
  for (const crds of [{ warnings: false }, { enabled: false }])
    expect((await render({ crds })).filter(warning)).toEqual([]);
});
