// Parked zones (contract S6): the apex stays, so that the chain of trust holds, and all other names are denied.
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns, request } = service;

describe('a parked zone', async () => {
  const zone = await service.zone('parked.example');
  await service.record(zone, '@', 'A', '192.0.2.1');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.record(zone, '*', 'A', '192.0.2.1');
  await service.record(zone, 'sub', 'NS', 'ns.example.net');
  const state = async () => (await request('GET', `/zones/${zone.id}`)).body.state;
  const turn = (verb: string) => request('POST', `/zones/${zone.id}/${verb}`);

  test('a parked zone answers at its apex so that the chain of trust holds, and proves that no other name exists', async () => {
    const reply = await turn('park');
    expect([reply.status, reply.body.state, await state()]).toEqual([200, 'parked', 'parked']);
    expect((await turn('park')).body.serial).toBe(reply.body.serial);
    await expect.poll(async () => (await dns.lookup('www.parked.example', 'A')).rcode).toBe('NXDOMAIN');
    for (const type of ['SOA', 'NS', 'DNSKEY']) {
      expect(await dns.delv('parked.example', 'parked.example', type)).toMatchObject({
        state: 'secure',
        negative: null,
      });
    }
    for (const name of ['www', 'x.y', 'sub', 'www.sub']) {
      expect(await dns.delv('parked.example', `${name}.parked.example`, 'A')).toMatchObject({
        state: 'secure',
        negative: 'nxdomain',
      });
    }
    expect(await dns.delv('parked.example', 'parked.example', 'A')).toMatchObject({
      state: 'secure',
      negative: 'nodata',
    });
  });

  test('a parked zone keeps its records and accepts changes, which are served after it is unparked', async () => {
    await turn('park');
    await service.record(zone, 'new', 'A', '192.0.2.7');
    expect((await dns.lookup('new.parked.example', 'A')).rcode).toBe('NXDOMAIN');
    const reply = await turn('unpark');
    expect([reply.status, reply.body.state, await state()]).toEqual([200, 'active', 'active']);
    await expect
      .poll(async () => (await dns.lookup('new.parked.example', 'A')).answers)
      .toEqual(['new.parked.example 3600 A 192.0.2.7']);
    for (const name of ['parked.example', 'www.parked.example', 'any.parked.example']) {
      expect(await dns.delv('parked.example', name, 'A')).toMatchObject({ state: 'secure', negative: null });
    }
  });
});
