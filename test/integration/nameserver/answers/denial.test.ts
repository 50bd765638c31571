// The denial of names of a zone from the REST API to the answers: as a new zone has it, changed in both directions,
// parked, deleted and restored. With Knot 3.2, zones keep NSEC.
import { expect, test } from 'vitest';
import { NSEC3_WORKS } from '#nameserver/knot/configuration.ts';
import { isSince } from '#nameserver/knot/version.ts';
import { expectNegative, expectPositive } from '../../../support/dns/answers.ts';
import { verifyZone, zoneText } from '../../../support/dns/check-zones.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns, request } = service;
const folder = await temporaryFolder('denial');

/** The types in a zone with NSEC3. */
const NSEC3 = isSince(service.knot.version, NSEC3_WORKS) ? ['NSEC3', 'NSEC3PARAM'] : ['NSEC'];
const patch = (id: string, body: object, key?: string) => request('PATCH', `/zones/${id}`, body, key);

/** ldns verifies the zone. @returns the types of records that deny names */
async function readDenial(zone: string): Promise<string[]> {
  await service.settled();
  const text = await zoneText(service.knot.control, zone);
  expect(await verifyZone(text, folder)).toMatch(/Zone is verified and complete/);
  const types = new Set(text.split('\n').map((line) => line.split(' ')[3] ?? ''));
  return [...types].filter((type) => type.startsWith('NSEC')).sort();
}

test('a zone has NSEC, and NSEC3 if it was created with it', async () => {
  const plain = await service.zone('plain.example');
  const owner = `org:${service.admin.team}`;
  const hashed = await request('POST', '/zones', { zoneName: 'hashed.example', owner, denial: 'NSEC3' });
  expect([plain.denial, hashed.status, hashed.body.denial]).toEqual(['NSEC', 200, 'NSEC3']);
  expect(await readDenial('plain.example')).toEqual(['NSEC']);
  expect(await readDenial('hashed.example')).toEqual(NSEC3);
  await expectNegative(dns, 'hashed.example', 'none.hashed.example', 'A', 'nxdomain');
});

test.each(['nsec3', 'NSEC4', '', null, true])(
  'a zone with the denial %j is refused with the accepted ones',
  async (denial) => {
    const owner = `org:${service.admin.team}`;
    const created = await request('POST', '/zones', { zoneName: 'wrong.example', owner, denial });
    expect([created.status, created.body.message]).toEqual([400, expect.stringContaining('must be NSEC or NSEC3')]);
  },
);

test('a change of the denial is answered, recorded and served, and repeating it changes nothing', async () => {
  const zone = await service.zone('switched.example');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.record(zone, '*.wild', 'TXT', 'any');
  await service.record(zone, 'cut', 'NS', 'ns.example.org');
  const child = await service.zone('child.switched.example');
  for (const [denial, types] of [
    ['NSEC3', NSEC3],
    ['NSEC', ['NSEC']],
    ['NSEC3', NSEC3],
  ] as const) {
    const changed = await patch(zone.id, { denial });
    expect([changed.status, changed.body.denial]).toEqual([200, denial]);
    expect((await patch(zone.id, { denial })).body.serial).toBe(changed.body.serial);
    expect(await readDenial('switched.example')).toEqual(types);
    await expectPositive(dns, 'switched.example', 'www.switched.example', 'A');
    await expectPositive(dns, 'switched.example', 'x.wild.switched.example', 'TXT');
    await expectPositive(dns, 'switched.example', child.zoneName, 'DS');
    await expectNegative(dns, 'switched.example', 'none.switched.example', 'A', 'nxdomain');
    await expectNegative(dns, 'switched.example', 'cut.switched.example', 'DS', 'nodata');
  }
  const { body } = await request('GET', `/zones/${zone.id}/changes`);
  const changes = body.changes as { action: string }[];
  const ofDenial = changes.filter(({ action }) => action === 'zone.change');
  expect(ofDenial[0]).toMatchObject({ before: { denial: 'NSEC' }, after: { denial: 'NSEC3' } });
  expect(ofDenial).toHaveLength(3);
});

test('a parked zone with NSEC3 denies names with it', async () => {
  const zone = await service.zone('parked.example');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await patch(zone.id, { denial: 'NSEC3' });
  await request('POST', `/zones/${zone.id}/park`);
  expect(await readDenial('parked.example')).toEqual(NSEC3);
  await expectNegative(dns, 'parked.example', 'www.parked.example', 'A', 'nxdomain');
});

test('a deleted zone comes back with its denial', async () => {
  const zone = await service.zone('back.example');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await patch(zone.id, { denial: 'NSEC3' });
  await request('DELETE', `/zones/${zone.id}`);
  const restored = await request('POST', '/zones:restore', { zoneName: 'back.example' });
  expect([restored.status, restored.body.denial]).toEqual([201, 'NSEC3']);
  expect(await readDenial('back.example')).toEqual(NSEC3);
});

test('a key that may not manage zones, and another team, change no denial', async () => {
  const zone = await service.zone('foreign.example');
  const reader = await service.key({ manageZones: 'read' });
  const other = await service.key({ team: 'other' });
  expect((await patch(zone.id, { denial: 'NSEC3' }, reader.text)).status).toBe(403);
  expect((await patch(zone.id, { denial: 'NSEC3' }, other.text)).status).toBe(404);
  expect((await request('GET', `/zones/${zone.id}`)).body.denial).toBe('NSEC');
});
