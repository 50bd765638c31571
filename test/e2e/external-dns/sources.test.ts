// The real external-dns with the webhook provider: Services, Ingresses and DNSEndpoints of a real kube-apiserver reach
// the zones, each instance changes only its own records, and external-dns waits while the write limit is used up.
// Instance `one` has no registry, as the page recommends; instance `two` has the TXT registry. Instance `three` gets a
// zone that was imported from the TXT registry of another provider.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { scenario } from '../../support/docs/scenario.ts';
import { startDnsEndpointCluster } from '../../support/external-dns/dnsendpoint-cluster.ts';
import {
  type ExternalDns,
  type ExternalDnsOptions,
  ensureExternalDns,
  startExternalDns,
} from '../../support/external-dns/external-dns.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const { signal } = new AbortController();
const [documented] = await scenario('external-dns');
const service = await startTestService({ limits: true });
const PATIENT = { timeout: 100_000, interval: 200 };
vi.setConfig({ testTimeout: 400_000 });
/** A minute. */
const WRITES = 60;

const { command, crd } = await ensureExternalDns(signal);
const dir = await temporaryFolder('external-dns');
const { kubeconfig, kubectl, apply: applyObjects } = await startDnsEndpointCluster(dir, crd);
let zone: { id: string };
let one: ExternalDns;
let two: ExternalDns;
let oneKey: string;
let common: Omit<ExternalDnsOptions, 'key' | 'owner'>;
let startOne: (settings?: Record<string, string>) => Promise<ExternalDns>;

beforeAll(async () => {
  for (const name of ['one', 'two', 'three']) await kubectl('create', 'namespace', name);
  zone = await service.zone('apps.example');
  const [keyOfOne, keyOfTwo] = [
    await service.key({ manageZones: 'none', recordWrites: WRITES }),
    await service.key({ manageZones: 'none', recordWrites: 5_000 }),
  ];
  oneKey = keyOfOne.id;
  common = {
    ...{ command, documented: documented?.text ?? '', kubeconfig, url: service.url },
    ...{ stateDir: dir, signal },
  };
  startOne = (settings = {}) => startExternalDns({ ...common, key: keyOfOne.text, owner: 'one', settings });
  one = await startOne();
  two = await startExternalDns({ ...common, key: keyOfTwo.text, owner: 'two', txt: true });
}, 300_000);

afterAll(async () => {
  await one?.stop();
  await two?.stop();
});

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

/** An Ingress of namespace `one`. */
const ingress = (name: string, target: string, host = `${name}.apps.example`) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { namespace: 'one', name, annotations: annotationsFor({ target }) },
  spec: { rules: [{ host }], defaultBackend: { service: { name, port: { number: 80 } } } },
});

const answers = async (name: string, type = 'A') => (await service.dns.lookup(`${name}.apps.example`, type)).answers;
/** The owners of the zone: `name type owner`. */
const ownership = async () => {
  const rows = await service.sql`select s.name, s.type, s.owner from owned_sets s join zones z on z.no = s.zone_no
    where z.name = 'apps.example'`;
  return rows.map(({ name, type, owner }) => `${name} ${type} ${owner}`).sort();
};
const ownersOf = async (name: string) => (await ownership()).filter((line) => line.startsWith(`${name} `));
const registered = async () => {
  const rows = await service.sql`select name, content from records where type = 'TXT'`;
  return rows.map(({ name, content }) => `${name} ${/owner=(\w+)/.exec(content)?.[1]}`).sort();
};
/** Waits until each instance has ended three rounds more. */
async function moreRounds(): Promise<void> {
  const rounds = [await one.rounds(), await two.rounds()];
  for (const [index, instance] of [one, two].entries())
    await expect.poll(() => instance.rounds(), PATIENT).toBeGreaterThan((rounds[index] ?? 0) + 3);
}
const resetWindow = () => service.sql`update write_windows set times = '{}' where key_id = ${oneKey}`;

test('a Service is created, changed and deleted in the zone, with its owner', async () => {
  await apply({ namespace: 'one', name: 'web', target: '192.0.2.1,192.0.2.2', ttl: '120' });
  await expect
    .poll(() => answers('web'), PATIENT)
    .toEqual(['web.apps.example 120 A 192.0.2.1', 'web.apps.example 120 A 192.0.2.2']);
  await expect.poll(ownership, PATIENT).toEqual(['web A external-dns:one/service/one/web']);
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

test('an Ingress is created, changed and deleted in the zone, with its owner', async () => {
  await applyObjects(ingress('shop', '192.0.2.21'));
  await expect.poll(() => answers('shop'), PATIENT).toEqual(['shop.apps.example 3600 A 192.0.2.21']);
  await expect.poll(ownership, PATIENT).toEqual(['shop A external-dns:one/ingress/one/shop']);
  await applyObjects(ingress('shop', '192.0.2.22'));
  await expect.poll(() => answers('shop'), PATIENT).toEqual(['shop.apps.example 3600 A 192.0.2.22']);
  await kubectl('-n', 'one', 'delete', 'ingress', 'shop');
  await expect.poll(() => answers('shop'), PATIENT).toEqual([]);
  await expect.poll(ownership, PATIENT).toEqual([]);
});

test('a DNSEndpoint is created, changed and deleted in the zone, with its owner and its entry in the registry', async () => {
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
  await expect
    .poll(ownership, PATIENT)
    .toEqual([
      'aaaa-box TXT external-dns:two/registry',
      'box AAAA external-dns:two/crd/two/mail',
      'in MX external-dns:two/crd/two/mail',
      'mx-in TXT external-dns:two/registry',
    ]);
  await expect.poll(registered, PATIENT).toEqual(['aaaa-box two', 'mx-in two']);
  await applyObjects(endpoint('20 mx2.example.net'));
  await expect.poll(() => answers('in', 'MX'), PATIENT).toEqual(['in.apps.example 90 MX 20 mx2.example.net']);
  // Without its entry in the registry, the record still belongs to its instance.
  const { body } = await service.request('GET', `/zones/${zone.id}/records?name=mx-in`);
  for (const { id } of body.records as { id: string }[])
    await service.request('DELETE', `/zones/${zone.id}/records/${id}`);
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
  const told = async () =>
    (await two.webhook.tail(200)).includes('the name has A records of external-dns:one/service/one/first');
  await expect.poll(told, PATIENT).toBe(true);
  expect(await answers('first')).toEqual(['first.apps.example 3600 A 192.0.2.1']);
  await kubectl('-n', 'two', 'delete', 'service', 'thief', 'second');
  await expect.poll(() => answers('second'), PATIENT).toEqual([]);
  expect(await answers('first')).toHaveLength(1);
  expect((await service.request('GET', `/zones/${people.id}/records`)).body.records).toHaveLength(1);
  expect(await ownersOf('first')).toEqual(['first A external-dns:one/service/one/first']);
});

test('two objects want one name: the first one keeps it until it is deleted', async () => {
  const host = 'wanted.apps.example';
  await apply({ namespace: 'one', name: 'holder', host, target: '192.0.2.50' });
  await expect.poll(() => answers('wanted'), PATIENT).toEqual(['wanted.apps.example 3600 A 192.0.2.50']);
  // Without the object in the owner, external-dns would prefer the lower address.
  await applyObjects(ingress('latecomer', '192.0.2.10', host), ingress('after', '192.0.2.11'));
  await expect.poll(() => answers('after'), PATIENT).toHaveLength(1);
  expect(await answers('wanted')).toEqual(['wanted.apps.example 3600 A 192.0.2.50']);
  await kubectl('-n', 'one', 'delete', 'service', 'holder');
  await expect.poll(() => answers('wanted'), PATIENT).toEqual(['wanted.apps.example 3600 A 192.0.2.10']);
  await expect.poll(() => ownersOf('wanted'), PATIENT).toEqual(['wanted A external-dns:one/ingress/one/latecomer']);
});

test('records that people changed come back, and rounds without changes write nothing', async () => {
  const { body } = await service.request('GET', `/zones/${zone.id}/records?name=first`);
  const [{ id }] = body.records as [{ id: string }];
  const changed = { name: 'first', type: 'A', content: '192.0.2.1', ttl: 60 };
  expect((await service.request('PUT', `/zones/${zone.id}/records/${id}`, changed)).status).toBe(200);
  const ttls = async () => {
    const answer = await service.request('GET', `/zones/${zone.id}/records?name=first`);
    return (answer.body.records as { ttl: number }[]).map(({ ttl }) => ttl);
  };
  await expect.poll(ttls, PATIENT).toEqual([3600]);
  await expect.poll(() => answers('first'), PATIENT).toEqual(['first.apps.example 3600 A 192.0.2.1']);
  const rows = async () => [
    await service.sql`select id, xmin::text from owned_sets order by id`,
    await service.sql`select id, xmin::text from records order by id`,
    await service.sql`select count(*)::int as n from changes`,
  ];
  // The entries in the registry of earlier changes are written in rounds of their own.
  await moreRounds();
  const before = await rows();
  await moreRounds();
  expect(await rows()).toEqual(before);
});

test('a used-up write limit is waited out, and no source gives up', async () => {
  // As if all places had been taken 45 s ago: they are free in 15 s.
  const fill = () => service.sql`
    update write_windows set times = array(select now() - interval '45 seconds' from generate_series(1, ${WRITES}))
    where key_id = ${oneKey}`;
  await fill();
  const COUNT = 25;
  const many = Array.from({ length: COUNT }, (_, at) => ({ namespace: 'one', name: `m${at}`, target: '192.0.2.9' }));
  await apply(...many);
  const served = async () => {
    const [row] = await service.sql`select count(*)::int as n from records where name ~ '^m[0-9]+$' and type = 'A'`;
    return row?.n;
  };
  // Full until a write was refused, also if that takes longer than 15 s.
  const told = async () => {
    const isTold = (await one.webhook.tail(200)).includes('the API limits the rate');
    if (!isTold) await fill();
    return isTold;
  };
  await expect.poll(told, PATIENT).toBe(true);
  await expect.poll(served, { timeout: 180_000, interval: 500 }).toBe(COUNT);
  expect(await Promise.race([one.program.exited, Promise.resolve('running')])).toBe('running');
  expect(await registered()).toEqual(expect.not.arrayContaining([expect.stringContaining(' one')]));
});

test('sources that are empty all at once delete nothing, until the administrator confirms it', async () => {
  await resetWindow();
  await kubectl('-n', 'one', 'delete', 'services,ingresses', '--all');
  const told = async () => (await one.webhook.tail(200)).includes('nothing was deleted. If this is right');
  await expect.poll(told, PATIENT).toBe(true);
  expect((await ownership()).filter((line) => line.includes('external-dns:one/')).length).toBeGreaterThan(5);
  await one.stop();
  await resetWindow();
  one = await startOne({ ZONESTEAD_EXTERNAL_DNS_MASS_DELETION: 'on' });
  const left = async () => (await ownership()).filter((line) => line.includes('external-dns:one/'));
  await expect.poll(left, PATIENT).toEqual([]);
  await expect.poll(() => answers('m0'), PATIENT).toEqual([]);
  expect(await answers('other')).toHaveLength(1);
});

test('an instance whose zone was imported from its TXT registry changes nothing, and knows its records', async () => {
  const file = join(dir, 'imported.zone');
  const entry = (resource: string) =>
    `"heritage=external-dns,external-dns/owner=three,external-dns/resource=${resource}"`;
  const lines = [
    '$ORIGIN imported.example.',
    'web       300 IN A     192.0.2.80',
    'web       300 IN A     192.0.2.81',
    `a-web     300 IN TXT   ${entry('service/three/web')}`,
    'blog      120 IN CNAME lb.example.net.',
    `cname-blog 300 IN TXT  ${entry('ingress/three/blog')}`,
    'manual    300 IN A     192.0.2.82',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const key = await service.key({ manageZones: 'write' });
  vi.stubEnv('ZONESTEAD_URL', service.url);
  vi.stubEnv('ZONESTEAD_API_KEY', key.text);
  expect((await zonestead('import', file, '--create', '--external-dns')).err).toBe('');
  const rows = async () => [
    await service.sql`select r.id, r.name, r.type, r.content, r.ttl, r.xmin::text from records r
      join zones z on z.no = r.zone_no where z.name = 'imported.example' order by r.id`,
    await service.sql`select s.name, s.type, s.owner, s.xmin::text from owned_sets s
      join zones z on z.no = s.zone_no where z.name = 'imported.example' order by s.name`,
  ];
  const before = await rows();
  expect(before[0]?.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
    'blog CNAME',
    'manual A',
    'web A',
    'web A',
  ]);
  expect(before[1]?.map(({ name, owner }) => `${name} ${owner}`)).toEqual([
    'blog external-dns:three/ingress/three/blog',
    'web external-dns:three/service/three/web',
  ]);
  // The objects that the records came from, at the old provider.
  const blog = ingress('blog', 'lb.example.net', 'blog.imported.example');
  const annotations = annotationsFor({ target: 'lb.example.net', ttl: '120' });
  await applyObjects(
    ...servicesFor([
      { namespace: 'three', name: 'web', host: 'web.imported.example', target: '192.0.2.80,192.0.2.81', ttl: '300' },
    ]),
    { ...blog, metadata: { ...blog.metadata, namespace: 'three', annotations } },
  );
  const three = await startExternalDns({ ...common, key: key.text, owner: 'three' });
  try {
    await expect.poll(() => three.rounds(), PATIENT).toBeGreaterThan(3);
    expect(await rows()).toEqual(before);
    // It is the owner: a change and a deletion of the objects reach the zone, and the record of people stays.
    await apply({ namespace: 'three', name: 'web', host: 'web.imported.example', target: '192.0.2.83', ttl: '300' });
    const asked = async (name: string, type: string) =>
      (await service.dns.lookup(`${name}.imported.example`, type)).answers;
    await expect.poll(() => asked('web', 'A'), PATIENT).toEqual(['web.imported.example 300 A 192.0.2.83']);
    await kubectl('-n', 'three', 'delete', 'ingress', 'blog');
    await expect.poll(() => asked('blog', 'CNAME'), PATIENT).toEqual([]);
    expect(await asked('manual', 'A')).toHaveLength(1);
  } finally {
    await three.stop();
  }
});
