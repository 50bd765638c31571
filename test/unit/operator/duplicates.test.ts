// Conflicts between two objects: which one wins, the message of the other, and the result of deleting either of them.
import { expect, test } from 'vitest';
import { MANAGED_BY_LABEL, SOLVER_MANAGER } from '#resources/challenge.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const zoneRef = { name: 'example' };

async function withZone(): Promise<Bench> {
  const bench = new Bench();
  bench.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await bench.settle();
  return bench;
}

const record = (bench: Bench, name: string, spec: Record<string, unknown>) =>
  bench.cluster.create(DNS_RECORD, { name }, { zoneRef, name: 'www', type: 'A', ...spec });

test('two DNSRecords with the same value leave it to the first, and the other names the owner', async () => {
  const bench = await withZone();
  const first = record(bench, 'first', { content: '192.0.2.1' });
  await bench.settle();
  const second = record(bench, 'second', { content: '192.0.2.1' });
  await bench.settle();
  expect(bench.ready(bench.cluster.record(first))).toBe('True Ready');
  expect(bench.ready(bench.cluster.record(second))).toBe('False Conflict');
  expect(bench.message(bench.cluster.record(second))).toBe(
    'DNSRecord default/first already owns 192.0.2.1. Delete one of the two objects.',
  );
  expect(bench.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
});

test.each([[[0, 1]], [[1, 0]]])(
  'two DNSRecords with the same value are both served if they are challenges, and deleting them in the order %j leaves the other',
  async (order) => {
    const bench = await withZone();
    const challenge = (name: string) => {
      const labels = { [MANAGED_BY_LABEL]: SOLVER_MANAGER };
      const spec = { zoneRef, name: '_acme-challenge', type: 'TXT', content: 'value' };
      return bench.cluster.create(DNS_RECORD, { name, labels }, spec);
    };
    const both = [challenge('first'), challenge('second')];
    await bench.settle();
    for (const object of both) expect(bench.ready(bench.cluster.record(object))).toBe('True Ready');
    const lines = ['example.org _acme-challenge TXT value 3600'];
    expect(bench.service.lines()).toEqual(lines);
    // A record that is not a challenge does not share.
    const other = record(bench, 'other', { name: '_acme-challenge', type: 'TXT', content: 'value' });
    await bench.settle();
    expect(bench.ready(bench.cluster.record(other))).toBe('False Conflict');
    bench.cluster.remove(DNS_RECORD, other);
    for (const [at, expected] of [
      [order[0], lines],
      [order[1], []],
    ] as const) {
      bench.cluster.remove(DNS_RECORD, both[at as number] as string);
      await bench.settle();
      expect(bench.service.lines()).toEqual(expected);
    }
  },
);

test('two DNSRecords with the same value with two types that exclude each other name the owner as well', async () => {
  const bench = await withZone();
  record(bench, 'first', { content: '192.0.2.1' });
  await bench.settle();
  const second = record(bench, 'second', { type: 'CNAME', content: 'example.net' });
  await bench.settle();
  expect(bench.ready(bench.cluster.record(second))).toBe('False Conflict');
  // The objects are named, so the ids of their records at the service are not.
  expect(bench.message(bench.cluster.record(second))).toMatch(
    /^spec\.type: www has an A record, and .* DNSRecord default\/first has A records of this name\.$/,
  );
});

test.each([
  ['the name', 'A', { name: 'WWW', content: '192.0.2.1' }, { content: '192.0.2.1' }],
  ['the absolute name', 'A', { name: 'www.Example.ORG.', content: '192.0.2.1' }, { content: '192.0.2.1' }],
  ['an address', 'AAAA', { content: '2001:DB8:0:0::1' }, { content: '2001:db8::1' }],
  ['a text', 'TXT', { content: 'v=spf1 -all' }, { content: '"v=spf1 -all"' }],
  ['a host', 'MX', { content: 'Mail.Example.NET.' }, { content: 'mail.example.net', priority: 10 }],
])('two DNSRecords with the same value conflict in two spellings of %s', async (_what, type, one, other) => {
  const bench = await withZone();
  record(bench, 'first', { type, ...one });
  await bench.settle();
  const second = record(bench, 'second', { type, ...other });
  await bench.settle();
  expect(bench.ready(bench.cluster.record(second))).toBe('False Conflict');
  expect(bench.service.ids()).toHaveLength(1);
  bench.cluster.remove(DNS_RECORD, second);
  await bench.settle();
  expect(bench.service.ids()).toHaveLength(1);
  expect(bench.service.ids()).toEqual(bench.idsOf('default/first'));
  expect(bench.ready(bench.cluster.record('default/first'))).toBe('True Ready');
});

test('two DNSRecords with the same value are not served in part', async () => {
  const bench = await withZone();
  record(bench, 'first', { values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }] });
  await bench.settle();
  const second = record(bench, 'second', { values: [{ content: '192.0.2.2' }, { content: '192.0.2.3' }] });
  await bench.settle();
  expect(bench.ready(bench.cluster.record(second))).toBe('False Conflict');
  expect(bench.message(bench.cluster.record(second))).toBe(
    'DNSRecord default/first already owns 192.0.2.2. Delete one of the two objects. The operator has written none of the new values of this object.',
  );
  expect(bench.idsOf(second)).toEqual([]);
  expect(bench.service.ids()).toHaveLength(2);
});

test('two DNSRecords with the same value keep the values that they had when an edit adds the value', async () => {
  const bench = await withZone();
  record(bench, 'first', { content: '192.0.2.1' });
  const second = record(bench, 'second', { content: '192.0.2.2' });
  await bench.settle();
  bench.cluster.edit(DNS_RECORD, second, {
    content: undefined,
    values: [{ content: '192.0.2.1' }, { content: '192.0.2.3' }],
  });
  await bench.settle();
  expect(bench.ready(bench.cluster.record(second))).toBe('False Conflict');
  expect(bench.service.lines()).toEqual(['example.org www A 192.0.2.1 3600', 'example.org www A 192.0.2.2 3600']);
  bench.cluster.remove(DNS_RECORD, 'default/first');
  await bench.settle();
  expect(bench.service.lines()).toEqual(['example.org www A 192.0.2.1 3600', 'example.org www A 192.0.2.3 3600']);
});

test('two DNSRecords with the same value do not lose the value of the first when the other is deleted', async () => {
  const bench = await withZone();
  record(bench, 'first', { content: '192.0.2.1' });
  await bench.settle();
  const second = record(bench, 'second', { content: '192.0.2.1' });
  await bench.settle();
  bench.cluster.remove(DNS_RECORD, second);
  await bench.settle();
  expect(bench.cluster.record(second)).toBeUndefined();
  expect(audit(bench)).toEqual([]);
});

test('two DNSRecords with the same value recover without an edit when the first is deleted', async () => {
  const bench = await withZone();
  const first = record(bench, 'first', { content: '192.0.2.1' });
  await bench.settle();
  const second = record(bench, 'second', { content: '192.0.2.1' });
  const runs = await bench.settle();
  // The second one needs no edit: it recovers automatically.
  expect(runs.get(`record ${second}`)?.result?.requeueAfterMs).toBeGreaterThan(0);
  bench.cluster.remove(DNS_RECORD, first);
  await bench.settle();
  expect(bench.ready(bench.cluster.record(second))).toBe('True Ready');
  expect(audit(bench)).toEqual([]);
});

test('two DNSRecords with the same value never share it, not even when both may adopt', async () => {
  const bench = await withZone();
  record(bench, 'first', { content: '192.0.2.1', adopt: 'IfIdentical' });
  await bench.settle();
  const second = record(bench, 'second', { content: '192.0.2.1', adopt: 'IfIdentical' });
  await bench.settle();
  expect(bench.ready(bench.cluster.record(second))).toBe('False Conflict');
  bench.cluster.remove(DNS_RECORD, second);
  await bench.settle();
  expect(bench.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
  expect(audit(bench)).toEqual([]);
});

const [older, newer] = ['2026-11-21T11:00:00Z', '2026-11-21T12:00:00Z'];
const made = (bench: Bench, name: string, meta: Record<string, string>, spec: Record<string, unknown>) =>
  bench.cluster.create(DNS_RECORD, { name, ...meta }, { zoneRef, name: 'www', type: 'A', ...spec });
const states = (bench: Bench, ...names: string[]) =>
  names.map((name) => bench.ready(bench.cluster.record(`default/${name}`)));

// The reconciler sees them in the order of their names, so that the newer one is first.
test.each([
  ['one value', { content: '192.0.2.1' }, { content: '192.0.2.1' }],
  ['one value in two spellings', { name: 'WWW.Example.org.', content: '192.0.2.1' }, { content: '192.0.2.1' }],
  ['one at the apex', { name: 'example.org.', content: '192.0.2.1' }, { name: '@', content: '192.0.2.1' }],
  ['a CNAME at the name of an address', { type: 'CNAME', content: 'www.example.net' }, { content: '192.0.2.1' }],
  ['two DNAMEs', { type: 'DNAME', content: 'a.example.net' }, { type: 'DNAME', content: 'b.example.net' }],
  ['an address at the name of a CNAME', { content: '192.0.2.1' }, { type: 'CNAME', content: 'www.example.net' }],
])(
  'two new DNSRecords that conflict leave it to the oldest, in any order of arrival: %s',
  async (_what, spec, other) => {
    for (const together of [false, true]) {
      const bench = await withZone();
      made(bench, 'a', { creationTimestamp: newer }, other);
      made(bench, 'b', { creationTimestamp: older }, spec);
      for (let round = 0; round < 3; round += 1) {
        await bench.round(together);
        await bench.clock.advance(200);
      }
      expect(states(bench, 'a', 'b')).toEqual(['False Conflict', 'True Ready']);
      expect(bench.service.ids()).toHaveLength(1);
    }
  },
);

test('two new DNSRecords that conflict are ordered by their uid when created within one second', async () => {
  const bench = await withZone();
  made(bench, 'a', { uid: 'uid-2', creationTimestamp: older }, { content: '192.0.2.1' });
  made(bench, 'b', { uid: 'uid-1', creationTimestamp: older }, { content: '192.0.2.1' });
  for (let round = 0; round < 3; round += 1) await bench.round();
  expect(states(bench, 'a', 'b')).toEqual(['False Conflict', 'True Ready']);
});

test('two new DNSRecords that conflict do not wait for an older one that was refused or is not permitted', async () => {
  const bench = await withZone();
  made(bench, 'a', { creationTimestamp: newer }, { content: '192.0.2.1' });
  made(bench, 'wrong', { creationTimestamp: older }, { type: 'CNAME', content: 'not a name' });
  const elsewhere = { zoneRef: { name: 'example', namespace: 'default' }, content: '192.0.2.1' };
  made(bench, 'stranger', { namespace: 'other', creationTimestamp: older }, elsewhere);
  await bench.run('record', 'default/a');
  expect(states(bench, 'a')).toEqual(['True Ready']);
});

test('two new DNSRecords that conflict do not wait forever for an older one that makes no progress', async () => {
  const bench = await withZone();
  made(bench, 'a', { creationTimestamp: newer }, { content: '192.0.2.1' });
  made(bench, 'b', { creationTimestamp: older }, { content: '192.0.2.1' });
  expect((await bench.run('record', 'default/a')).result?.requeueAfterMs).toBeGreaterThan(0);
  expect(bench.service.lines()).toEqual([]);
  await bench.clock.advance(10_000);
  await bench.run('record', 'default/a');
  expect(states(bench, 'a')).toEqual(['True Ready']);
});

const zone = (bench: Bench, name: string, spec: Record<string, unknown> = {}, meta: Record<string, string> = {}) =>
  bench.cluster.create(DNS_ZONE, { name, ...meta }, { zoneName: 'example.org', ...spec });

test('two DNSZones with the same name leave it to the oldest, in any order of arrival', async () => {
  const bench = new Bench();
  bench.cluster.create(
    DNS_ZONE,
    { name: 'late', creationTimestamp: '2026-11-21T12:00:00Z' },
    { zoneName: 'example.org' },
  );
  bench.cluster.create(
    DNS_ZONE,
    { name: 'early', creationTimestamp: '2026-11-21T11:00:00Z' },
    { zoneName: 'EXAMPLE.org.' },
  );
  await bench.settle();
  expect(bench.ready(bench.cluster.zone('default/early'))).toBe('True Ready');
  expect(bench.ready(bench.cluster.zone('default/late'))).toBe('False Conflict');
  expect(bench.message(bench.cluster.zone('default/late'))).toBe(
    'DNSZone default/early already has example.org. Delete one of the two objects.',
  );
  bench.cluster.remove(DNS_ZONE, 'default/late');
  await bench.settle();
  expect(audit(bench)).toEqual([]);
});

test('two DNSZones with the same name recover without an edit when the oldest is deleted', async () => {
  const bench = new Bench();
  zone(bench, 'example');
  zone(bench, 'second');
  const runs = await bench.settle();
  expect(runs.get('zone default/second')?.result?.requeueAfterMs).toBeGreaterThan(0);
  bench.cluster.remove(DNS_ZONE, ZONE);
  await bench.settle();
  expect(audit(bench)).toEqual([]);
  expect(bench.ready(bench.cluster.zone('default/second'))).toBe('True Ready');
});

test('two DNSZones with the same name created within one second leave it to the one that has it', async () => {
  const bench = new Bench();
  const creationTimestamp = '2026-11-21T11:00:00Z';
  zone(bench, 'one', {}, { uid: 'uid-b', creationTimestamp });
  await bench.settle();
  // This one precedes by its uid, but it did not exist when the other one was created.
  zone(bench, 'two', {}, { uid: 'uid-a', creationTimestamp });
  await bench.settle();
  expect(bench.ready(bench.cluster.zone('default/one'))).toBe('True Ready');
  expect(bench.ready(bench.cluster.zone('default/two'))).toBe('False Conflict');
  bench.cluster.remove(DNS_ZONE, 'default/two');
  await bench.settle();
  expect(audit(bench)).toEqual([]);
});

test('two DNSZones with the same name created within one second leave it to the one whose response was lost', async () => {
  const bench = new Bench();
  const creationTimestamp = '2026-11-21T11:00:00Z';
  zone(bench, 'one', {}, { uid: 'uid-b', creationTimestamp });
  bench.faults.arm({ at: 4, when: 'after', act: bench.faults.crash });
  await expect(bench.run('zone', 'default/one')).rejects.toThrow('died');
  expect(bench.faults.calls.at(-1)).toBe('api create zone example.org');
  zone(bench, 'two', {}, { uid: 'uid-a', creationTimestamp });
  bench.restart();
  await bench.settle();
  expect(bench.ready(bench.cluster.zone('default/one'))).toBe('True Ready');
  expect(bench.ready(bench.cluster.zone('default/two'))).toBe('False Conflict');
  bench.cluster.remove(DNS_ZONE, 'default/two');
  await bench.settle();
  expect(audit(bench)).toEqual([]);
});

test('two DNSZones with the same name leave it to the creator when an older one stops observing and is deleted', async () => {
  const bench = new Bench();
  zone(bench, 'watcher', { managementPolicy: 'Observe' });
  zone(bench, 'owner');
  await bench.settle();
  expect(bench.ready(bench.cluster.zone('default/watcher'))).toBe('True Ready');
  bench.cluster.edit(DNS_ZONE, 'default/watcher', { managementPolicy: 'Full' });
  await bench.settle();
  expect(bench.ready(bench.cluster.zone('default/owner'))).toBe('True Ready');
  expect(bench.ready(bench.cluster.zone('default/watcher'))).toBe('False Conflict');
  bench.cluster.remove(DNS_ZONE, 'default/watcher');
  await bench.settle();
  expect(audit(bench)).toEqual([]);
});

test('two DNSZones with the same name may be one that manages it and any number that observe it', async () => {
  const bench = new Bench();
  zone(bench, 'owner');
  zone(bench, 'watcher', { managementPolicy: 'Observe' });
  await bench.settle();
  bench.cluster.remove(DNS_ZONE, 'default/watcher');
  await bench.settle();
  expect(audit(bench)).toEqual([]);
});
