// The zone that an installation makes for its canary.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Keyring } from '#base/keyring.ts';
import { ensureDeclaredZone } from '#service/zones/declared-zone.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { request, dns } = service;
const ensure = (name: string, team = 'first') =>
  ensureDeclaredZone(
    service.database.url,
    { name, team, nameservers: NAMESERVERS },
    { random: randomBytes, keyring: new Keyring([]) },
  );
const find = async (name: string) => {
  const { body } = await request('GET', `/zones?zoneName=${name}`);
  return (body.zones as { id: string; owner: string; records: number }[])[0];
};

test('an installation creates its zone once, and name servers answer for it', async () => {
  expect(await ensure('Canary.Example.')).toBe('created');
  const zone = await find('canary.example');
  expect(zone?.owner).toBe(`org:${service.admin.team}`);
  expect((await dns.lookup('canary.example', 'SOA')).answers).toHaveLength(1);
  await service.record(zone as { id: string }, 'kept', 'A', '192.0.2.1');
  expect(await ensure('canary.example')).toBe('known');
  expect((await find('canary.example'))?.id).toBe(zone?.id);
  expect((await dns.lookup('kept.canary.example', 'A')).answers).toHaveLength(1);
  const { body } = await request('GET', `/zones/${zone?.id}/changes`);
  expect(body.changes).toMatchObject([{ action: 'record.create' }, { action: 'zone.create', keyId: 'service' }]);
});

test('a zone below one of the same team is delegated there', async () => {
  await service.zone('above.example');
  expect(await ensure('canary.above.example')).toBe('created');
  await service.settled();
  expect((await dns.lookup('canary.above.example', 'SOA')).aa).toBe(true);
  expect((await dns.lookup('canary.above.example', 'DS')).answers.length).toBeGreaterThan(0);
});

test('a zone of another team, below one of another team, and a wrong name are refused with the reason', async () => {
  await service.zone('taken.example');
  await expect(ensure('taken.example', 'second')).rejects.toThrow(
    'the zone taken.example belongs to another owner than the team "second"',
  );
  await expect(ensure('canary.taken.example', 'second')).rejects.toMatchObject({ code: 'conflict' });
  await expect(ensure('not a name')).rejects.toMatchObject({ code: 'bad_request' });
  // The administrator decides about reserved names.
  expect(await ensure('canary.test')).toBe('created');
});

test('a key gets no zone of another team by a declaration', async () => {
  const other = await service.key({ team: 'third' });
  expect(await ensure('own.example', 'third')).toBe('created');
  expect(await find('own.example')).toBeUndefined();
  const { body } = await request('GET', '/zones?zoneName=own.example', undefined, other.text);
  expect(body.zones).toHaveLength(1);
});
