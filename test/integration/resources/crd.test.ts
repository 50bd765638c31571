// crds/ on a real kube-apiserver: installed as a user would, then the same cases that zod was given, by server-side
// dry-run, and what the server itself does with defaults, status and columns.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createApi, type KubeApi } from '#kube/api/api.ts';
import { loadCredentials } from '#kube/api/credentials.ts';
import { KubeError } from '#kube/api/errors.ts';
import { createTransport, type Transport } from '#kube/api/transport.ts';
import { CRD } from '#kube/objects/crds.ts';
import { type KubeObject, type ResourceType, resourcePath } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord, recordSpec } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone, zoneSpec } from '#resources/dnszone.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { type ControlPlane, startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { RESOURCE_CASES } from '../../support/resources/resource-cases.ts';
import { CHANGE_CASES } from './change-cases.support.ts';

const TYPES = { DNSZone: DNS_ZONE, DNSRecord: DNS_RECORD };
const SCHEMAS = { DNSZone: zoneSpec, DNSRecord: recordSpec };
const me = { fieldManager: 'test' };

let stateDir: string;
let plane: ControlPlane;
let transport: Transport;
let api: KubeApi;
let kubectl: string;

beforeAll(async () => {
  const { signal } = new AbortController();
  stateDir = await mkdtemp(join(tmpdir(), 'zonestead-crd-'));
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  kubectl = join(dir, 'kubectl');
  const names = ['etcd', 'etcdPeer', 'apiserver'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name })),
    { stateDir },
  );
  plane = await startControlPlane({ dir, stateDir, ports, signal });
  transport = createTransport({ credentials: await loadCredentials({ kubeconfig: plane.kubeconfig }) });
  api = createApi(transport);
  await installCrds();
});

afterAll(async () => {
  await transport?.close();
  await plane?.stop();
  await rm(stateDir, { recursive: true, force: true });
});

async function installCrds(): Promise<void> {
  const folder = new URL('../../../crds/', import.meta.url);
  type Crd = KubeObject & { readonly status?: { conditions?: { type: string; status: string; message: string }[] } };
  const files = readdirSync(folder).filter((file) => file.startsWith('zonestead.dev_'));
  const crds = files.map((file) => parse(readFileSync(new URL(file, folder), 'utf8')) as Crd);
  for (const crd of crds) await api.apply(CRD, crd, me);
  for (const { metadata } of crds) {
    for (let tries = 0; ; tries++) {
      const { status } = await api.get<Crd>(CRD, { name: metadata.name });
      const is = (type: string, value: string) =>
        status?.conditions?.some((c) => c.type === type && c.status === value);
      // A schema that is not structural is stored nevertheless; only this condition shows it.
      if (is('NonStructuralSchema', 'True')) throw new Error(JSON.stringify(status?.conditions));
      if (is('Established', 'True')) break;
      if (tries > 200) throw new Error(`${metadata.name} was not established within 10 s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** As `kubectl apply --dry-run=server` of a new object would; kubectl asks for strict fields by default. */
function dryRun(type: ResourceType, body: unknown): Promise<unknown> {
  const query = { dryRun: 'All', fieldValidation: 'Strict', fieldManager: 'test' };
  return transport.request({ method: 'POST', path: resourcePath(type, { namespace: 'default' }), query, body });
}

const objectOf = (kind: keyof typeof TYPES, spec: unknown, name = 'case') => ({
  apiVersion: 'zonestead.dev/v1alpha1',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});

const refusalOf = (call: Promise<unknown>): Promise<KubeError> =>
  call.then(
    () => Promise.reject(new Error('the server took it')),
    (error: unknown) => {
      if (error instanceof KubeError && error.status === 422) return error;
      throw error;
    },
  );

/**
 * The issues of zod that are rules of ours: the server must say the same about the same field. If a field has a wrong
 * type or length, the server evaluates no rules at all.
 */
function ownIssues({ kind, spec }: (typeof RESOURCE_CASES)[number]): { field: string; text: string }[] {
  const { error } = SCHEMAS[kind].safeParse(spec);
  const issues = error?.issues ?? [];
  if (issues.some(({ code }) => code !== 'custom')) return [];
  return issues.map(({ path, message }) => ({
    field: path.reduce<string>(
      (above, each) => (typeof each === 'number' ? `${above}[${each}]` : `${above}.${String(each)}`),
      'spec',
    ),
    text: message,
  }));
}

const takenByServer = (each: (typeof RESOURCE_CASES)[number]) =>
  each.refused === undefined || each.passesServer === true;

test.each(RESOURCE_CASES.filter(takenByServer))('the API server takes $kind with $title', async ({ kind, spec }) => {
  await dryRun(TYPES[kind], objectOf(kind, spec));
});

test.each(RESOURCE_CASES.filter((each) => !takenByServer(each)))(
  'the API server refuses $kind with $title',
  async (each) => {
    const { message, details } = await refusalOf(dryRun(TYPES[each.kind], objectOf(each.kind, each.spec)));
    expect(message).toMatch(each.refused as RegExp);
    const causes = (details?.causes ?? []).map((cause) => `${cause.field}: ${cause.message}`);
    for (const { field, text } of ownIssues(each)) {
      expect(causes.filter((cause) => cause.startsWith(`${field}: `) && cause.includes(text))).toHaveLength(1);
    }
  },
);

test.each(CHANGE_CASES)(
  'the API server judges a change to $title of a $kind',
  async ({ kind, before, after, refused }) => {
    const name = 'changing';
    await api.create(TYPES[kind], objectOf(kind, before, name));
    try {
      const current = await api.get(TYPES[kind], { namespace: 'default', name });
      const path = resourcePath(TYPES[kind], { namespace: 'default', name });
      const body = { ...objectOf(kind, after, name), metadata: current.metadata };
      const change = transport.request({ method: 'PUT', path, query: { dryRun: 'All' }, body });
      if (refused === undefined) await change;
      else expect((await refusalOf(change)).message).toMatch(refused);
    } finally {
      await api.delete(TYPES[kind], { namespace: 'default', name });
    }
  },
);

test('the API server names an unknown field when asked to be strict, as kubectl does', async () => {
  const spec = { zoneName: 'example.org', zonename: 'example.org' };
  const error = await dryRun(DNS_ZONE, objectOf('DNSZone', spec)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/unknown field "spec.zonename"/) });
});

/** The cell of `kubectl get zdr`. */
async function contentOf(name: string): Promise<string | undefined> {
  const { signal } = new AbortController();
  const args = [`--kubeconfig=${plane.kubeconfig}`, 'get', 'zdr', name, '-n', 'default'];
  const { out } = await runCommand({ command: kubectl, args, timeoutMs: 60_000, signal });
  const [heading = '', row = ''] = out.split('\n');
  const at = heading.indexOf('CONTENT');
  return row.slice(at).split('  ')[0];
}

const record = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };

test('an object that was never reconciled has every condition as Unknown and the defaults of its spec', async () => {
  const created = await api.create<DNSRecord>(DNS_RECORD, objectOf('DNSRecord', record, 'born'));
  const read = await api.get<DNSRecord>(DNS_RECORD, { namespace: 'default', name: 'born' });
  for (const { spec, status } of [created, read]) {
    expect(spec).toEqual({ ...record, deletionPolicy: 'Delete', adopt: 'Never', sharing: 'Exclusive' });
    expect(status?.conditions.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'Accepted=Unknown',
      'Programmed=Unknown',
      'Propagated=Unknown',
      'Ready=Unknown',
    ]);
  }
  const zone = await api.create<DNSZone>(DNS_ZONE, objectOf('DNSZone', { zoneName: 'example.org' }, 'born'));
  expect(zone.spec).toMatchObject({
    parked: false,
    deletionPolicy: 'Delete',
    managementPolicy: 'Full',
    whenClusterLost: 'Keep',
  });
  expect(zone.status?.conditions).toHaveLength(4);
});

test('an object that was never reconciled shows its content in kubectl get at once, and all values when the operator has listed them', async () => {
  const values = [{ content: '192.0.2.7' }, { content: '192.0.2.8' }];
  const { content: _one, ...rest } = record;
  await api.create(DNS_RECORD, objectOf('DNSRecord', { ...rest, name: 'single', content: '192.0.2.6' }, 'single'));
  const several = objectOf('DNSRecord', { ...rest, name: 'several', values }, 'several');
  // The same words at other places of the object are not values.
  const annotations = { content: 'wrong', summary: 'wrong', spec: 'wrong', status: 'wrong' };
  await api.create(DNS_RECORD, { ...several, metadata: { ...several.metadata, annotations } });
  expect(await contentOf('single')).toBe('192.0.2.6');
  expect(await contentOf('several')).toBe('192.0.2.7');
  const summary = '192.0.2.7,192.0.2.8';
  const object = { namespace: 'default', name: 'several' };
  // The members have contents too, and the column does not show them.
  const members = values.map(({ content }) => ({ content, tier: 0, state: 'Healthy', served: true }));
  await api.merge(DNS_RECORD, object, { status: { members, summary } }, { subresource: 'status' });
  expect(await contentOf('several')).toBe(summary);
  for (const name of ['single', 'several']) await api.delete(DNS_RECORD, { namespace: 'default', name });
});

test('an object that was never reconciled can be selected by type and by zone', async () => {
  const { items } = await api.list<DNSRecord>(DNS_RECORD, {
    namespace: 'default',
    fieldSelector: 'spec.zoneRef.name=example,spec.type=A',
  });
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['born']);
});
