// Zones (contract Z3 to Z14): create, get, list, delete, ds, and the default TTL.
import { expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { NAMESERVERS, startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { admin, request } = service;
const own = `org:${admin.team}`;

test('POST /zones answers 200 with status done and the data for the parent, so that no GET is needed', async () => {
  const reply = await request('POST', '/zones', { zoneName: 'born.example', owner: own });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    id: expect.stringMatching(/^zone_[0-9a-z]+$/),
    zoneName: 'born.example',
    owner: own,
    state: 'active',
    status: 'done',
    nameservers: NAMESERVERS,
    ds: [
      expect.objectContaining({ algorithm: 13, digestType: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) }),
      expect.objectContaining({ algorithm: 13, digestType: 4, digest: expect.stringMatching(/^[0-9a-f]{96}$/) }),
    ],
    defaultTtl: 3600,
    denial: 'NSEC',
    serial: expect.any(Number),
    records: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    updatedAt: reply.body.createdAt,
    key: { keyTag: expect.any(Number), kept: false },
  });
  // Only the creation says whether the key is a new one.
  const { key: _, ...zone } = reply.body;
  expect((await request('GET', `/zones/${reply.body.id}`)).body).toEqual(zone);
});

test.each([
  ['capitals and a final dot', 'UPPER.Example.', 'upper.example'],
  ['an international name', 'Bücher.example', 'xn--bcher-kva.example'],
  ['a single label', 'mytld', 'mytld'],
  ['a reverse zone', '2.0.192.in-addr.arpa', '2.0.192.in-addr.arpa'],
])('POST /zones takes %s and answers the canonical name', async (_, given, canonical) => {
  const reply = await request('POST', '/zones', { zoneName: given, owner: own });
  expect([reply.status, reply.body.zoneName]).toEqual([200, canonical]);
  expect(refusal(await request('POST', '/zones', { zoneName: canonical, owner: own }))).toBe('409 conflict');
});

test.each([
  'a..example',
  '.',
  '-x.example',
  'white space.example',
  '192.0.2.1',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  'quote".example',
  'new\nline.example',
  '*.example',
  'xn--a.example',
])('POST /zones refuses %j as a name', async (zoneName) => {
  expect(refusal(await request('POST', '/zones', { zoneName, owner: own }))).toBe('400 bad_request');
});

// Contract K11.
test.each([
  ['is missing', undefined],
  ['is personal', 'personal'],
  ['is a bare id', admin.team],
  ['is another team', 'org:team_000000000000'],
  ['is empty', ''],
])('POST /zones is forbidden to an app key when the owner %s, and says what it may do', async (_, owner) => {
  const reply = await request('POST', '/zones', { zoneName: 'owner.example', owner });
  expect(refusal(reply)).toBe('403 forbidden');
  expect(reply.body.message).toMatch(/an app can only create zones in its own team/i);
});

test.each(['none', 'read'] as const)(
  'POST /zones is forbidden at level %s of manage-zones (contract K4)',
  async (manageZones) => {
    const { text } = await service.key({ manageZones });
    const reply = await request('POST', '/zones', { zoneName: 'rule3.example', owner: own }, text);
    expect(refusal(reply)).toBe('403 forbidden');
    expect(reply.body.message).toMatch(/manage-zones at level write/);
  },
);

test('POST /zones may set the default TTL, within 30 to 86400', async () => {
  const create = (zoneName: string, defaultTtl: unknown) =>
    request('POST', '/zones', { zoneName, owner: own, defaultTtl });
  expect((await create('ttl30.example', 30)).body.defaultTtl).toBe(30);
  expect((await create('ttl86400.example', 86_400)).body.defaultTtl).toBe(86_400);
  for (const ttl of [29, 86_401, 60.5, '60', null]) {
    expect(refusal(await create('ttl.example', ttl))).toBe('400 bad_request');
  }
});

test('GET /zones lists the zones of the key by name, and in pages on request', async () => {
  const { text, team } = await service.key({ team: 'lister' });
  const key = { id: '', text, team };
  for (const name of ['c.lists', 'a.lists', 'b.lists']) await service.zone(name, key);
  const names = (body: Record<string, unknown>) => (body.zones as { zoneName: string }[]).map((zone) => zone.zoneName);
  const get = async (query: string) => (await request('GET', `/zones${query}`, undefined, text)).body;
  expect(names(await get(''))).toEqual(['a.lists', 'b.lists', 'c.lists']);
  const first = await get('?limit=2');
  expect(names(first)).toEqual(['a.lists', 'b.lists']);
  const second = await get(`?limit=2&cursor=${first.next}`);
  expect([names(second), second.next]).toEqual([['c.lists'], undefined]);
  for (const query of [
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?unknown=1',
    '?cursor=',
    '?cursor=!!!!',
    '?cursor=zzz',
  ]) {
    expect(refusal(await request('GET', `/zones${query}`))).toBe('400 bad_request');
  }
});

test('GET /zones/{id} of an unknown zone is 404 not_found', async () => {
  expect(refusal(await request('GET', '/zones/zone_00000000000000000000'))).toBe('404 not_found');
});

test('PATCH /zones/{id} changes the TTL of records that have none of their own', async () => {
  const zone = await service.zone();
  const path = `/zones/${zone.id}`;
  await service.record(zone, 'plain', 'A', '192.0.2.1');
  await service.record(zone, 'own', 'A', '192.0.2.1', { ttl: 99 });
  const changed = await request('PATCH', path, { defaultTtl: 120 });
  expect([changed.status, changed.body.defaultTtl]).toEqual([200, 120]);
  expect(changed.body.serial).toBeGreaterThan(zone.serial);
  const { records } = (await request('GET', `${path}/records`)).body as { records: { name: string; ttl: number }[] };
  expect(records.map(({ name, ttl }) => [name, ttl])).toEqual([
    ['own', 99],
    ['plain', 120],
  ]);
  await expect
    .poll(async () => (await service.dns.lookup(`plain.${zone.zoneName}`, 'A')).answers)
    .toEqual([`plain.${zone.zoneName} 120 A 192.0.2.1`]);
  expect((await request('PATCH', path, { defaultTtl: 120 })).body.serial).toBe(changed.body.serial);
  for (const body of [{}, { defaultTtl: 1 }, { zoneName: 'x.example' }, { defaultTtl: 60, state: 'parked' }]) {
    expect(refusal(await request('PATCH', path, body))).toBe('400 bad_request');
  }
  const { text } = await service.key({ manageZones: 'read' });
  expect(refusal(await request('PATCH', path, { defaultTtl: 60 }, text))).toBe('403 forbidden');
});

test('DELETE /zones/{id} is 204 without a body, deletes the records too, and is no_zone the second time', async () => {
  const zone = await service.zone('gone.example');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const [row] = await service.sql`select no from zones where id = ${zone.id}`;
  const { text: reader } = await service.key({ manageZones: 'read' });
  expect(refusal(await request('DELETE', `/zones/${zone.id}`, undefined, reader))).toBe('403 forbidden');
  const reply = await request('DELETE', `/zones/${zone.id}`);
  expect([reply.status, reply.text]).toEqual([204, '']);
  expect(refusal(await request('DELETE', `/zones/${zone.id}`))).toBe('404 no_zone');
  expect(refusal(await request('GET', `/zones/${zone.id}`))).toBe('404 not_found');
  expect(await service.sql`select id from records where zone_no = ${row?.no}`).toEqual([]);
  expect((await service.zone('gone.example')).id).not.toBe(zone.id);
});

test('GET /zones/{id}/ds answers the DS that the name server computes from the DNSKEY that it serves', async () => {
  const zone = await service.zone('ds.example');
  const { status, body } = await request('GET', `/zones/${zone.id}/ds`);
  expect([status, body]).toEqual([200, { ds: zone.ds }]);
  // Knot computes the CDS record from the key, with SHA-256 alone.
  const cds = await service.dns.dig('+short', 'ds.example', 'CDS');
  const lines = cds.split('\n').map((line) => line.toLowerCase().replace(/(\S+ \S+ \S+) (\S+) (\S+)/, '$1 $2$3'));
  const wanted = zone.ds.map((ds) => `${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest}`);
  expect(lines).toEqual(wanted.filter((line) => / 13 2 /.test(line)));
  expect(zone.ds[0]?.record).toBe(`ds.example. IN DS ${wanted.find((line) => / 13 2 /.test(line))}`);
  expect(refusal(await request('GET', '/zones/zone_0/ds'))).toBe('404 no_zone');
});
