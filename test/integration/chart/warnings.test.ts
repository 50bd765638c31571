// The warnings of the chart on a real kube-apiserver, as kubectl prints them. Nothing is refused.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { parseObjects, type Rendered, render, template } from '../../support/chart/chart.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const POLICIES = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
const KINDS = ['CustomResourceDefinition', ...POLICIES];
const NAMESPACE = 'team-a';
const { signal } = new AbortController();
const folder = await temporaryFolder('warnings');
let plane: Awaited<ReturnType<typeof startControlPlane>>;
let program: string;
let files = 0;

beforeAll(async () => {
  await chmod(folder, 0o711);
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  program = join(dir, 'kubectl');
  const names = ['etcd', 'etcdPeer', 'apiserver'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name })),
    { stateDir: folder },
  );
  plane = await startControlPlane({ dir, stateDir: folder, ports, signal });
  await kubectl('create', 'namespace', NAMESPACE);
  const { text } = await template({});
  const items = parseObjects(text).filter(({ kind }) => KINDS.includes(kind));
  await apply({ apiVersion: 'v1', kind: 'List', items }, '--server-side');
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
  for (const zone of ZONES) await apply(zone);
  for (const { metadata, status } of ZONES) {
    const patch = JSON.stringify({ status });
    const subresource = ['--subresource=status', '--type=merge', '-p', patch];
    if (status !== undefined) await kubectl('patch', 'zdz', metadata.name, '-n', NAMESPACE, ...subresource);
  }
}, 20 * 60_000);
afterAll(async () => plane?.stop());

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
  const all = [`--kubeconfig=${plane.kubeconfig}`, ...args];
  const { code, tail } = await runCommand({ command: program, args: all, timeoutMs: 60_000, signal });
  if (code !== 0) throw new Error(tail);
  return tail;
}

async function apply(object: object, ...more: string[]): Promise<string> {
  files += 1;
  const file = join(folder, `object-${files}.json`);
  await writeFile(file, JSON.stringify(object));
  return kubectl('apply', ...more, '-f', file);
}

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
