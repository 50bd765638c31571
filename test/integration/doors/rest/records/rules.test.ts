// Rules across records, over HTTP and as DNS shows them: contract X1 to X23. The unit tests of dns contain
// the cases of each rule; here the rules apply to real rows.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const zone = await service.zone('rules.example');
const records = `/zones/${zone.id}/records`;
const post = async (name: string, type: string, content: string, more = {}) => {
  const reply = await request('POST', records, { name, type, content, ...more });
  return reply.status === 201 ? 201 : `${refusal(reply)}: ${reply.body.message}`;
};
const CONFLICT = /^409 conflict: /;

test('CNAME (RFC 1034 section 3.6.2) cannot be created at a name with other records', async () => {
  const { id } = await service.record(zone, 'busy', 'A', '192.0.2.1');
  const reply = await request('POST', records, { name: 'busy', type: 'CNAME', content: 'x.example.net' });
  expect([refusal(reply), reply.body.field, reply.body.records]).toEqual(['409 conflict', 'type', [id]]);
  expect(reply.body.message).toContain(id);
});

test.each([
  ['A', '192.0.2.1'],
  ['TXT', 'text'],
  ['MX', 'mail.example.net'],
  ['NS', 'ns.example.net'],
  ['CNAME', 'other.example.net'],
])('CNAME (RFC 1034 section 3.6.2) lets no %s come to its name', async (type, content) => {
  const name = `alias-${type.toLowerCase()}`;
  await service.record(zone, name, 'CNAME', 'target.example.net');
  expect(await post(name, type, content)).toMatch(CONFLICT);
  expect((await service.dns.lookup(`${name}.rules.example`, 'A')).answers).toEqual([
    `${name}.rules.example 3600 CNAME target.example.net`,
  ]);
});

test('CNAME (RFC 1034 section 3.6.2) can be created after the other record was deleted, and can change its target', async () => {
  const { id } = await service.record(zone, 'turn', 'A', '192.0.2.1');
  await request('DELETE', `${records}/${id}`);
  const cname = await service.record(zone, 'turn', 'CNAME', 'one.example.net');
  const body = { name: 'turn', type: 'CNAME', content: 'two.example.net' };
  expect((await request('PUT', `${records}/${cname.id}`, body)).status).toBe(200);
});

test('CNAME (RFC 1034 section 3.6.2) cannot close a loop, not by PUT either', async () => {
  await service.record(zone, 'loop1', 'CNAME', 'loop2.rules.example');
  await service.record(zone, 'loop2', 'CNAME', 'loop3.rules.example');
  expect(await post('loop3', 'CNAME', 'loop1.rules.example')).toMatch(CONFLICT);
  const { id } = await service.record(zone, 'loop3', 'CNAME', 'out.example.net');
  const body = { name: 'loop3', type: 'CNAME', content: 'loop2.rules.example' };
  expect(refusal(await request('PUT', `${records}/${id}`, body))).toBe('409 conflict');
  expect(await post('self', 'CNAME', 'self.rules.example')).toMatch(/^400 bad_request/);
});

// X7: the wire form decides, independent of the spelling of the value and of the TTL.
test.each([
  ['AAAA', 'dup', '2001:db8::1', '2001:0DB8:0:0:0::0001'],
  ['MX', 'dup', 'mail.example.net', 'MAIL.example.net.'],
  ['TXT', 'dup', 'token', '"token"'],
  ['TXT', 'long', 'x'.repeat(300), `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
  ['TXT', 'escaped', '"a\\098c"', 'abc'],
  ['CAA', 'dup', '0 issue "ca.example"', '0 ISSUE ca.example'],
  ['TLSA', '_443._tcp', `3 1 1 ${'AB'.repeat(32)}`, `3 1 1 ${'ab'.repeat(16)} ${'ab'.repeat(16)}`],
  ['HTTPS', 'dup', '1 . alpn=h2 port=443', '1 . port=443 alpn="h2"'],
  ['SRV', '_s._tcp', '1 2 3 Host.example.net', '1 2 3 host.example.net.'],
  ['A', 'UPPER', '192.0.2.1', '192.0.2.1'],
])('a duplicate %s at %s in another spelling is 409 and names the first', async (type, name, first, second) => {
  const { id } = await service.record(zone, name, type, first, { ttl: 60 });
  expect(await post(name.toLowerCase(), type, second, { ttl: 600 })).toMatch(new RegExp(`${CONFLICT.source}.*${id}`));
});

test('a PUT cannot turn a record into a duplicate of its neighbour', async () => {
  await service.record(zone, 'pair', 'AAAA', '2001:db8::1');
  const { id } = await service.record(zone, 'pair', 'AAAA', '2001:db8::2');
  const put = (content: string) => request('PUT', `${records}/${id}`, { name: 'pair', type: 'AAAA', content });
  expect(refusal(await put('2001:db8:0::1'))).toBe('409 conflict');
  expect((await put('2001:db8:0::2')).status).toBe(200);
});

test('records of one set keep their own TTL, and DNS serves the lowest for all (RFC 2181 section 5.2)', async () => {
  await service.record(zone, 'mixed', 'A', '192.0.2.1', { ttl: 300 });
  const low = await service.record(zone, 'mixed', 'A', '192.0.2.2', { ttl: 60 });
  await service.record(zone, 'mixed', 'A', '192.0.2.3');
  await service.record(zone, 'mixed', 'TXT', 'not of this set', { ttl: 30 });
  const { body } = await request('GET', `${records}?name=mixed&type=A`);
  const ttls = (body.records as { ttl: number }[]).map(({ ttl }) => ttl);
  expect(ttls.sort()).toEqual([300, 3600, 60].sort());
  const served = async () => (await service.dns.lookup('mixed.rules.example', 'A')).answers;
  expect(await served()).toEqual([1, 2, 3].map((n) => `mixed.rules.example 60 A 192.0.2.${n}`));
  expect((await service.dns.delv('rules.example', 'mixed.rules.example', 'A')).state).toBe('secure');
  await request('DELETE', `${records}/${low.id}`);
  await expect.poll(served).toEqual([1, 3].map((n) => `mixed.rules.example 300 A 192.0.2.${n}`));
});

test('a null MX has priority 0 and is the only MX (RFC 7505)', async () => {
  expect(await post('nomail', 'MX', '.')).toMatch(/^400 bad_request.*priority/);
  expect(await post('nomail', 'MX', '.', { priority: 0 })).toBe(201);
  expect(await post('nomail', 'MX', 'mail.example.net')).toMatch(CONFLICT);
  expect((await service.dns.lookup('nomail.rules.example', 'MX')).answers[0]).toMatch(/ MX 0 \.?$/);
  await service.record(zone, 'mail', 'MX', 'mail.example.net');
  expect(await post('mail', 'MX', '.', { priority: 0 })).toMatch(CONFLICT);
});

test('an ALIAS excludes other address records, and is allowed at the apex', async () => {
  expect(await post('@', 'ALIAS', 'target.example.net')).toBe(201);
  expect(await post('@', 'A', '192.0.2.1')).toMatch(CONFLICT);
  expect(await post('@', 'TXT', 'beside')).toBe(201);
  expect(await post('@', 'ALIAS', 'second.example.net')).toMatch(CONFLICT);
});

describe('a delegation', async () => {
  await service.record(zone, 'sub', 'NS', 'ns.sub.rules.example');

  test('a delegation allows the addresses of its name servers below it, and nothing else (X13)', async () => {
    expect(await post('ns.sub', 'A', '192.0.2.53')).toBe(201);
    expect(await post('ns.sub', 'AAAA', '2001:db8::53')).toBe(201);
    expect(await post('ns.sub', 'TXT', 'occluded')).toMatch(CONFLICT);
    expect(await post('www.sub', 'A', '192.0.2.1')).toMatch(CONFLICT);
    expect(await post('sub', 'TXT', 'at the cut')).toMatch(CONFLICT);
    const { packet, aa } = await service.dns.lookup('www.sub.rules.example', 'A');
    expect(aa).toBe(false);
    expect(packet.authorities).toMatchObject([{ type: 'NS', data: 'ns.sub.rules.example' }]);
    expect(packet.additionals).toContainEqual(expect.objectContaining({ type: 'A', data: '192.0.2.53' }));
  });

  test('a delegation must be created first and deleted last: DS needs NS, and the last NS of a DS cannot be deleted (X12)', async () => {
    const ds = `1 13 2 ${'cd'.repeat(32)}`;
    expect(await post('alone', 'DS', ds)).toMatch(CONFLICT);
    const ns = await service.record(zone, 'signed', 'NS', 'ns1.example.net');
    const second = await service.record(zone, 'signed', 'NS', 'ns2.example.net');
    const { id } = await service.record(zone, 'signed', 'DS', ds);
    expect((await request('DELETE', `${records}/${second.id}`)).status).toBe(204);
    expect(refusal(await request('DELETE', `${records}/${ns.id}`))).toBe('409 conflict');
    expect((await request('DELETE', `${records}/${id}`)).status).toBe(204);
    expect((await request('DELETE', `${records}/${ns.id}`)).status).toBe(204);
  });

  test('a delegation cannot hide existing names, and the error names one (X14)', async () => {
    await service.record(zone, 'www.later', 'A', '192.0.2.1');
    await service.record(zone, 'here', 'A', '192.0.2.1');
    expect(await post('later', 'NS', 'ns.example.net')).toMatch(/^409 conflict.*www\.later/);
    expect(await post('here', 'NS', 'ns.example.net')).toMatch(CONFLICT);
    await service.record(zone, 'ns.glue', 'A', '192.0.2.53');
    expect(await post('glue', 'NS', 'ns.glue.rules.example')).toBe(201);
    expect(await post('*.wild', 'NS', 'ns.example.net')).toMatch(/^400 bad_request/);
  });
});

test('a set can grow only until it fills a DNS message (X18), and is served whole up to that size', async () => {
  const text = (n: number) => `${String(n).padStart(3, '0')}${'x'.repeat(30_000)}`;
  expect(await post('big', 'TXT', text(1))).toBe(201);
  expect(await post('big', 'TXT', text(2))).toBe(201);
  expect(await post('big', 'TXT', text(3))).toMatch(/^400 bad_request.*65535/);
  expect((await service.dns.lookup('big.rules.example', 'TXT', { dnssec: true })).answers).toHaveLength(2);
});
