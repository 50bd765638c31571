// What people are told without asking: Events of what they have to mend, and figures of a zone that follow its records.
import { beforeEach, describe, expect, it } from 'vitest';
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

describe('an object that is refused from the start', () => {
  it.each([
    ['its own mistake', { name: 'www.example.org' }, 'Warning InvalidSpec'],
    ['what another one has', { name: 'taken' }, 'Warning Conflict'],
  ])('tells of %s in one Event, however often it is looked at', async (_what, spec, expected) => {
    create('taken', {});
    await on.settle();
    create('www', spec);
    await on.settle();
    for (let again = 0; again < 3; again += 1) await on.run('record', WWW);
    expect(told(WWW)).toEqual([expected]);
  });

  it('tells of a missing grant, in the namespace of who asked', async () => {
    create('www', { zoneRef: { name: 'example', namespace: 'default' } }, 'tenant');
    await on.settle();
    expect(told('tenant/www')).toEqual(['Warning NotPermitted']);
  });

  it('tells of the next reason as well, and of the good end', async () => {
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

  it('of a zone that another object has is told of too', async () => {
    on.cluster.create(DNS_ZONE, { name: 'second' }, { zoneName: 'EXAMPLE.org.' });
    await on.settle();
    expect(told('default/second')).toEqual(['Warning Conflict']);
  });
});

describe('an object on its way', () => {
  it('is no news until it is served', async () => {
    on.outage = 'ns1 does not answer';
    create('www', {});
    await on.round();
    await on.round();
    expect(told(WWW)).toEqual([]);
    on.outage = null;
    await on.settle();
    expect(told(WWW)).toEqual(['Normal Ready']);
  });

  it('is no news while its zone is not there: both are often applied at once', async () => {
    create('www', { zoneRef: { name: 'later' } });
    await on.settle();
    expect(told(WWW)).toEqual([]);
  });
});

describe('a zone', () => {
  const status = () => on.cluster.zone(ZONE)?.status;

  it('that is Ready stays so while a name server is behind with what its records have added', async () => {
    const before = status()?.serial;
    create('www', {});
    await on.round();
    on.serials.length = 0;
    await on.run('zone', ZONE);
    expect(on.serials).toEqual([before]);
    // An edit of the zone itself has to be seen.
    on.cluster.edit(DNS_ZONE, ZONE, { parked: true });
    on.serials.length = 0;
    await on.run('zone', ZONE);
    expect(on.serials).toEqual([[...on.service.zones.values()][0]?.zone.serial]);
  });

  it('tells its serial and how many records it has, as they are at the service, whenever it is looked at', async () => {
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
});
