// The real external-dns with the webhook provider: Services, Ingresses and DNSEndpoints of a real kube-apiserver reach
// the zones, each owner changes only its own records, and external-dns waits while the write limit is used up.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { type ControlPlane, startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { type ExternalDns, ensureExternalDns, startExternalDns } from '../../support/external-dns.ts';
import { startTestService } from '../../support/service.ts';

const { signal } = new AbortController();
const [documented] = await scenario('external-dns');
const service = await startTestService({ limits: true });
const PATIENT = { timeout: 60_000, interval: 200 };
/** A minute. */
const WRITES = 60;

let dir: string;
let cluster: ControlPlane;
let kubectlPath: string;
let one: ExternalDns;
let two: ExternalDns;
let oneKey: string;

beforeAll(async () => {
  const { command, crd } = await ensureExternalDns(signal);
  dir = await mkdtemp(join(tmpdir(), 'zonestead-external-dns-'));
  await chmod(dir, 0o711);
  const programs = await ensureControlPlane({ progress: () => {}, signal });
  kubectlPath = join(programs.dir, 'kubectl');
  const ports = await allocatePorts([{ name: 'etcd' }, { name: 'etcdPeer' }, { name: 'apiserver' }], { stateDir: dir });
  cluster = await startControlPlane({ dir: programs.dir, stateDir: dir, ports, signal });
  await kubectl('apply', '--server-side', '-f', crd);
  await kubectl('wait', '--for=condition=Established', '--timeout=50s', '-f', crd);
  for (const name of ['one', 'two']) await kubectl('create', 'namespace', name);
  await service.zone('apps.example');
  const start = async (owner: string) => {
    const { id, text: key } = await service.key({ manageZones: 'none', recordWrites: WRITES });
    if (owner === 'one') oneKey = id;
    return startExternalDns({
      ...{ command, documented: documented?.text ?? '', kubeconfig: cluster.kubeconfig, url: service.url, key, owner },
      ...{ stateDir: dir, signal },
    });
  };
  one = await start('one');
  two = await start('two');
}, 300_000);

afterAll(async () => {
  await one?.stop();
  await two?.stop();
  await cluster?.stop();
  if (dir) await rm(dir, { recursive: true, force: true });
});

async function kubectl(...args: string[]): Promise<string> {
  const words = [`--kubeconfig=${cluster.kubeconfig}`, ...args];
  const { code, out, tail } = await runCommand({ command: kubectlPath, args: words, timeoutMs: 60_000, signal });
  if (code !== 0) throw new Error(tail);
  return out;
}

interface Wanted {
  namespace: string;
  name: string;
  host?: string;
  target: string;
  ttl?: string;
}

async function apply(...wanted: Wanted[]): Promise<void> {
  await applyObjects(...servicesFor(wanted));
}

const annotationsFor = ({ host, target, ttl }: { host?: string; target: string; ttl?: string | undefined }) => ({
  ...(host === undefined ? {} : { 'external-dns.alpha.kubernetes.io/hostname': host }),
  'external-dns.alpha.kubernetes.io/target': target,
  ...(ttl === undefined ? {} : { 'external-dns.alpha.kubernetes.io/ttl': ttl }),
});

function servicesFor(wanted: readonly Wanted[]): object[] {
  return wanted.map(({ namespace, name, host = `${name}.apps.example`, target, ttl }) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, annotations: annotationsFor({ host, target, ttl }) },
    spec: { ports: [{ port: 80 }] },
  }));
}

async function applyObjects(...items: object[]): Promise<void> {
  const file = join(dir, 'objects.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await kubectl('apply', '-f', file);
}

const answers = async (name: string, type = 'A') => (await service.dns.lookup(`${name}.apps.example`, type)).answers;
const ownership = async () => {
  const [zone] = await service.sql`select no from zones where name = 'apps.example'`;
  const rows = await service.sql`select name, content from records where zone_no = ${zone?.no} and type = 'TXT'`;
  return rows.map(({ name, content }) => `${name} ${/owner=(\w+)/.exec(content)?.[1]}`).sort();
};

test('a Service is created, changed and deleted in the zone, with its ownership', async () => {
  await apply({ namespace: 'one', name: 'web', target: '192.0.2.1,192.0.2.2', ttl: '120' });
  await expect
    .poll(() => answers('web'), PATIENT)
    .toEqual(['web.apps.example 120 A 192.0.2.1', 'web.apps.example 120 A 192.0.2.2']);
  expect(await ownership()).toEqual(['a-web one']);
  await apply({ namespace: 'one', name: 'web', target: '192.0.2.2,192.0.2.3', ttl: '60' });
  await expect
    .poll(() => answers('web'), PATIENT)
    .toEqual(['web.apps.example 60 A 192.0.2.2', 'web.apps.example 60 A 192.0.2.3']);
  await apply({ namespace: 'one', name: 'web', target: 'lb.example.net', ttl: '60' });
  await expect.poll(() => answers('web', 'CNAME'), PATIENT).toEqual(['web.apps.example 60 CNAME lb.example.net']);
  await kubectl('-n', 'one', 'delete', 'service', 'web');
  await expect.poll(() => answers('web', 'CNAME'), PATIENT).toEqual([]);
  await expect.poll(ownership, PATIENT).toEqual([]);
});

test('an Ingress is created, changed and deleted in the zone, with its ownership', async () => {
  const ingress = (target: string) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { namespace: 'one', name: 'shop', annotations: annotationsFor({ target }) },
    spec: {
      rules: [{ host: 'shop.apps.example' }],
      defaultBackend: { service: { name: 'shop', port: { number: 80 } } },
    },
  });
  await applyObjects(ingress('192.0.2.21'));
  await expect.poll(() => answers('shop'), PATIENT).toEqual(['shop.apps.example 3600 A 192.0.2.21']);
  expect(await ownership()).toEqual(['a-shop one']);
  await applyObjects(ingress('192.0.2.22'));
  await expect.poll(() => answers('shop'), PATIENT).toEqual(['shop.apps.example 3600 A 192.0.2.22']);
  await kubectl('-n', 'one', 'delete', 'ingress', 'shop');
  await expect.poll(() => answers('shop'), PATIENT).toEqual([]);
  await expect.poll(ownership, PATIENT).toEqual([]);
});

test('a DNSEndpoint is created, changed and deleted in the zone, with its ownership', async () => {
  const endpoint = (mail: string) => ({
    apiVersion: 'externaldns.k8s.io/v1alpha1',
    kind: 'DNSEndpoint',
    metadata: { namespace: 'two', name: 'mail' },
    spec: {
      endpoints: [
        { dnsName: 'in.apps.example', recordTTL: 90, recordType: 'MX', targets: [mail] },
        { dnsName: 'box.apps.example', recordTTL: 90, recordType: 'AAAA', targets: ['2001:db8::1', '2001:db8::2'] },
      ],
    },
  });
  await applyObjects(endpoint('10 mx1.example.net'));
  await expect.poll(() => answers('in', 'MX'), PATIENT).toEqual(['in.apps.example 90 MX 10 mx1.example.net']);
  await expect.poll(() => answers('box', 'AAAA'), PATIENT).toHaveLength(2);
  expect(await ownership()).toEqual(['aaaa-box two', 'mx-in two']);
  await applyObjects(endpoint('20 mx2.example.net'));
  await expect.poll(() => answers('in', 'MX'), PATIENT).toEqual(['in.apps.example 90 MX 20 mx2.example.net']);
  await kubectl('-n', 'two', 'delete', 'dnsendpoint', 'mail');
  await expect.poll(() => answers('in', 'MX'), PATIENT).toEqual([]);
  await expect.poll(() => answers('box', 'AAAA'), PATIENT).toEqual([]);
  await expect.poll(ownership, PATIENT).toEqual([]);
});

test('two instances share a zone, and neither touches what the other owns', async () => {
  await apply(
    { namespace: 'one', name: 'first', target: '192.0.2.1' },
    { namespace: 'two', name: 'second', target: '192.0.2.2' },
    { namespace: 'two', name: 'apex', host: 'apps.example', target: 'lb.example.net' },
  );
  await expect.poll(() => answers('first'), PATIENT).toHaveLength(1);
  await expect.poll(() => answers('second'), PATIENT).toHaveLength(1);
  // The second one wants a name of the first, and a record that people made.
  const people = await service.zone('people.apps.example');
  await service.record(people, 'www', 'A', '192.0.2.7');
  await apply(
    { namespace: 'two', name: 'thief', host: 'first.apps.example', target: '192.0.2.66' },
    { namespace: 'two', name: 'other', host: 'other.apps.example', target: '192.0.2.5' },
  );
  await expect.poll(() => answers('other'), PATIENT).toHaveLength(1);
  expect(await answers('first')).toEqual(['first.apps.example 3600 A 192.0.2.1']);
  await kubectl('-n', 'two', 'delete', 'service', 'thief', 'second');
  await expect.poll(() => answers('second'), PATIENT).toEqual([]);
  expect(await answers('first')).toHaveLength(1);
  expect((await service.request('GET', `/zones/${people.id}/records`)).body.records).toHaveLength(1);
  expect((await ownership()).filter((line) => line.includes('first'))).toEqual(['a-first one']);
});

test('a used-up write limit is waited out, and nobody gives up', async () => {
  // As if all places had been taken 45 s ago: they are free in 15 s.
  await service.sql`
    update write_windows set times = array(select now() - interval '45 seconds' from generate_series(1, ${WRITES}))
    where key_id = ${oneKey}`;
  const COUNT = 25;
  const many = Array.from({ length: COUNT }, (_, at) => ({ namespace: 'one', name: `m${at}`, target: '192.0.2.9' }));
  await apply(...many);
  const served = async () => {
    const [row] = await service.sql`select count(*)::int as n from records where name ~ '^m[0-9]+$' and type = 'A'`;
    return row?.n;
  };
  const told = async () => (await one.webhook.tail(200)).includes('the API limits the rate');
  await expect.poll(told, PATIENT).toBe(true);
  await expect.poll(served, { timeout: 120_000, interval: 500 }).toBe(COUNT);
  expect(await Promise.race([one.program.exited, Promise.resolve('running')])).toBe('running');
  expect((await ownership()).filter((line) => /^a-m\d+ one$/.test(line))).toHaveLength(COUNT);
});
