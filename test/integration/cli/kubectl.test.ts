// `kubectl zonestead` with the real kubectl and kube-apiserver: an administrator, a user with the rights of one
// namespace, a user without rights, and a kubeconfig that leads nowhere. The statuses are written here as the operator
// would.
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderCrds } from '#resources/crd.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { buildCommandLine } from '../../../deploy/cli/bundle.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { type ControlPlane, startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { recordObject, zoneObject } from '../../support/stack/stack.ts';

const folder = await temporaryFolder('kubectl');
const { signal } = new AbortController();
/** The home of a reader who has installed the command line as a single file. */
const bin = join(folder, '.local/bin');
const PATH = [bin, new URL('../../../node_modules/.bin', import.meta.url).pathname, process.env.PATH].join(delimiter);
let plane: ControlPlane;
let tenant: string;
let nobody: string;

type Ended = { code: number | null; out: string; err: string };

async function run(program: string, kubeconfig: string | undefined, words: string[]): Promise<Ended> {
  const err: string[] = [];
  const { code, out } = await runCommand({
    command: join(bin, program),
    args: words,
    env: {
      PATH,
      HOME: folder,
      ...COMPILED,
      ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
    },
    onLine: (line, stream) => void (stream === 'err' && err.push(line)),
    timeoutMs: 120_000,
    signal,
  });
  return { code, out, err: err.join('\n') };
}
const kubectl = (kubeconfig: string | undefined, words: string[]) => run('kubectl', kubeconfig, words);
const plugin = (kubeconfig: string | undefined, ...words: string[]) => kubectl(kubeconfig, ['zonestead', ...words]);
async function admin(...words: string[]): Promise<string> {
  const { code, out, err } = await kubectl(plane.kubeconfig, words);
  if (code !== 0) throw new Error(`kubectl ${words.join(' ')}: ${err}`);
  return out;
}
async function apply(...objects: unknown[]): Promise<void> {
  const file = join(folder, 'objects.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await admin('apply', '--server-side', '-f', file);
}

const condition = (type: string, status: string, reason = type, message = `${type} is ${status}.`) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
async function setStatus(kind: 'zdz' | 'zdr', namespace: string, name: string, status: object): Promise<void> {
  const words = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
  await admin('patch', kind, name, '-n', namespace, ...words);
}
const READY = ['Accepted', 'Programmed', 'Propagated', 'Ready'].map((type) => condition(type, 'True'));

beforeAll(async () => {
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'kubectl'), `#!/bin/sh\nexec '${join(dir, 'kubectl')}' "$@"\n`);
  await chmod(join(bin, 'kubectl'), 0o755);
  const { file } = await buildCommandLine(join(folder, 'cli'));
  await copyFile(file, join(bin, 'zonestead'));
  const ports = await allocatePorts([{ name: 'etcd' }, { name: 'etcdPeer' }, { name: 'apiserver' }], {
    stateDir: folder,
  });
  plane = await startControlPlane({ dir, stateDir: folder, ports, signal });
  tenant = await plane.clientConfig('tenant', []);
  nobody = await plane.clientConfig('nobody', []);
  await apply(...renderCrds().map(({ text }) => parse(text)));
  await admin('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const view = { apiGroups: ['zonestead.dev'], resources: ['dnszones', 'dnsrecords'], verbs: ['get', 'list'] };
  const rbac = { apiGroup: 'rbac.authorization.k8s.io' };
  const metadata = { name: 'view', namespace: 'team-b' };
  await apply(namespace('team-a'), namespace('team-b'), namespace('empty'));
  await apply(
    { apiVersion: `${rbac.apiGroup}/v1`, kind: 'Role', metadata, rules: [view] },
    {
      apiVersion: `${rbac.apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { ...rbac, kind: 'Role', name: 'view' },
      subjects: [{ ...rbac, kind: 'User', name: 'tenant' }],
    },
    zoneObject('mine', 'mine.example', {}, 'team-a'),
    recordObject('www', 'mine', { name: 'www', type: 'A', content: '192.0.2.1' }, 'team-a'),
    recordObject('double', 'mine', { name: 'www', type: 'A', content: '192.0.2.1' }, 'team-a'),
    recordObject(
      'shop',
      'mine',
      { name: 'shop', type: 'A', content: '192.0.2.2', zoneRef: { name: 'mine', namespace: 'team-a' } },
      'team-b',
    ),
  );
  const server = { name: 'ns1.example.net', address: '192.0.2.53', node: 'ns1', serial: 42 };
  await setStatus('zdz', 'team-a', 'mine', {
    conditions: [
      ...READY.filter(({ type }) => type !== 'Propagated'),
      condition('Delegated', 'False', 'DSRequired', 'The parent has no DS record.'),
    ],
    ...{ state: 'active', serial: 43, records: 7, nodesCurrent: '1/2', owner: 'org:team_1' },
    nodes: [{ name: 'ns2', state: 'Behind', problem: 'The disk is full.' }],
    servers: [server, { ...server, name: 'ns2.example.net', node: 'ns2', serial: 41, problem: 'serves serial 41' }],
  });
  await setStatus('zdr', 'team-a', 'www', { conditions: READY, fqdn: 'www.mine.example' });
  const taken = 'DNSRecord team-a/www already owns 192.0.2.1. Delete one of the two objects.';
  await setStatus('zdr', 'team-a', 'double', {
    conditions: [
      condition('Accepted', 'True'),
      condition('Programmed', 'False', 'Conflict', taken),
      condition('Propagated', 'Unknown', 'Conflict', 'Not checked.'),
      condition('Ready', 'False', 'Conflict', taken),
    ],
  });
  const refused = 'DNSZone team-a/mine does not allow A records named shop from namespace team-b.';
  await setStatus('zdr', 'team-b', 'shop', {
    conditions: [
      condition('Accepted', 'False', 'NotPermitted', refused),
      condition('Ready', 'False', 'NotPermitted', refused),
    ],
  });
}, 600_000);
afterAll(() => plane?.stop());

// First: the other tests need the link of the page.
test('kubectl zonestead works as the page shows', async () => {
  const shell = openShell({ cwd: folder, env: { PATH, HOME: folder, KUBECONFIG: plane.kubeconfig, ...COMPILED } });
  try {
    for (const step of await scenario('kubectl plugin')) await follow(step, { shell });
  } finally {
    await shell.close();
  }
});

test('an administrator sees zones, the records that are not Ready, and the next command', async () => {
  const { out } = await plugin(plane.kubeconfig, 'status', '-n', 'team-a');
  expect(out).toMatch(/^mine +mine\.example +2 +1\/2 +DSRequired +Ready$/m);
  expect(out).toContain('RECORDS: 2, of which 1 not Ready');
  expect(out).toMatch(/^double +mine +www A 192\.0\.2\.1 +Conflict +DNSRecord team-a\/www already owns/m);
  expect(out).not.toMatch(/^www /m);
  expect(out.trimEnd().split('\n').at(-1)).toBe('kubectl zonestead why zdr/double -n team-a');
  expect((await plugin(plane.kubeconfig, 'status', '-A')).out).toMatch(/^team-b +shop +team-a\/mine /m);
});

test('an administrator sees the records of a zone from every namespace', async () => {
  const { out } = await plugin(plane.kubeconfig, 'tree', 'mine', '-n', 'team-a');
  expect(out.split('\n')[0]).toBe('DNSZone team-a/mine: mine.example: Ready');
  expect(out).toContain('├─ DNSRecord www: www A 192.0.2.1: Ready\n│  └─ Accepted, Programmed, Propagated, Ready\n');
  expect(out).toContain('└─ DNSRecord team-b/shop: shop A 192.0.2.2: not Ready: NotPermitted');
  expect(out).toContain('It had 7 records there, with those of other owners (as the operator saw it last,');
  expect((await plugin(plane.kubeconfig, 'tree', 'mine.example', '-A')).out).toBe(out);
});

test('an administrator learns the cause of a conflict, the winner, and the serial of each name server', async () => {
  const { out } = await plugin(plane.kubeconfig, 'why', 'double', '-n', 'team-a');
  expect(out).toContain('  Programmed: False, Conflict\n    DNSRecord team-a/www already owns 192.0.2.1.');
  expect(out).toMatch(/Remedy: the message names the other object/);
  expect(out).toContain('DNSRecord team-a/www: www A 192.0.2.1 in DNSZone team-a/mine: Ready');
  expect(out).toMatch(/^ns2\.example\.net +192\.0\.2\.53 +ns2 +41 +serves serial 41$/m);
  expect(out).toContain(
    '(the service had serial 43; as the operator saw it last, which looks every 10 minutes while it runs)',
  );
  expect(out).toMatch(/^ns2 +Behind +The disk is full\.$/m);
  const next = out.trimEnd().split('\n').at(-1) ?? '';
  expect(next).toBe('  kubectl zonestead why zdr/www -n team-a');
  // The command works.
  const words = next.trim().split(' ').slice(2);
  expect((await plugin(plane.kubeconfig, ...words)).out).toContain('DNSRecord team-a/www: Ready');
});

test('an administrator gets the same words about the zone of a record from why and from doctor', async () => {
  const why = await plugin(plane.kubeconfig, 'why', 'www', '-n', 'team-a');
  const doctor = await run('zonestead', plane.kubeconfig, ['doctor', 'www.mine.example', '--namespace', 'team-a']);
  const findings = [
    'FAIL  The disk is full.\n      → Read the log of node ns2; `zonestead admin nodes list` shows its state\n',
    'warn  mine.example has no confirmed delegation: The parent has no DS record.\n      → Publish the DS record of the message at the parent.',
  ];
  for (const each of findings) for (const out of [why.out, doctor.out]) expect(out).toContain(each);
  expect(doctor.code).toBe(1);
  // The first thing to repair is the first line.
  expect(doctor.out).toMatch(/^FAIL {2}APIService v1alpha1\.acme\.zonestead\.dev is missing\n/);
  const lost = await run('zonestead', undefined, ['doctor']);
  expect([lost.code, lost.err]).toEqual([1, expect.stringMatching(/Name one with KUBECONFIG\.$/)]);
});

test('a user of one namespace gets the facts of that namespace, and a sentence about each right that is missing', async () => {
  const { code, out } = await plugin(tenant, 'why', 'dnsrecord/shop', '-n', 'team-b');
  expect(code).toBe(0);
  expect(out).toContain('Accepted: False, NotPermitted');
  expect(out).toContain('You have no right to get dnszones.zonestead.dev in namespace team-a.');
  expect(out).toContain('kubectl edit dnszone.zonestead.dev/mine -n team-a');
  expect((await plugin(tenant, 'status', '-n', 'team-b')).out).toMatch(/^shop +team-a\/mine /m);
  const all = await plugin(tenant, 'status', '-A');
  expect([all.code, all.out]).toEqual([
    0,
    'You have no right to list dnszones.zonestead.dev in all namespaces.\nYou have no right to list dnsrecords.zonestead.dev in all namespaces.',
  ]);
});

test('a user of one namespace without any right gets a sentence', async () => {
  const { code, err } = await plugin(nobody, 'why', 'www', '-n', 'team-a');
  expect([code, err]).toEqual([1, 'zonestead: You have no right to list dnszones.zonestead.dev in namespace team-a.']);
});

test('a wrong word ends in a sentence for a name', async () => {
  const { code, err } = await plugin(plane.kubeconfig, 'why', 'doubles', '-n', 'team-a');
  expect(code).toBe(1);
  expect(err).toMatch(/No DNSZone or DNSRecord in namespace team-a has the name doubles\. Similar names are double\./);
  expect((await plugin(plane.kubeconfig, 'why', 'pod/x')).err).toMatch(/pod\/x is not an object: give NAME/);
  const first = await plugin(plane.kubeconfig, 'why', '-n', 'team-a');
  expect(first.out).toMatch(
    /^1 object is not Ready in namespace team-a\.\n\nDNSRecord team-a\/double: not Ready: Conflict\n/,
  );
  const twoWords = await plugin(plane.kubeconfig, 'why', 'zdr', 'www', '-n', 'team-a');
  expect(twoWords.out).toContain('DNSRecord team-a/www: Ready');
  expect((await plugin(plane.kubeconfig, 'status', '-n', 'empty')).out).toBe(
    'There are no DNSZones and no DNSRecords in namespace empty.',
  );
});

test('a wrong word ends in a sentence for a kubeconfig, a context, a cluster', async () => {
  const missing = await plugin('/nowhere/config', 'status');
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringMatching(/^zonestead: The kubeconfig \/nowhere\/config cannot be used: ENOENT/),
  ]);
  const context = await plugin(plane.kubeconfig, 'status', '--context', 'prod');
  expect(context.err).toMatch(/There is no context prod; the contexts are \S+\. Name another one with --kubeconfig/);
  const broken = join(folder, 'broken');
  await writeFile(broken, 'a: [');
  expect((await plugin(undefined, 'status', '--kubeconfig', broken)).err).toMatch(
    /^zonestead: The kubeconfig \S+ cannot be used: /,
  );
  const away = join(folder, 'away');
  const text = await admin('config', 'view', '--raw');
  await writeFile(away, text.replace(/server: \S+/, 'server: https://127.0.0.1:1'));
  expect((await plugin(away, 'status')).err).toMatch(/^zonestead: The API server does not answer: .*Check the context/);
  const other = await plugin(undefined, 'status');
  expect([other.code, other.err]).toEqual([
    1,
    'zonestead: No kubeconfig was found: KUBECONFIG is not set, and there is no ~/.kube/config. Name one with --kubeconfig.',
  ]);
});

test('a wrong word ends in a sentence for a cluster without Zonestead', async () => {
  await admin('delete', 'crd', `${DNS_ZONE.plural}.${DNS_ZONE.group}`, `${DNS_RECORD.plural}.${DNS_RECORD.group}`);
  expect((await plugin(plane.kubeconfig, 'status')).err).toMatch(
    /^zonestead: The cluster has no resource DNSZone: Zonestead is not/,
  );
});
