// The life of a DNSZone between a cluster and a service in memory.

import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { parkZone, updateZone } from '#contract/operations/zones.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { EXISTING_ZONES, FORCE_DELETE } from '#resources/names.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { OWNER } from '../../support/operator/memory-service.ts';

const ZONE = 'default/example';

function zone(on: Bench, spec: Record<string, unknown> = {}): void {
  // An administrator permits this namespace to use existing zones.
  on.cluster.create(NAMESPACE, { namespace: '', name: 'default', labels: { [EXISTING_ZONES]: 'allow' } }, {});
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', ...spec });
}

async function bench(spec: Record<string, unknown> = {}): Promise<Bench> {
  const made = new Bench();
  zone(made, spec);
  await made.settle();
  return made;
}

const record = (on: Bench, name: string, content = '192.0.2.1') =>
  on.cluster.create(DNS_RECORD, { name }, { zoneRef: { name: 'example' }, name, type: 'A', content });

const object = (on: Bench) => on.cluster.zone(ZONE);
const atService = (on: Bench) => [...on.service.zones.values()].map(({ zone: each }) => each);
const writes = (on: Bench) =>
  on.faults.calls.filter((call) => /^api (create|change|park|unpark|delete|update)/.test(call));

test('a DNSZone is created for the team of the key, and shows the records that its parent needs', async () => {
  const on = await bench({ zoneName: 'Example.ORG.', defaultTtl: 300 });
  expect(atService(on)).toMatchObject([{ zoneName: 'example.org', owner: OWNER, defaultTtl: 300, state: 'active' }]);
  expect(object(on)?.status).toMatchObject({
    observedGeneration: 1,
    zoneId: atService(on)[0]?.id,
    creationStatus: 'done',
    state: 'active',
    nameservers: ['ns1.zonestead.test'],
    defaultTtl: 300,
  });
  expect(audit(on)).toEqual([]);
});

test('a DNSZone says in its condition that its name is a single label, and says nothing about a whole name', async () => {
  const single = await bench({ zoneName: 'example' });
  expect(single.ready(object(single))).toBe('True Ready');
  expect(single.message(object(single))).toContain('example is a single label, which the public DNS has as');
  const whole = await bench();
  expect(whole.message(object(whole))).not.toContain('single label');
});

test('a DNSZone has its finalizer and its intent in the status before it is created', async () => {
  const on = new Bench();
  zone(on);
  await on.run('zone', ZONE);
  expect(on.faults.calls.slice(0, 4)).toEqual([
    'kube patch dnszones example',
    'api find example.org',
    'kube status dnszones example',
    'api create zone example.org',
  ]);
});

test('a DNSZone is only read when nothing has changed, about every ten minutes', async () => {
  const on = await bench();
  on.faults.arm(null);
  const { result } = await on.run('zone', ZONE);
  expect(on.faults.calls).toEqual([`api get ${atService(on)[0]?.id}`]);
  expect(result?.requeueAfterMs).toBeGreaterThan(500_000);
  expect(result?.requeueAfterMs).toBeLessThanOrEqual(660_000);
});

test('a DNSZone is parked, unparked and gets its default TTL and its denial', async () => {
  const on = await bench();
  on.cluster.edit(DNS_ZONE, ZONE, { parked: true, defaultTtl: 60, denial: 'NSEC3' });
  await on.settle();
  expect(atService(on)).toMatchObject([{ state: 'parked', defaultTtl: 60, denial: 'NSEC3' }]);
  on.cluster.edit(DNS_ZONE, ZONE, { parked: false, defaultTtl: undefined, denial: undefined });
  await on.settle();
  // `kubectl explain` says "Default: 3600".
  expect(atService(on)).toMatchObject([{ state: 'active', defaultTtl: 3600, denial: 'NSEC' }]);
  expect(object(on)?.status).toMatchObject({ state: 'active', defaultTtl: 3600, denial: 'NSEC' });
});

test('a DNSZone keeps a default TTL that another client set when driftPolicy does not revert it', async () => {
  const on = await bench({ driftPolicy: 'Report', defaultTtl: 60 });
  on.cluster.edit(DNS_ZONE, ZONE, { defaultTtl: undefined });
  await on.settle();
  expect(atService(on)).toMatchObject([{ defaultTtl: 60 }]);
});

test('a DNSZone is created with its denial, and a zone that is taken over keeps its own', async () => {
  const on = await bench({ denial: 'NSEC3' });
  expect(atService(on)).toMatchObject([{ denial: 'NSEC3' }]);
  const other = new Bench();
  const id = other.service.seedZone('example.org', [{ name: 'www' }]);
  await other.service.client.call(updateZone, { params: { id }, body: { denial: 'NSEC3' } });
  zone(other, { adopt: 'IfIdentical', denial: 'NSEC' });
  await other.settle();
  expect(other.message(object(other))).toContain('Set denial: NSEC3 in the spec.');
  other.cluster.edit(DNS_ZONE, ZONE, { denial: undefined });
  await other.settle();
  expect(object(other)?.status).toMatchObject({ origin: 'Adopted', denial: 'NSEC3' });
});

test('a DNSZone takes over an existing zone with adopt only if the takeover changes nothing', async () => {
  const on = new Bench();
  const id = on.service.seedZone('example.org', [{ name: 'www' }]);
  await on.service.client.call(updateZone, { params: { id }, body: { defaultTtl: 600 } });
  await on.service.client.call(parkZone, { params: { id } });
  const before = on.faults.calls.length;
  zone(on, { adopt: 'IfIdentical', defaultTtl: 60 });
  await on.settle();
  expect(on.ready(object(on))).toBe('False Conflict');
  expect(on.message(object(on))).toContain('Set defaultTtl: 600 and parked: true in the spec.');
  on.cluster.edit(DNS_ZONE, ZONE, { defaultTtl: undefined });
  await on.settle();
  expect(on.message(object(on))).toContain('Set parked: true in the spec.');
  expect(atService(on)).toMatchObject([{ id, defaultTtl: 600, state: 'parked' }]);
  on.cluster.edit(DNS_ZONE, ZONE, { parked: true });
  await on.settle();
  expect(object(on)?.status?.origin).toBe('Adopted');
  expect(on.faults.calls.slice(before).filter((call) => /^api (create|change|park|unpark)/.test(call))).toEqual([]);
});

test('a DNSZone that exists already reports a conflict, and recovers without an edit', async () => {
  const on = new Bench();
  const id = on.service.seedZone('example.org');
  zone(on);
  const runs = await on.settle();
  expect(on.ready(object(on))).toBe('False Conflict');
  expect(on.message(object(on))).toMatch(/^Zone example\.org already exists at the DNS service, .* set spec\.adopt/);
  expect(runs.get(`zone ${ZONE}`)?.result?.requeueAfterMs).toBeGreaterThan(0);
  on.service.dropZone(id);
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a DNSZone that is refused writes its status once, not at each attempt', async () => {
  const on = new Bench();
  on.service.seedZone('example.org');
  zone(on);
  await on.settle();
  const before = on.cluster.version;
  await on.run('zone', ZONE);
  expect(on.cluster.version).toBe(before);
});

test('a DNSZone for another owner is refused, and is created when the owner is corrected', async () => {
  const on = await bench({ owner: 'org:somebody' });
  expect(on.ready(object(on))).toBe('False NotPermitted');
  expect(on.message(object(on))).toContain(`set "owner" to "${OWNER}"`);
  on.cluster.edit(DNS_ZONE, ZONE, { owner: OWNER });
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a DNSZone with a name that only looks valid reports the problem', async () => {
  const on = await bench({ zoneName: 'xn--a.example' });
  expect(on.ready(object(on))).toBe('False InvalidSpec');
  expect(on.message(object(on))).toMatch(/^spec\.zoneName: /);
  on.cluster.remove(DNS_ZONE, ZONE);
  expect(object(on)).toBeUndefined();
});

test('a DNSZone is not Ready before every name server serves it, and queries again soon', async () => {
  const on = new Bench();
  on.outage = 'Not every name server serves the current data yet: ns1 (192.0.2.53) answers REFUSED.';
  zone(on);
  const { result } = await on.run('zone', ZONE);
  expect(on.ready(object(on))).toBe('False AwaitingPropagation');
  expect(result?.requeueAfterMs).toBeLessThanOrEqual(1_000);
});

test('a DNSZone reports each change of Ready in one Event', async () => {
  const on = await bench();
  await on.settle();
  expect(on.reasons()).toEqual([`${ZONE} Created`, `${ZONE} Ready`]);
});

const observed = { managementPolicy: 'Observe', parked: true, defaultTtl: 60 };

test('a DNSZone under managementPolicy Observe waits for the zone, and never creates, parks, changes or deletes it', async () => {
  const on = await bench(observed);
  expect(on.ready(object(on))).toBe('False ZoneMissing');
  const id = on.service.seedZone('example.org');
  on.faults.arm(null);
  await on.settle();
  expect(on.ready(object(on))).toBe('True Ready');
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(object(on)).toBeUndefined();
  expect(writes(on)).toEqual([]);
  expect(atService(on)).toMatchObject([{ id, state: 'active', defaultTtl: 3600 }]);
});

test('a DNSZone under managementPolicy Observe permits records, which are deleted with their objects', async () => {
  const on = new Bench();
  const id = on.service.seedZone('example.org', [{ name: 'old' }]);
  zone(on, observed);
  const key = record(on, 'www');
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org old A 192.0.2.1 3600', 'example.org www A 192.0.2.1 3600']);
  on.cluster.remove(DNS_RECORD, key);
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org old A 192.0.2.1 3600']);
  expect(on.service.zones.has(id)).toBe(true);
});

test('a DNSZone under managementPolicy Observe follows a zone that another client created again', async () => {
  const on = new Bench();
  on.service.dropZone(on.service.seedZone('example.org'));
  on.service.seedZone('example.org');
  zone(on, observed);
  await on.settle();
  const [first] = atService(on);
  on.service.dropZone(first?.id as string);
  const second = on.service.seedZone('example.org');
  await on.settle();
  expect(object(on)?.status?.zoneId).toBe(second);
  expect(on.ready(object(on))).toBe('True Ready');
});

test('a DNSZone whose zone was deleted at the service is created again with its records under driftPolicy Enforce', async () => {
  const on = await bench();
  record(on, 'www');
  await on.settle();
  on.service.dropZone(atService(on)[0]?.id as string);
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
  expect(on.reasons()).toContain(`${ZONE} ZoneMissing`);
  expect(audit(on)).toEqual([]);
});

test.each(['Report', 'Ignore'])(
  'a DNSZone whose zone was deleted at the service is not created again under driftPolicy %s, and can be deleted',
  async (driftPolicy) => {
    const on = await bench({ driftPolicy });
    on.service.dropZone(atService(on)[0]?.id as string);
    await on.settle();
    expect(on.ready(object(on))).toBe('False ZoneMissing');
    expect(atService(on)).toEqual([]);
    on.cluster.remove(DNS_ZONE, ZONE);
    await on.settle();
    expect(object(on)).toBeUndefined();
  },
);

test('the deletion of a DNSZone deletes the zone with the records that DNSRecords own', async () => {
  const on = await bench();
  record(on, 'www');
  await on.settle();
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(atService(on)).toEqual([]);
  expect(object(on)).toBeUndefined();
  expect(on.ready(on.cluster.record('default/www'))).toBe('False ZoneNotReady');
});

test('the deletion of a DNSZone is blocked by records that no DNSRecord owns, and names a few of them', async () => {
  const on = await bench();
  record(on, 'www');
  const id = atService(on)[0]?.id as string;
  const foreign = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => on.service.seed(id, { name }));
  await on.settle();
  on.cluster.remove(DNS_ZONE, ZONE);
  const { result } = await on.run('zone', ZONE);
  expect(on.ready(object(on))).toBe('False DeletionBlocked');
  expect(on.message(object(on))).toMatch(
    /contains records that no DNSRecord owns: a A, b A, c A, d A, e A and others\. /,
  );
  expect(result?.requeueAfterMs).toBeGreaterThan(0);
  expect(atService(on)).toHaveLength(1);
  for (const each of foreign) on.service.tamper(id, each, null);
  await on.settle();
  expect(object(on)).toBeUndefined();
  expect(atService(on)).toEqual([]);
});

test('the deletion of a DNSZone succeeds with the annotation that forces it', async () => {
  const on = await bench();
  on.service.seed(atService(on)[0]?.id as string, { name: 'foreign' });
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(on.ready(object(on))).toBe('False DeletionBlocked');
  on.cluster.annotate(DNS_ZONE, ZONE, { [FORCE_DELETE]: 'false' });
  await on.settle();
  expect(on.ready(object(on))).toBe('False DeletionBlocked');
  on.cluster.annotate(DNS_ZONE, ZONE, { [FORCE_DELETE]: 'true' });
  await on.settle();
  expect(atService(on)).toEqual([]);
  expect(object(on)).toBeUndefined();
});

test('the deletion of a DNSZone waits for the DNSRecords of other namespaces, counts them, and names none of them', async () => {
  const on = await bench({ allowedRecords: [{ namespaces: { from: 'All' } }] });
  on.cluster.create(NAMESPACE, { namespace: '', name: 'shop' }, {});
  const zoneRef = { name: 'example', namespace: 'default' };
  for (const name of ['secret-a', 'secret-b'])
    on.cluster.create(DNS_RECORD, { namespace: 'shop', name }, { zoneRef, name, type: 'A', content: '192.0.2.7' });
  record(on, 'own');
  await on.settle();
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(on.ready(object(on))).toBe('False DeletionBlocked');
  expect(on.message(object(on))).toMatch(/contains the records of 2 DNSRecords of other namespaces/);
  expect(on.message(object(on))).not.toMatch(/secret|shop|192/);
  expect(on.service.ids()).toHaveLength(3);
  for (const name of ['secret-a', 'secret-b']) on.cluster.remove(DNS_RECORD, `shop/${name}`);
  await on.settle();
  await on.clock.advance(3_000);
  await on.settle();
  expect(object(on)).toBeUndefined();
  expect(atService(on)).toEqual([]);
});

test('the deletion of a DNSZone takes the records of other namespaces with it after the annotation', async () => {
  const on = await bench({ allowedRecords: [{ namespaces: { from: 'All' } }] });
  on.cluster.create(NAMESPACE, { namespace: '', name: 'shop' }, {});
  const zoneRef = { name: 'example', namespace: 'default' };
  on.cluster.create(
    DNS_RECORD,
    { namespace: 'shop', name: 'www' },
    { zoneRef, name: 'www', type: 'A', content: '192.0.2.7' },
  );
  await on.settle();
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(on.message(object(on))).toMatch(/the records of a DNSRecord of another namespace/);
  on.cluster.annotate(DNS_ZONE, ZONE, { [FORCE_DELETE]: 'true' });
  await on.settle();
  expect(object(on)).toBeUndefined();
  expect(atService(on)).toEqual([]);
});

test('the deletion of a DNSZone keeps everything under deletionPolicy Retain, and sends no request to the service', async () => {
  const on = await bench({ deletionPolicy: 'Retain' });
  on.cluster.remove(DNS_ZONE, ZONE);
  on.faults.arm(null);
  await on.settle();
  expect(on.faults.calls).toEqual(['kube patch dnszones example']);
  expect(atService(on)).toHaveLength(1);
  expect(object(on)).toBeUndefined();
});

test('the deletion of a DNSZone without a zone of its own does not affect other zones of that name', async () => {
  const on = new Bench();
  const id = on.service.seedZone('example.org');
  zone(on);
  await on.settle();
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(object(on)).toBeUndefined();
  expect(on.service.zones.has(id)).toBe(true);
});

test('the deletion of a DNSZone waits for an unavailable service, and reports it', async () => {
  const on = await bench();
  on.service.gate = () => new ApiUnavailable('away');
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.run('zone', ZONE);
  expect(on.ready(object(on))).toBe('False APIUnavailable');
  on.service.gate = () => null;
  await on.settle();
  expect(object(on)).toBeUndefined();
  expect(atService(on)).toEqual([]);
});
