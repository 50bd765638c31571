// Several clusters: the fields of a set, the conflicts between clusters, and a cluster that is drained.
import { expect, test } from 'vitest';
import { judgeSpec } from '#operator/record/desired.ts';
import { buildSetChange } from '#operator/record/owner.ts';
import { describeRefusal } from '#operator/record/status.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { aRecord } from '../../support/operator/build.ts';

function setFor(object: DNSRecord) {
  const verdict = judgeSpec(object, 'example.org');
  if (!verdict.ok) throw new Error(verdict.message);
  const whenClusterLost = object.spec.whenClusterLost ?? 'Keep';
  return buildSetChange(object, 'east', verdict.desired, { drift: 'Enforce', whenClusterLost }, false);
}

test.each([
  [{}, false, 'Keep'],
  [{ sharing: 'Exclusive', whenClusterLost: 'Keep' }, false, 'Keep'],
  [{ sharing: 'Shared' }, true, 'Keep'],
  [{ whenClusterLost: 'Withdraw' }, false, 'Withdraw'],
])('a set of %j has share %s and whenClusterLost %s', (spec, share, whenClusterLost) => {
  const set = setFor(aRecord(spec));
  expect([set.share, set.whenClusterLost]).toEqual([share, whenClusterLost]);
});

const context = { cluster: () => 'east', records: { byIndex: () => [] } } as never;
const said = (isShared: boolean, object: DNSRecord) => {
  const held = { owner: 'k8s:west/default/www', value: '192.0.2.1', isShared, records: [] };
  return describeRefusal(context, object, { reason: 'Conflict', message: 'Refused.', ...held });
};
const shared = { sharing: 'Shared' };

test.each([
  [false, {}, 'belongs to', 'set spec.sharing: Shared on both DNSRecords'],
  [false, shared, 'belongs to', 'set spec.sharing: Shared on that DNSRecord too'],
  [true, {}, 'is shared by', 'set spec.sharing: Shared on this DNSRecord'],
] as const)(
  'the message about a value of another cluster that it shares: %s, by a DNSRecord with %j, says which of the two must share',
  (isShared, spec, relation, remedy) => {
    expect(said(isShared, aRecord(spec))).toBe(
      `The value 192.0.2.1 ${relation} DNSRecord default/www of cluster west. To serve it from both clusters, ${remedy}; otherwise delete one of the two objects.`,
    );
  },
);

test('the message about a value of another cluster names neither the cluster nor the object in the zone of another namespace', () => {
  const zoneRef = { name: 'example', namespace: 'other' };
  for (const isShared of [false, true]) {
    const message = said(isShared, aRecord({ zoneRef }));
    expect(message).not.toContain('west');
    expect(message).toContain('set spec.sharing: Shared on both DNSRecords');
  }
});

async function drained(): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  const spec = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };
  on.cluster.create(DNS_RECORD, { name: 'www' }, spec);
  await on.settle();
  on.isDrained = true;
  for (const id of on.service.ids()) on.service.withdrawn.add(id);
  return on;
}
const run = async (on: Bench) => {
  await on.run('record', 'default/www');
  return on.ready(on.cluster.record('default/www'));
};
const zoneId = (on: Bench) => on.cluster.zone('default/example')?.status?.zoneId ?? '';

test('in a drained cluster, a record is Ready while nothing else is at its name', async () => {
  const on = await drained();
  expect(await run(on)).toBe('True Ready');
});

test('in a drained cluster, a record is not Ready while another is served instead, and says which command ends that', async () => {
  const on = await drained();
  on.service.seed(zoneId(on), { content: '192.0.2.2' });
  expect(await run(on)).toBe('False ClusterDrained');
  expect(on.message(on.cluster.record('default/www'))).toMatch(/zonestead clusters restore cluster-1$/);
  const { version } = on.cluster;
  expect(await run(on)).toBe('False ClusterDrained');
  expect(on.cluster.version).toBe(version);
});

test('in a drained cluster, a record keeps this status after a start, until the service has answered a heartbeat', async () => {
  const on = await drained();
  on.service.seed(zoneId(on), { content: '192.0.2.2' });
  await run(on);
  on.isDrained = undefined;
  expect(await run(on)).toBe('False ClusterDrained');
  on.isDrained = false;
  on.service.withdrawn.clear();
  expect(await run(on)).toBe('True Ready');
});

test('in a drained cluster, a record that shares its value with another cluster is Ready', async () => {
  const on = await drained();
  on.service.withdrawn.clear();
  on.service.seed(zoneId(on), { content: '192.0.2.2' });
  expect(await run(on)).toBe('True Ready');
});
