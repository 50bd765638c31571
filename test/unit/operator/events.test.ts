// The Events for problems that users must fix, and the figures of a zone that follow its records.
import { beforeEach, expect, test } from 'vitest';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const WWW = 'default/www';
const zoneRef = { name: 'example' };

let on: Bench;
beforeEach(async () => {
  on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  on.events.length = 0;
});

const create = (name: string, spec: Record<string, unknown>, namespace = 'default') =>
  on.cluster.create(DNS_RECORD, { name, namespace }, { zoneRef, name, type: 'A', content: '192.0.2.1', ...spec });
const told = (key: string) =>
  on.events.filter((event) => event.key === key).map(({ type, reason }) => `${type} ${reason}`);

test.each([
  ['an invalid spec', { name: 'www.example.org' }, 'Warning InvalidSpec'],
  ['a conflict with another object', { name: 'taken' }, 'Warning Conflict'],
])(
  'an object that is refused from the start reports %s in one Event, after any number of runs',
  async (_what, spec, expected) => {
    create('taken', {});
    await on.settle();
    create('www', spec);
    await on.settle();
    for (let again = 0; again < 3; again += 1) await on.run('record', WWW);
    expect(told(WWW)).toEqual([expected]);
  },
);

test('an object that is refused from the start reports a missing grant in its own namespace', async () => {
  create('www', { zoneRef: { name: 'example', namespace: 'default' } }, 'tenant');
  await on.settle();
  expect(told('tenant/www')).toEqual(['Warning NotPermitted']);
});

test('an object that is refused from the start reports the next reason as well, and the recovery', async () => {
  create('taken', {});
  await on.settle();
  create('www', { name: 'www.example.org' });
  await on.settle();
  on.cluster.remove(DNS_RECORD, WWW);
  create('www', { name: 'taken' });
  await on.settle();
  on.cluster.remove(DNS_RECORD, 'default/taken');
  await on.settle();
  await on.run('record', WWW);
  expect(told(WWW)).toEqual(['Warning InvalidSpec', 'Warning Conflict', 'Normal Ready']);
});

test('an object that is refused because it has the zone of another object is reported too', async () => {
  on.cluster.create(DNS_ZONE, { name: 'second' }, { zoneName: 'EXAMPLE.org.' });
  await on.settle();
  expect(told('default/second')).toEqual(['Warning Conflict']);
});

test('an object in progress causes no Event until it is served', async () => {
  on.outage = 'ns1 does not answer';
  create('www', {});
  await on.round();
  await on.round();
  expect(told(WWW)).toEqual([]);
  on.outage = null;
  await on.settle();
  expect(told(WWW)).toEqual(['Normal Ready']);
});

test('an object in progress causes no Event while its zone does not exist, because both are often applied together', async () => {
  create('www', { zoneRef: { name: 'later' } });
  await on.settle();
  expect(told(WWW)).toEqual([]);
});

const status = () => on.cluster.zone(ZONE)?.status;

test('a zone that is Ready stays Ready while a name server lags behind with changes of its records', async () => {
  const before = status()?.serial;
  create('www', {});
  await on.round();
  on.serials.length = 0;
  await on.run('zone', ZONE);
  expect(on.serials).toEqual([before]);
  // An edit of the zone itself must be visible.
  on.cluster.edit(DNS_ZONE, ZONE, { parked: true });
  on.serials.length = 0;
  await on.run('zone', ZONE);
  expect(on.serials).toEqual([[...on.service.zones.values()][0]?.zone.serial]);
});

test('a zone shows its serial and its number of records at the service, updated in each run', async () => {
  const before = status()?.serial;
  expect(status()?.records).toBe(0);
  create('www', { content: undefined, values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }] });
  await on.settle();
  await on.run('zone', ZONE);
  expect(status()?.records).toBe(2);
  expect(status()?.serial).toBe([...on.service.zones.values()][0]?.zone.serial);
  expect(status()?.serial).not.toBe(before);
  on.cluster.remove(DNS_RECORD, WWW);
  await on.settle();
  await on.run('zone', ZONE);
  expect(status()?.records).toBe(0);
});
