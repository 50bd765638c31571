// The types that few zones have, and types by number: written over REST, served by knotd with the octets that BIND
// makes of the same text (named-rrchecker), and read back from a zone file.
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { numberOfType } from '#dns/types/numbers.ts';
import { ask, type WireType } from '#nameserver/probe/probe.ts';
import { verifyZone, zoneText } from '../../../../support/dns/check-zones.ts';
import { refusal } from '../../../../support/http/requests.ts';
import { temporaryFolder } from '../../../../support/runner/temporary.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, knot, dns } = service;
const ZONE = 'types.example';
const zone = await service.zone(ZONE);
const post = (body: object) => request('POST', `/zones/${zone.id}/records`, body);

/** RDATA that knotd answers, in hexadecimal digits. */
async function served(name: string, type: WireType): Promise<string[]> {
  await service.settled();
  const server = { address: knot.address, port: knot.port };
  const { answers } = await ask(server, { name: `${name}.${ZONE}`, type }, { signal: AbortSignal.timeout(30_000) });
  const own = answers.filter((answer) => answer.type === numberOfType(type));
  return own.map(({ rdata }) => Buffer.from(rdata).toString('hex'));
}

const SHA256 = '0123456789abcdef'.repeat(4);
const CASES: readonly [type: WireType, name: string, content: string, octets: string, canonical?: string][] = [
  [
    'SVCB',
    '_dns',
    '1 dns.example.com alpn="dot" port=853',
    '000103646e73076578616d706c6503636f6d00000100040364 6f74000300020355',
  ],
  ['SSHFP', 'ssh', `4 2 ${SHA256}`, `0402${SHA256}`],
  [
    'NAPTR',
    'naptr',
    '100 10 u E2U+sip !^.*$!sip:info@example.com! .',
    '0064000a0175074532552b7369701b215e2e2a24217369703a696e666f406578616d706c652e636f6d2100',
    '100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
  ],
  [
    'NAPTR',
    'rcds',
    '100 50 "a" "rcds+N2C" "" CIDServer.example.com.',
    '00640032016108726364732b4e32430009636964736572766572076578616d706c6503636f6d00',
    '100 50 "a" "rcds+N2C" "" cidserver.example.com',
  ],
  [
    'LOC',
    'loc',
    '42 21 54 N 71 06 18 W -24m 30m',
    '0033161389172dd070be15f000988d20',
    '42 21 54.000 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m',
  ],
  [
    'URI',
    '_ftp._tcp',
    '10 1 "ftp://ftp1.example.com/public"',
    '000a00016674703a2f2f667470312e6578616d706c652e636f6d2f7075626c6963',
  ],
  ['OPENPGPKEY', 'c93f1e40._openpgpkey', 'mQENBFitwwoBCADA', '99010d0458adc30a010800c0'],
  ['SMIMEA', 'c93f1e40._smimecert', `3 1 1 ${SHA256}`, `030101${SHA256}`],
  ['CERT', 'cert', 'PKIX 65535 RSASHA256 MIIBIjAN', '0001ffff0830820122300d', '1 65535 8 MIIBIjAN'],
  [
    'DHCID',
    'dhcid',
    'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=',
    '000201636fc0b8271c82825bb1ac5c41cf5351aa69b4febd94e8f17cdb95000da48c40',
  ],
  ['DNAME', 'dname', 'target.example.net', '06746172676574076578616d706c65036e657400'],
  ['TYPE65280', 'generic', '\\# 4 0A00 0001', '0a000001', '\\# 4 0a000001'],
  ['TYPE65280', 'nothing', '\\# 0', ''],
  // HINFO, which Knot shows in its own form.
  ['TYPE13', 'hinfo', '\\# 13 025043094c696e757820223622', '025043094c696e757820223622'],
];

test.each(CASES)(
  'a record with type %s at %s is answered by the name server',
  async (type, name, content, octets, canonical) => {
    const reply = await post({ name, type, content });
    expect([reply.status, reply.body.type, reply.body.content]).toEqual([201, type, canonical ?? content]);
    expect(await served(name, type)).toEqual([octets.replaceAll(' ', '')]);
    expect(refusal(await post({ name, type, content: canonical ?? content }))).toBe('409 conflict');
    const { body } = await request('GET', `/zones/${zone.id}/records?type=${type}&name=${encodeURIComponent(name)}`);
    expect(body.records).toMatchObject([{ name, type, content: canonical ?? content, priority: null }]);
  },
);

test('a record comes back from the zone file, with every type', async () => {
  const exported = await request('GET', `/zones/${zone.id}/zonefile`);
  const copy = await service.zone('copy.example');
  const file = exported.text.replaceAll(ZONE, 'copy.example');
  const reply = await request('PUT', `/zones/${copy.id}/zonefile`, file, undefined, { 'content-type': 'text/dns' });
  expect([reply.status, reply.body.message]).toEqual([200, undefined]);
  const contents = async ({ id }: { id: string }) => {
    const { body } = await request('GET', `/zones/${id}/records`);
    return (body.records as { type: string; content: string }[])
      .map(({ type, content }) => `${type} ${content}`)
      .sort();
  };
  expect(await contents(copy)).toEqual(await contents(zone));
});

test('a zone with all of them verifies as a signed zone, as ldns reads it', async () => {
  await service.settled();
  const text = await zoneText(knot.control, ZONE);
  for (const type of ['NAPTR', 'SVCB', 'LOC', 'DNAME', 'HINFO', 'TYPE65280']) expect(text).toContain(type);
  expect(await verifyZone(text, await temporaryFolder('record-types'))).toMatch(/Zone is verified and complete/);
});

test.each([
  ['TYPE1', /TYPE1 is A: write A\./],
  ['TYPE46', /TYPE46 is RRSIG\. RRSIG records are made by the service itself/],
  ['TYPE252', /a type of questions or messages/],
  ['TYPE65401', /made by the service itself/],
  ['TYPE65536', /types have 1 to 65534/],
])('the type by its number %s is refused with 400, and named', async (type, message) => {
  const reply = await post({ name: 'refused', type, content: '\\# 0' });
  expect(refusal(reply)).toBe('400 bad_request');
  expect(reply.body.message).toMatch(message);
});

test('a type by its number must be in the list of a key that is limited to types', async () => {
  const limited = await service.key({ onlyTypes: ['TXT', 'TYPE65280'] });
  const open = await service.key();
  const write = (key: typeof open, type: string) =>
    request('POST', `/zones/${zone.id}/records`, { name: 'limited', type, content: '\\# 1 ff' }, key.text);
  expect((await write(limited, 'TYPE65280')).status).toBe(201);
  expect(refusal(await write(limited, 'TYPE65281'))).toBe('403 forbidden');
  expect((await write(open, 'TYPE65281')).status).toBe(201);
});

test('a DNAME redirects the names below it, with an answer that validates', async () => {
  await service.record(zone, 'old', 'DNAME', `new.${ZONE}`);
  await service.record(zone, 'www.new', 'A', '192.0.2.7');
  await service.settled();
  const { state } = await dns.delv(ZONE, `www.old.${ZONE}`, 'A');
  expect(state).toBe('secure');
  const { answers } = await dns.lookup(`www.old.${ZONE}`, 'A');
  expect(answers).toContain(`www.new.${ZONE} 3600 A 192.0.2.7`);
});

test('a DNAME keeps records and zones away from the names below it, in either order', async () => {
  const below = await post({ name: 'a.b.old', type: 'A', content: '192.0.2.1' });
  expect([refusal(below), below.body.message]).toEqual(['409 conflict', expect.stringContaining(`old.${ZONE}`)]);
  const kid = await request('POST', '/zones', {
    zoneName: `kid.b.old.${ZONE}`,
    owner: `org:${service.admin.team}`,
  });
  expect([refusal(kid), kid.body.message]).toEqual(['409 conflict', expect.stringContaining('DNAME record at old')]);

  const above = await post({ name: 'new', type: 'DNAME', content: 'a.example.net' });
  expect([refusal(above), above.body.message]).toEqual(['409 conflict', expect.stringContaining('www.new')]);
  const apex = await post({ name: '@', type: 'DNAME', content: 'a.example.net' });
  expect([refusal(apex), apex.body.message]).toEqual([
    '409 conflict',
    expect.stringContaining('would hide the records at'),
  ]);
  const hosted = await service.zone(`kid.b.hosted.${ZONE}`);
  const over = await post({ name: 'hosted', type: 'DNAME', content: 'a.example.net' });
  expect([refusal(over), over.body.message]).toEqual(['409 conflict', expect.stringContaining(hosted.id)]);
});

test('a DNAME may take the place of records that one batch deletes', async () => {
  const { id } = await service.record(zone, 'a.moved', 'A', '192.0.2.1');
  const dname = { action: 'create', record: { name: 'moved', type: 'DNAME', content: 'a.example.net' } };
  const reply = await request('POST', `/zones/${zone.id}/records:batch`, {
    changes: [{ action: 'delete', id }, dname],
  });
  expect([reply.status, reply.body.message]).toEqual([200, undefined]);
  expect(await served('moved', 'DNAME')).toHaveLength(1);
});

test('a DNAME and names below it may follow each other faster than the name server does', async () => {
  for (let round = 0; round < 4; round += 1) {
    const below = [];
    for (const label of ['a', 'b', 'c.d']) below.push(await service.record(zone, `${label}.fast`, 'A', '192.0.2.1'));
    for (const { id } of below) await request('DELETE', `/zones/${zone.id}/records/${id}`);
    const { id } = await service.record(zone, 'fast', 'DNAME', 'a.example.net');
    if (round < 3) await request('DELETE', `/zones/${zone.id}/records/${id}`);
  }
  expect(await served('fast', 'DNAME')).toHaveLength(1);
  expect(await served('a.fast', 'A')).toEqual([]);
});

test('a DNAME at the apex is served, and no other name is accepted then', async () => {
  const apex = await service.zone('apex.example');
  await service.record(apex, '@', 'DNAME', 'a.example.net');
  const reply = await request('POST', `/zones/${apex.id}/records`, { name: 'www', type: 'A', content: '192.0.2.1' });
  expect(refusal(reply)).toBe('409 conflict');
  expect((await dns.lookup('apex.example', 'DNAME')).answers).toHaveLength(1);
  expect((await dns.delv('apex.example', 'apex.example', 'SOA')).state).toBe('secure');
});
