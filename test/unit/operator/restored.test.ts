// An etcd that was restored from a backup: nothing leaves DNS, older objects wait, and both ways out of it.
import { expect, test } from 'vitest';
import { findCondition } from '#kube/objects/conditions.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const record = (on: Bench, name: string, content = '192.0.2.1') =>
  on.cluster.create(DNS_RECORD, { name }, { zoneRef: { name: 'example' }, name, type: 'A', content });
const edit = (on: Bench, name: string, content: string) => on.cluster.edit(DNS_RECORD, `default/${name}`, { content });
const conditionOf = (on: Bench, type: string) => {
  const condition = findCondition(on.cluster.zone(ZONE)?.status?.conditions, type);
  return `${condition?.status} ${condition?.reason}`;
};
const settle = async (on: Bench) => {
  await on.settle();
  await on.clock.advance(3_000);
  await on.settle();
};
const hosts = (on: Bench) =>
  on.service
    .lines()
    .filter((line) => line.includes(' A '))
    .map((line) => line.split(' ').slice(1, 4).join(' '))
    .sort();

/** A backup of etcd, and the changes that it does not have: objects that were made, edited, replaced and deleted. */
async function changed() {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', defaultTtl: 600 });
  for (const name of ['edited', 'deleted', 'replaced', 'same']) record(on, name);
  await on.settle();
  const backup = on.cluster.backUp();
  record(on, 'made', '192.0.2.7');
  edit(on, 'edited', '192.0.2.7');
  on.cluster.remove(DNS_RECORD, 'default/deleted');
  on.cluster.remove(DNS_RECORD, 'default/replaced');
  await settle(on);
  record(on, 'replaced', '192.0.2.7');
  on.cluster.edit(DNS_ZONE, ZONE, { defaultTtl: 300, parked: false });
  await settle(on);
  const newer = hosts(on);
  expect(newer).toEqual(['edited A 192.0.2.7', 'made A 192.0.2.7', 'replaced A 192.0.2.7', 'same A 192.0.2.1']);
  on.events.length = 0;
  const restore = () => {
    on.cluster.restore(backup);
    on.service.owners.appliedAt = '2026-11-22T10:00:00.000Z';
    on.isEtcdRestored = true;
    on.restart();
  };
  return { on, newer, restore };
}
const accept = (on: Bench) => {
  on.service.owners.acceptOlder();
  on.isEtcdRestored = false;
  for (const { metadata } of on.cluster.records()) on.older.clear(`default/${metadata.name}`);
};

test('after a restore of etcd nothing changes in DNS, and the conditions and an Event say so', async () => {
  const { on, newer, restore } = await changed();
  const zone = () =>
    JSON.stringify([...on.service.zones.values()].map(({ zone: { state, defaultTtl } }) => [state, defaultTtl]));
  const before = zone();
  restore();
  await settle(on);
  expect(hosts(on)).toEqual(newer);
  expect(zone()).toBe(before);
  expect(conditionOf(on, 'EtcdRestored')).toBe('True OlderObjects');
  expect(conditionOf(on, 'DeletionsHeld')).toBe('True EtcdRestored');
  expect(conditionOf(on, 'Ready')).toBe('True Ready');
  expect(on.reasons().filter((each) => each === `${ZONE} EtcdRestored`)).toHaveLength(1);
  for (const name of ['edited', 'deleted', 'replaced'])
    expect(on.ready(on.cluster.record(`default/${name}`))).toBe('False OlderThanService');
  expect(on.ready(on.cluster.record('default/same'))).toBe('True Ready');
  expect(on.message(on.cluster.record('default/edited'))).toContain('zonestead clusters accept-older cluster-1');
  // Another restart decides the same.
  on.restart();
  await settle(on);
  expect(hosts(on)).toEqual(newer);
});

test('after the acceptance the objects win, also in a process that was started meanwhile', async () => {
  const { on, restore } = await changed();
  restore();
  await settle(on);
  accept(on);
  on.restart();
  await settle(on);
  expect(hosts(on)).toEqual(['deleted A 192.0.2.1', 'edited A 192.0.2.1', 'replaced A 192.0.2.1', 'same A 192.0.2.1']);
  expect([conditionOf(on, 'EtcdRestored'), conditionOf(on, 'DeletionsHeld')]).toEqual([
    'False NotRestored',
    'False NotHeld',
  ]);
  expect(audit(on)).toEqual([]);
});

test('held releases continue after the acceptance, also if they are more than half of all', async () => {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  record(on, 'first');
  await on.settle();
  const backup = on.cluster.backUp();
  for (let n = 0; n < 40; n += 1) record(on, `made${n}`);
  await settle(on);
  on.cluster.restore(backup);
  on.isEtcdRestored = true;
  on.restart();
  await settle(on);
  expect([hosts(on).length, on.held.held]).toEqual([41, 40]);
  accept(on);
  await settle(on);
  expect([hosts(on).length, on.held.held]).toEqual([1, 0]);
});

test('the sets of all objects get a generation again right after the acceptance, so that no later restore counts as accepted', async () => {
  const { on, restore } = await changed();
  restore();
  await settle(on);
  on.service.owners.acceptOlder();
  on.isEtcdRestored = false;
  on.older.accept(new Set([ZONE]));
  on.cluster.annotate(DNS_ZONE, ZONE, { accepted: 'true' });
  const before = on.faults.calls.length;
  await on.run('zone', ZONE);
  // Otherwise only a DNSRecord that runs for another reason would get its generation within ten minutes.
  expect(on.faults.calls.slice(before)).toContain('api owners zone_1');
  await settle(on);
  const [zone] = on.service.zones.values();
  const sets = zone ? on.service.owners.list(zone, '') : [];
  expect(sets.map(({ owner, generation }) => `${owner} ${generation}`).sort()).toEqual([
    'k8s:cluster-1/default/deleted 1',
    'k8s:cluster-1/default/edited 1',
    'k8s:cluster-1/default/replaced 1',
    'k8s:cluster-1/default/same 1',
  ]);
});

test('objects that are written again with the newer values are Ready, and their next edits count', async () => {
  const { on, newer, restore } = await changed();
  restore();
  await settle(on);
  record(on, 'made', '192.0.2.7');
  edit(on, 'edited', '192.0.2.7');
  on.cluster.remove(DNS_RECORD, 'default/deleted');
  on.cluster.remove(DNS_RECORD, 'default/replaced');
  on.service.owners.appliedAt = '2026-11-21T10:00:00.000Z';
  await settle(on);
  record(on, 'replaced', '192.0.2.7');
  await settle(on);
  expect(hosts(on)).toEqual(newer);
  for (const name of ['edited', 'made', 'replaced', 'same'])
    expect(on.ready(on.cluster.record(`default/${name}`))).toBe('True Ready');
  accept(on);
  await settle(on);
  expect(hosts(on)).toEqual(newer);
  edit(on, 'edited', '192.0.2.8');
  await settle(on);
  expect(hosts(on)).toContain('edited A 192.0.2.8');
});

test('while etcd is restored, deletions of zones and of records wait, and an annotation lets those of one zone continue', async () => {
  const { on, newer, restore } = await changed();
  restore();
  await settle(on);
  on.cluster.remove(DNS_RECORD, 'default/same');
  await settle(on);
  expect(hosts(on)).toEqual(newer);
  on.cluster.remove(DNS_ZONE, ZONE);
  await settle(on);
  expect(conditionOf(on, 'DeletionBlocked')).toBe('True EtcdRestored');
  expect(hosts(on)).toEqual(newer);
  on.cluster.annotate(DNS_ZONE, ZONE, { [RELEASE_MANY]: 'true', 'zonestead.dev/force-delete': 'true' });
  await settle(on);
  expect(on.cluster.zone(ZONE)).toBeUndefined();
});

test('while it is not known whether etcd was restored, nothing is released, applied or deleted', async () => {
  const { on, newer, restore } = await changed();
  restore();
  on.isEtcdRestored = undefined;
  on.restart();
  for (let round = 0; round < 10; round += 1) {
    await on.round();
    await on.clock.advance(1_000);
  }
  expect(hosts(on)).toEqual(newer);
  expect(conditionOf(on, 'EtcdRestored')).toBe('undefined undefined');
});

test('an object that vanishes is not released while it is not known whether etcd was restored, and is afterwards', async () => {
  const { on, newer } = await changed();
  on.isEtcdRestored = undefined;
  on.cluster.remove(DNS_RECORD, 'default/same');
  for (let round = 0; round < 5; round += 1) {
    await on.round();
    await on.clock.advance(1_000);
  }
  expect(hosts(on)).toEqual(newer);
  on.isEtcdRestored = false;
  await settle(on);
  expect(hosts(on)).toHaveLength(newer.length - 1);
});

test('a record of another namespace stays when the restored zone does not permit it yet', async () => {
  const on = new Bench();
  on.cluster.create(NAMESPACE, { namespace: '', name: 'team' }, {});
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  const zone = on.cluster.backUp();
  on.cluster.edit(DNS_ZONE, ZONE, { allowedRecords: [{ namespaces: { from: 'All' } }] });
  const zoneRef = { name: 'example', namespace: 'default' };
  const spec = { zoneRef, name: 'www', type: 'A', content: '192.0.2.1' };
  on.cluster.create(DNS_RECORD, { namespace: 'team', name: 'www' }, spec);
  await settle(on);
  expect(hosts(on)).toHaveLength(1);
  const record = on.cluster.backUp().get('dnsrecords team/www');
  on.cluster.restore(new Map([...zone, ['dnsrecords team/www', record]]));
  on.isEtcdRestored = true;
  on.restart();
  await settle(on);
  expect([on.ready(on.cluster.record('team/www')), hosts(on).length]).toEqual(['False NotPermitted', 1]);
  accept(on);
  on.restart();
  await settle(on);
  expect(hosts(on)).toHaveLength(0);
});

test('records of a zone that came back without owners are taken back by the objects that had them, and by no other', async () => {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  record(on, 'www');
  record(on, 'edited');
  await settle(on);
  const newer = hosts(on);
  on.service.owners.lose();
  edit(on, 'edited', '192.0.2.7');
  on.cluster.create(
    DNS_RECORD,
    { name: 'thief' },
    { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  on.cluster.create(
    DNS_RECORD,
    { name: 'stranger' },
    { zoneRef: { name: 'example' }, name: 'edited', type: 'A', content: '192.0.2.1' },
  );
  on.restart();
  await settle(on);
  expect(on.ready(on.cluster.record('default/stranger'))).toBe('False Conflict');
  expect(hosts(on)).toEqual(['edited A 192.0.2.1', 'edited A 192.0.2.7', 'www A 192.0.2.1']);
  expect(newer).toHaveLength(2);
  expect(on.ready(on.cluster.record('default/www'))).toBe('True Ready');
  expect(on.ready(on.cluster.record('default/thief'))).toBe('False Conflict');
  on.cluster.remove(DNS_RECORD, 'default/thief');
  await settle(on);
  expect(hosts(on)).toContain('www A 192.0.2.1');
  on.cluster.remove(DNS_RECORD, 'default/www');
  await settle(on);
  expect(hosts(on)).not.toContain('www A 192.0.2.1');
});
