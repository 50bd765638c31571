// DNSRecords with spec.reverse: the grants of reverse zones decide, and the status says why a PTR record is missing.
import { expect, test } from 'vitest';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { OWNER } from '../../support/operator/memory-service.ts';

const KEY = 'shop/www';
const ZONE = '2.0.192.in-addr.arpa';
const FROM_ALL = { namespaces: { from: 'All' } };
const RECORD = { zoneRef: { name: 'example', namespace: 'default' }, name: 'www', type: 'A', reverse: true };
const PTR = { ...FROM_ALL, types: ['PTR'] };

/** A record in the namespace `shop`, and a reverse zone in the namespace `default`. */
async function bench(allowedRecords: object[] | undefined, spec: object = { content: '192.0.2.10' }): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', allowedRecords: [FROM_ALL] });
  if (allowedRecords !== undefined) on.cluster.create(DNS_ZONE, { name: 'ptr' }, { zoneName: ZONE, allowedRecords });
  await on.settle();
  on.cluster.create(DNS_RECORD, { namespace: 'shop', name: 'www' }, { ...RECORD, ...spec });
  await on.settle();
  return on;
}

const wishes = (on: Bench) =>
  [...on.service.zones.values()]
    .flatMap(({ records }) => [...records.values()])
    .map(({ content, health }) => `${content} ${health?.reverse ?? false} ${health?.reverseIn ?? '-'}`);
const states = (on: Bench) =>
  on.cluster.record(KEY)?.status?.reverse?.map(({ content, state, reason }) => `${content} ${state}: ${reason ?? ''}`);
const idOf = (on: Bench, name: string) =>
  [...on.service.zones.values()].find(({ zone }) => zone.zoneName === name)?.zone.id;

test('a namespace that may write PTR records gets one, in the zone that permits it and in no other', async () => {
  const on = await bench([PTR]);
  expect(wishes(on)).toEqual([`192.0.2.10 true ${idOf(on, ZONE)}`]);
  expect(states(on)).toEqual(['192.0.2.10 Written: ']);
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
});

test.each([
  ['the reverse zone has no grant', []],
  ['the grant is for another type', [{ ...FROM_ALL, types: ['A'] }]],
  ['the grant is for another name', [{ ...PTR, names: ['11'] }]],
  ['the grant is for another namespace', [{ namespaces: { from: 'Same' }, types: ['PTR'] }]],
  ['the reverse zone has no DNSZone', undefined],
])('no PTR record is asked for if %s, and the record is written without it', async (_, allowedRecords) => {
  const on = await bench(allowedRecords);
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
  expect(states(on)).toEqual([
    expect.stringMatching(/^192\.0\.2\.10 NotPermitted: No DNSZone of this cluster with the name 10\.2\.0\.192\./),
  ]);
  expect(on.ready(on.cluster.record(KEY))).toBe('True Ready');
});

test('a grant for the name of one address permits that address only', async () => {
  const on = await bench([{ ...PTR, names: ['10'] }], {
    values: [{ content: '192.0.2.10' }, { content: '192.0.2.11' }],
  });
  expect(wishes(on).sort()).toEqual([`192.0.2.10 true ${idOf(on, ZONE)}`, '192.0.2.11 false -']);
  expect(states(on)?.map((text) => text.split(':')[0])).toEqual(['192.0.2.10 Written', '192.0.2.11 NotPermitted']);
});

test('an address of IPv6 has its reverse name', async () => {
  const on = await bench([], { type: 'AAAA', content: '2001:db8::1' });
  expect(states(on)?.[0]).toContain(`1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`);
});

test('a change of the grant takes effect without an edit of the record', async () => {
  const on = await bench([PTR]);
  on.cluster.edit(DNS_ZONE, 'default/ptr', { allowedRecords: [] });
  await on.settle();
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
  on.cluster.edit(DNS_ZONE, 'default/ptr', { allowedRecords: [PTR] });
  await on.settle();
  expect(wishes(on)).toEqual([`192.0.2.10 true ${idOf(on, ZONE)}`]);
});

test('a grant that ended while the operator was down takes effect at its start', async () => {
  const on = await bench([PTR]);
  on.cluster.edit(DNS_ZONE, 'default/ptr', { allowedRecords: [] });
  on.restart();
  await on.settle();
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
});

test('after a restore of etcd, no PTR record leaves DNS until the older objects are accepted', async () => {
  const on = await bench([PTR]);
  on.isEtcdRestored = true;
  on.cluster.edit(DNS_ZONE, 'default/ptr', { allowedRecords: [] });
  await on.settle();
  expect(wishes(on)).toEqual([`192.0.2.10 true ${idOf(on, ZONE)}`]);
  expect(on.ready(on.cluster.record(KEY))).toBe('False OlderThanService');
  on.isEtcdRestored = false;
  await on.settle();
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
});

test('the grant of the deepest zone decides', async () => {
  const on = await bench([PTR]);
  on.cluster.create(DNS_ZONE, { name: 'deep' }, { zoneName: `10.${ZONE}` });
  await on.settle();
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
});

test('a DNSZone that observes the reverse zone with a key of its own grants nothing', async () => {
  const on = await bench(undefined);
  on.service.seedZone(ZONE);
  on.keys.set('yk_1_weak', OWNER);
  on.cluster.secrets.set('shop/key', { apiKey: 'yk_1_weak' });
  on.cluster.create(
    DNS_ZONE,
    { namespace: 'shop', name: 'ptr' },
    { zoneName: ZONE, managementPolicy: 'Observe', credentialsSecretRef: { name: 'key' }, allowedRecords: [PTR] },
  );
  await on.settle();
  expect(on.ready(on.cluster.zone('shop/ptr'))).toBe('True Ready');
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
});

test('a record without reverse says nothing about PTR records, and one that loses it gives them up', async () => {
  const on = await bench([PTR]);
  on.cluster.edit(DNS_RECORD, KEY, { ...RECORD, content: '192.0.2.10', reverse: undefined });
  await on.settle();
  expect(wishes(on)).toEqual(['192.0.2.10 false -']);
  expect(states(on)).toBeUndefined();
});

test('the state that the service tells is in the status, and is looked at again', async () => {
  const on = await bench([PTR]);
  on.service.reverseStates.set('192.0.2.10', 'OtherName');
  await on.settle();
  const { result } = await on.run('record', KEY);
  expect(states(on)).toEqual([
    '192.0.2.10 OtherName: The PTR record points to another record with this address, which was first.',
  ]);
  expect(result?.requeueAfterMs).toBeGreaterThan(0);
  on.service.reverseStates.clear();
  const { result: quiet } = await on.run('record', KEY);
  expect(states(on)).toEqual(['192.0.2.10 Written: ']);
  expect(quiet?.requeueAfterMs).toBeUndefined();
});
