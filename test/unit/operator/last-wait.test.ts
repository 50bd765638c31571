// A zone and its records that are deleted together, for example with their namespace: one write deletes all of them.

import { beforeEach, expect, test } from 'vitest';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const NAMES = ['a', 'b', 'c'];

let on: Bench;
beforeEach(async () => {
  on = new Bench();
  on.recordsFirst = true;
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  for (const name of NAMES)
    on.cluster.create(DNS_RECORD, { name }, { zoneRef: { name: 'example' }, name, type: 'A', content: '192.0.2.1' });
  await on.settle();
  on.faults.calls.length = 0;
});

const deletions = () =>
  on.faults.calls.filter((call) => call.startsWith('api delete')).map((call) => call.split(' ')[2]);
const zoneId = () => on.cluster.zone(ZONE)?.status?.zoneId as string;

function removeAll(): void {
  for (const name of NAMES) on.cluster.remove(DNS_RECORD, `default/${name}`);
  on.cluster.remove(DNS_ZONE, ZONE);
}

test('a zone that is deleted together with its records is deleted in one write, in any order of the runs', async () => {
  const id = zoneId();
  removeAll();
  await on.settle();
  expect(deletions()).toEqual([id]);
  expect([...on.cluster.zones(), ...on.cluster.records()]).toEqual([]);
});

test('a zone that is deleted together with its records is deleted first when its namespace is deleted and the records run first', async () => {
  const id = zoneId();
  const place = on.cluster.create(NAMESPACE, { name: 'default', namespace: '', finalizers: ['kubernetes'] }, {});
  on.cluster.remove(NAMESPACE, place);
  for (const name of NAMES) on.cluster.remove(DNS_RECORD, `default/${name}`);
  for (let round = 0; round < 5; round += 1) {
    await on.round();
    await on.clock.advance(1_000);
  }
  expect(deletions()).toEqual([]);
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  expect(deletions()).toEqual([id]);
  expect(on.cluster.records()).toEqual([]);
});

test('a zone that is deleted together with its records leaves its records nothing to write when it was deleted before them', async () => {
  const id = zoneId();
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  for (const name of NAMES) on.cluster.remove(DNS_RECORD, `default/${name}`);
  await on.settle();
  expect(deletions()).toEqual([id]);
  expect(on.cluster.records()).toEqual([]);
});

test('a zone that is deleted together with its records does not delay them when records without a DNSRecord block it', async () => {
  const foreign = on.service.seed(zoneId(), { name: 'foreign' });
  removeAll();
  await on.settle();
  expect(on.service.ids()).toEqual([foreign]);
  expect(on.cluster.records()).toEqual([]);
  const zone = on.cluster.zone(ZONE);
  expect(on.ready(zone)).toBe('False DeletionBlocked');
  expect(zone?.status?.conditions.find(({ type }) => type === 'DeletionBlocked')).toMatchObject({
    status: 'True',
    reason: 'ForeignRecords',
    message: expect.stringContaining('The zone contains records that no DNSRecord owns: '),
  });
});

test('a zone that is deleted together with its records does not delay them forever when it cannot be deleted', async () => {
  on.cluster.edit(DNS_ZONE, ZONE, { deletionPolicy: 'Retain' });
  removeAll();
  await on.settle();
  expect(on.faults.calls.filter((call) => /^api apply \S+ -/.test(call))).toHaveLength(NAMES.length);
  expect(on.service.ids()).toEqual([]);
});
