// The life of a DNSRecord between a cluster and a service in memory: written, edited, refused, recovered, deleted.

import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import type { Zone } from '#contract/zone.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { refused } from '../../support/operator/memory-service.ts';

const ZONE = 'default/example';
const WWW = 'default/www';

interface Given {
  zone?: Record<string, unknown>;
  record?: Record<string, unknown>;
}

/** A zone, and the record www in it if given, both without pending runs. */
async function bench({ zone = {}, record }: Given = {}): Promise<Bench> {
  const made = new Bench();
  made.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', ...zone });
  if (record) www(made, record);
  await made.settle();
  return made;
}

const www = (on: Bench, spec: Record<string, unknown>) =>
  on.cluster.create(DNS_RECORD, { name: 'www' }, { zoneRef: { name: 'example' }, name: 'www', type: 'A', ...spec });

const values = (...contents: string[]) => ({ content: undefined, values: contents.map((content) => ({ content })) });

const idsOf = (on: Bench) => on.idsOf(WWW);
const zoneIdOf = (on: Bench) => on.cluster.zone(ZONE)?.status?.zoneId as string;
const conditions = (on: Bench) =>
  on.cluster.record(WWW)?.status?.conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

test('a DNSRecord is written, proven and Ready, with its fully qualified name in the status', async () => {
  const on = await bench({ record: { name: 'WWW', ttl: 60, ...values('192.0.2.1', '192.0.2.2') } });
  expect(conditions(on)).toEqual([
    'Accepted=True Accepted',
    'Programmed=True Programmed',
    'Propagated=True Propagated',
    'Ready=True Ready',
  ]);
  expect(on.cluster.record(WWW)?.status).toMatchObject({
    observedGeneration: 1,
    fqdn: 'www.example.org',
    summary: '192.0.2.1,192.0.2.2',
    zoneId: zoneIdOf(on),
  });
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 60', 'example.org www A 192.0.2.2 60']);
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord costs one request to the service and one write of its status', async () => {
  const on = await bench();
  www(on, { content: '192.0.2.1' });
  on.faults.arm(null);
  await on.run('record', WWW);
  expect(on.faults.calls).toEqual([`api apply ${zoneIdOf(on)} +k8s:cluster-1/${WWW}`, 'kube status dnsrecords www']);
  expect(on.cluster.record(WWW)?.metadata.finalizers).toBeUndefined();
});

test('a DNSRecord writes nothing when nothing has changed', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.faults.arm(null);
  await on.run('record', WWW);
  expect(on.faults.calls).toEqual([`api apply ${zoneIdOf(on)} +k8s:cluster-1/${WWW}`]);
});

test('a DNSRecord does nothing after a restart until the owners of its zone are read, and asks for nothing then', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.restart();
  on.woken.length = 0;
  expect((await on.run('record', WWW)).result).toEqual({ requeueAfterMs: 10_000 });
  await on.run('zone', ZONE);
  expect(on.woken).toEqual([WWW]);
  on.faults.arm(null);
  expect((await on.run('record', WWW)).result).toEqual({});
  expect(on.faults.calls).toEqual([]);
});

test('a DNSRecord is judged at once after a restart if its spec changed meanwhile', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.cluster.edit(DNS_RECORD, WWW, { content: 'nonsense' });
  on.restart();
  await on.run('record', WWW);
  expect(on.ready(on.cluster.record(WWW))).toBe('False InvalidSpec');
});

test('a DNSRecord is proven again when its zone gets other name servers, and not Ready until all of them answer', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  const stored = on.service.zones.get(zoneIdOf(on)) as { zone: Zone };
  stored.zone = { ...stored.zone, nameservers: ['ns1.zonestead.test', 'ns2.zonestead.test'] };
  await on.run('zone', ZONE);
  on.restart();
  await on.run('zone', ZONE);
  on.outage = 'ns2 does not answer over UDP';
  await on.run('record', WWW);
  expect(on.ready(on.cluster.record(WWW))).toBe('False AwaitingPropagation');
  on.outage = null;
  await on.run('record', WWW);
  expect(on.ready(on.cluster.record(WWW))).toBe('True Ready');
  expect(on.message(on.cluster.record(WWW), 'Propagated')).toBe(
    'Every name server of the zone serves the record: ns1.zonestead.test, ns2.zonestead.test.',
  );
  on.outage = 'the service is not asked again';
  await on.run('record', WWW);
  expect(on.ready(on.cluster.record(WWW))).toBe('True Ready');
});

test('a DNSRecord waits for its zone and names it', async () => {
  const on = new Bench();
  www(on, { content: '192.0.2.1' });
  await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('False ZoneNotReady');
  expect(on.message(on.cluster.record(WWW))).toBe(
    'DNSZone default/example does not exist. Create it, or create this DNSRecord again with another spec.zoneRef.',
  );
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord reports the problem of its content, and recovers with an edit', async () => {
  const on = await bench({ record: { content: '192.0.2.01' } });
  expect(conditions(on)?.[0]).toBe('Accepted=False InvalidSpec');
  expect(on.message(on.cluster.record(WWW))).toMatch(/^spec\.content: .*IPv4 address such as 192\.0\.2\.10/);
  expect(on.service.lines()).toEqual([]);
  // Nothing was ever written, so nothing delays its deletion.
  expect(on.cluster.record(WWW)?.metadata.finalizers).toBeUndefined();
  on.cluster.edit(DNS_RECORD, WWW, { content: '192.0.2.1' });
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord keeps its records after an invalid edit', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.cluster.edit(DNS_RECORD, WWW, { content: 'nonsense' });
  await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('False InvalidSpec');
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
  on.cluster.remove(DNS_RECORD, WWW);
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord reports the conflict that the service describes, and recovers without an edit', async () => {
  const on = await bench();
  const alias = on.service.seed(zoneIdOf(on), { name: 'www', type: 'CNAME', content: 'www.example.net' });
  www(on, { content: '192.0.2.1' });
  const runs = await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('False Conflict');
  expect(on.message(on.cluster.record(WWW))).toMatch(/^spec\.type: www has a CNAME record \(rec_\w+\)/);
  expect(runs.get(`record ${WWW}`)?.result?.requeueAfterMs).toBeGreaterThan(0);
  on.service.tamper(zoneIdOf(on), alias, null);
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord is not served in part when one of its values is refused', async () => {
  const on = await bench();
  const foreign = on.service.seed(zoneIdOf(on), { name: 'www', content: '192.0.2.2' });
  www(on, values('192.0.2.1', '192.0.2.2', '192.0.2.3'));
  await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('False Conflict');
  expect(on.message(on.cluster.record(WWW))).toContain('The value 192.0.2.2 already exists at the DNS service');
  expect(on.service.ids()).toEqual([foreign]);
  on.cluster.remove(DNS_RECORD, WWW);
  await on.settle();
  expect(audit(on, { recordIds: [foreign] })).toEqual([]);
});

test('a DNSRecord becomes a null MX, which must be the only value, without a conflict with its own values', async () => {
  const on = await bench({ record: { type: 'MX', name: '@', ...values('a.example.net', 'b.example.net') } });
  on.cluster.edit(DNS_RECORD, WWW, { values: undefined, content: '.', priority: 0 });
  await on.run('record', WWW);
  expect(on.service.lines()).toEqual(['example.org @ MX 0 . 3600']);
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord is never without an answer while its value changes', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.cluster.edit(DNS_RECORD, WWW, { content: '192.0.2.2' });
  on.faults.arm(null);
  const before = idsOf(on);
  await on.run('record', WWW);
  expect(idsOf(on)).toEqual(before);
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.2 3600']);
});

test('a DNSRecord follows a new default TTL of its zone', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.cluster.edit(DNS_ZONE, ZONE, { defaultTtl: 120 });
  await on.settle();
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 120']);
  expect(audit(on)).toEqual([]);
});

test('a DNSRecord expects the lowest TTL of all records of its name and type', async () => {
  const on = await bench();
  on.service.seed(zoneIdOf(on), { name: 'www', content: '192.0.2.9', ttl: 45 });
  www(on, { content: '192.0.2.1', ttl: 60 });
  await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('True Ready');
});

test('a DNSRecord is not Ready before every name server serves it, and queries again soon', async () => {
  const on = await bench();
  on.outage = 'Not every name server serves the current data yet: ns1 (192.0.2.53) does not answer over UDP.';
  www(on, { content: '192.0.2.1' });
  const { result } = await on.run('record', WWW);
  expect(conditions(on)?.slice(1)).toEqual([
    'Programmed=True Programmed',
    'Propagated=False AwaitingPropagation',
    'Ready=False AwaitingPropagation',
  ]);
  expect(on.message(on.cluster.record(WWW))).toBe(on.outage);
  expect(result?.requeueAfterMs).toBeLessThanOrEqual(5_000);
  on.outage = null;
  await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('True Ready');
});

test('a DNSRecord in a parked zone is written, and reports that the zone is parked', async () => {
  const on = await bench({ zone: { parked: true }, record: { content: '192.0.2.1' } });
  expect(on.ready(on.cluster.record(WWW))).toBe('False ZoneParked');
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
  on.cluster.edit(DNS_ZONE, ZONE, { parked: false });
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('the deletion of a DNSRecord deletes exactly the records that it owns', async () => {
  const on = await bench({ record: values('192.0.2.1', '192.0.2.2') });
  const foreign = on.service.seed(zoneIdOf(on), { name: 'www', content: '192.0.2.9' });
  on.cluster.remove(DNS_RECORD, WWW);
  await on.settle();
  expect(on.cluster.record(WWW)).toBeUndefined();
  expect(on.service.ids()).toEqual([foreign]);
});

test('the deletion of a DNSRecord keeps everything under deletionPolicy Retain, without an owner', async () => {
  const on = await bench({ record: { content: '192.0.2.1', deletionPolicy: 'Retain' } });
  on.cluster.remove(DNS_RECORD, WWW);
  on.faults.arm(null);
  await on.run('record', WWW);
  expect(on.cluster.record(WWW)).toBeUndefined();
  expect(on.service.owners.in(zoneIdOf(on))).toEqual([]);
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
});

test('the deletion of a DNSRecord succeeds when zone and records no longer exist', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.service.dropZone(zoneIdOf(on));
  on.cluster.remove(DNS_RECORD, WWW);
  await on.run('record', WWW);
  expect(on.cluster.record(WWW)).toBeUndefined();
});

test('the deletion of a DNSRecord does not need the DNSZone', async () => {
  const on = await bench({ zone: { deletionPolicy: 'Retain' }, record: { content: '192.0.2.1' } });
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  on.cluster.remove(DNS_RECORD, WWW);
  await on.settle();
  expect(on.cluster.record(WWW)).toBeUndefined();
  expect(on.service.lines()).toEqual([]);
});

test('the deletion of a DNSRecord that the service refuses is tried again', async () => {
  const on = await bench({ record: values('192.0.2.1', '192.0.2.2') });
  on.service.gate = (call) => (call.startsWith('apply') ? refused(409, 'conflict', 'Something needs it.') : null);
  on.cluster.remove(DNS_RECORD, WWW);
  const { result } = await on.run('record', WWW);
  expect(result?.requeueAfterMs).toBeGreaterThan(0);
  expect(idsOf(on)).toHaveLength(2);
  on.service.gate = () => null;
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('the deletion of a DNSRecord waits for an unavailable service, and does not keep the object until then', async () => {
  const on = await bench({ record: { content: '192.0.2.1' } });
  on.service.gate = () => new ApiUnavailable('away');
  on.cluster.remove(DNS_RECORD, WWW);
  const { error } = await on.run('record', WWW);
  expect(error).toBeInstanceOf(ApiUnavailable);
  expect(on.waiting).toEqual([`record ${WWW}`]);
  on.service.gate = () => null;
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('a grant permits a record of another namespace by the labels of its namespace', async () => {
  const on = await bench({
    zone: {
      allowedRecords: [{ namespaces: { from: 'Selector', selector: { matchLabels: { team: 'shop' } } } }],
    },
  });
  const shop = { namespace: 'shop', name: 'www' };
  on.cluster.create(NAMESPACE, { name: 'shop', labels: { team: 'other' } }, {});
  on.cluster.create(DNS_RECORD, shop, {
    zoneRef: { name: 'example', namespace: 'default' },
    name: 'shop',
    type: 'A',
    content: '192.0.2.1',
  });
  await on.settle();
  expect(on.ready(on.cluster.record('shop/www'))).toBe('False NotPermitted');
  expect(on.message(on.cluster.record('shop/www'))).toContain('spec.allowedRecords');
  expect(on.service.lines()).toEqual([]);
  on.cluster.edit(DNS_ZONE, ZONE, { allowedRecords: [{ namespaces: { from: 'All' }, names: ['shop'] }] });
  await on.settle();
  expect(on.ready(on.cluster.record('shop/www'))).toBe('True Ready');
});

test('a grant that the key of the operator lacks at the service is reported as NotPermitted', async () => {
  const on = await bench();
  on.service.gate = (call) => (call.startsWith('apply') ? refused(403, 'forbidden', 'This key may not write.') : null);
  www(on, { content: '192.0.2.1' });
  await on.settle();
  expect(on.ready(on.cluster.record(WWW))).toBe('False NotPermitted');
  on.service.gate = () => null;
  await on.settle();
  expect(audit(on)).toEqual([]);
});
