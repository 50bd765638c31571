// Contract R3, R6 and R7: POST /zones/{id}/records, and the fields of a record.
import { expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const zone = await service.zone('records.example');
const post = (body: object) => request('POST', `/zones/${zone.id}/records`, body);

test('POST /zones/{id}/records answers 201 with id, name, type, content, ttl and priority', async () => {
  const reply = await post({ name: 'www', type: 'A', content: '192.0.2.1', ttl: 300 });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    id: expect.stringMatching(/^rec_[0-9a-z]+$/),
    name: 'www',
    type: 'A',
    content: '192.0.2.1',
    ttl: 300,
    priority: null,
  });
});

// The contents and the form in which they are answered: contract V1 to V17.
const cases: [type: string, name: string, content: string, echoed?: string, priority?: number][] = [
  ['A', 'a', '192.0.2.255'],
  ['AAAA', 'aaaa', '2001:DB8:0:0::1', '2001:db8::1'],
  ['ALIAS', 'alias', 'target.example.net.', 'target.example.net'],
  ['CAA', 'caa', '0 issue "ca.example"'],
  ['CNAME', 'cname', 'Target.Example.NET.', 'target.example.net'],
  ['HTTPS', 'https', '1 . port=8443 alpn=h2,h3', '1 . alpn="h2,h3" port=8443'],
  ['MX', 'mx', 'mail.example.net', 'mail.example.net', 10],
  ['NS', 'ns', 'ns.example.net'],
  ['PTR', 'ptr', 'host.example.net'],
  ['SRV', '_sip._tcp', '1 2 5060 sip.example.net'],
  ['TLSA', '_443._tcp.www', `3 1 1 ${'ab'.repeat(32)}`],
  ['TXT', '_acme-challenge', 'x4MZk9GhR0y1Jp3aPqkqWq1T3VtqzE8hBf2sVd6uL7M'],
];
test.each(cases)(
  'POST /zones/{id}/records takes %s, and DNS serves it',
  async (type, name, content, echoed = content, priority) => {
    const reply = await post({ name, type, content });
    expect([reply.status, reply.body.content, reply.body.priority]).toEqual([201, echoed, priority ?? null]);
    if (type === 'ALIAS') return; // The service resolves it. The row itself is never served.
    const answer = await service.dns.lookup(`${name}.records.example`, type);
    const records = [...(answer.packet.answers ?? []), ...(answer.packet.authorities ?? [])];
    expect(records.map((record) => [record.name, record.type])).toContainEqual([`${name}.records.example`, type]);
  },
);

test('POST /zones/{id}/records accepts a DS next to the NS that delegates', async () => {
  await service.record(zone, 'secure', 'NS', 'ns.example.net');
  const digest = 'ab'.repeat(32);
  expect((await post({ name: 'secure', type: 'DS', content: `1 13 2 ${digest}` })).status).toBe(201);
  expect((await service.dns.lookup('secure.records.example', 'DS')).answers).toEqual([
    `secure.records.example 3600 DS 1 13 2 ${digest}`,
  ]);
});

test('POST /zones/{id}/records makes names canonical: capitals, international labels, a final dot inside the zone', async () => {
  const name = async (given: string) => (await post({ name: given, type: 'TXT', content: given })).body.name;
  expect(await name('UPPER')).toBe('upper');
  expect(await name('bücher')).toBe('xn--bcher-kva');
  expect(await name('dotted.records.example.')).toBe('dotted');
  expect(await name('@')).toBe('@');
  expect(await name('records.example.')).toBe('@');
  expect(await name('*.star')).toBe('*.star');
});

test.each([
  ['an empty name', { name: '' }],
  ['a name that repeats the zone', { name: 'x.records.example' }],
  ['a name outside the zone', { name: 'x.other.example.' }],
  ['a label of 64 octets', { name: 'a'.repeat(64) }],
  ['an asterisk inside', { name: 'a.*.b' }],
  ['a blank in the name', { name: 'a b' }],
  ['an unknown type', { type: 'SPF' }],
  ['a type of the service', { type: 'SOA', name: '@' }],
  ['another form of content', { content: 'not an address' }],
  ['an empty content', { content: '' }],
  ['ttl 29', { ttl: 29 }],
  ['ttl 86401', { ttl: 86_401 }],
  ['a ttl with a fraction', { ttl: 60.5 }],
  ['a ttl as text', { ttl: '60' }],
  ['a priority on A', { priority: 5 }],
  ['an unknown field', { proxied: true }],
  ['no content', { content: undefined }],
  ['no name', { name: undefined }],
  ['no type', { type: undefined }],
  ['NS at the apex', { name: '@', type: 'NS', content: 'ns.example.net' }],
  ['CNAME at the apex', { name: '@', type: 'CNAME', content: 'www.example.net' }],
  ['DS at the apex', { name: '@', type: 'DS', content: `1 13 2 ${'ab'.repeat(32)}` }],
  ['a priority of 65536', { type: 'MX', content: 'mail.example.net', priority: 65_536 }],
  ['a negative priority', { type: 'MX', content: 'mail.example.net', priority: -1 }],
  ['the priority inside the content', { type: 'MX', content: '10 mail.example.net' }],
])('POST /zones/{id}/records refuses %s with 400', async (_, change) => {
  const body = { name: 'refused', type: 'A', content: '192.0.2.1', ...change };
  expect(refusal(await post(body))).toBe('400 bad_request');
});
