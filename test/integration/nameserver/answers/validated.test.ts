// The answers of a name server from the rows of the database. delv validates each answer with the zone's own key:
// positive answers, and proofs that a name or type does not exist, including empty non-terminals.
import { expect, test } from 'vitest';
import { expectNegative, expectPositive, expectServedSerial } from '../../../support/dns/answers.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns, request } = service;
const zone = await service.zone('answers.example');
const ZONE = 'answers.example';
const at = (name: string) => (name === '@' ? ZONE : `${name}.${ZONE}`);

for (const [name, type, content] of [
  ['@', 'A', '192.0.2.10'],
  ['@', 'MX', 'mail.answers.example'],
  ['@', 'TXT', 'v=spf1 -all'],
  ['@', 'CAA', '0 issue "ca.example"'],
  ['www', 'A', '192.0.2.1'],
  ['www', 'AAAA', '2001:db8::1'],
  ['mail', 'A', '192.0.2.25'],
  ['_sip._tcp', 'SRV', '1 2 5060 www.answers.example'],
  ['_443._tcp.www', 'TLSA', `3 1 1 ${'ab'.repeat(32)}`],
  ['svc', 'HTTPS', '1 . alpn=h2,h3 ipv4hint=192.0.2.1'],
  ['ptr', 'PTR', 'www.answers.example'],
  ['deep.empty.chain', 'A', '192.0.2.3'],
] as const) {
  await service.record(zone, name, type, content);
}

const positive = (name: string, type: string) => expectPositive(dns, ZONE, at(name), type);
const negative = (name: string, type: string, kind: 'nxdomain' | 'nodata') =>
  expectNegative(dns, ZONE, at(name), type, kind);

test.each([
  ['@', 'A', ['answers.example 3600 A 192.0.2.10']],
  ['@', 'MX', ['answers.example 3600 MX 10 mail.answers.example']],
  ['@', 'TXT', ['answers.example 3600 TXT "v=spf1 -all"']],
  ['@', 'NS', ['answers.example 3600 NS ns1.zonestead.test', 'answers.example 3600 NS ns2.zonestead.test']],
  ['www', 'A', ['www.answers.example 3600 A 192.0.2.1']],
  ['www', 'AAAA', ['www.answers.example 3600 AAAA 2001:db8::1']],
  ['ptr', 'PTR', ['ptr.answers.example 3600 PTR www.answers.example']],
  ['deep.empty.chain', 'A', ['deep.empty.chain.answers.example 3600 A 192.0.2.3']],
])('the name %s with %s records is answered with all of them and validates', async (name, type, expected) => {
  expect(await positive(name, type)).toEqual(expected);
});

test.each([
  ['@', 'CAA'],
  ['@', 'SOA'],
  ['_sip._tcp', 'SRV'],
  ['_443._tcp.www', 'TLSA'],
  ['svc', 'HTTPS'],
])('the name %s with a record of type %s is answered and validates', async (name, type) => {
  expect(await positive(name, type)).toHaveLength(1);
});

test('a name with records is found in any case', async () => {
  expect((await dns.lookup('WWW.Answers.EXAMPLE', 'A')).packet.answers).toMatchObject([{ data: '192.0.2.1' }]);
});

test('a name with records has the SOA of the service: primary, mailbox, 60 s for negative answers (RFC 2308), and its serial or a later one', async () => {
  const { packet } = await dns.lookup('answers.example', 'SOA');
  const { body } = await service.request('GET', `/zones/${zone.id}`);
  const [soa] = packet.answers ?? [];
  expect(soa).toMatchObject({
    data: { mname: 'ns1.zonestead.test', rname: 'hostmaster.zonestead.test', minimum: 60 },
  });
  expectServedSerial((soa as { data: { serial: number } }).data.serial, body.serial);
});

test.each(['nope', 'nope.www', 'a.b.c.nope', 'aaa', 'zzz', 'xwww', 'nope.deep.empty.chain'])(
  'a negative answer for %s is NXDOMAIN, with proof',
  (name) => negative(name, 'A', 'nxdomain'),
);

test.each([
  ['www', 'TXT'],
  ['@', 'AAAA'],
  ['@', 'CNAME'],
  ['svc', 'A'],
])('a negative answer for %s %s is NODATA, with proof', (name, type) => negative(name, type, 'nodata'));

test.each(['empty.chain', 'chain', '_tcp', '_tcp.www'])(
  'a negative answer for %s, which has only names below it (RFC 8020), is NODATA, with proof',
  (name) => negative(name, 'A', 'nodata'),
);

// In the order of names a hyphen, a digit and a letter sort right after the separator of two labels.
test.each(['sib', 'sib-', 'si'])(
  'a name that is a prefix of another name without being its parent: %s does not exist because of sib-ling or sibl: NXDOMAIN, with proof',
  async (name) => {
    const rows = [
      ['sib-ling', '192.0.2.61'],
      ['sibl', '192.0.2.62'],
      ['sib0.deep', '192.0.2.63'],
    ] as const;
    for (const [sibling, content] of rows) {
      await request('POST', `/zones/${zone.id}/records`, { name: sibling, type: 'A', content });
    }
    await negative(name, 'A', 'nxdomain');
    await negative(`${name}.deep`, 'A', 'nxdomain');
  },
);

test('a name that is a prefix of another name without being its parent exists without records as soon as there is a record below it', async () => {
  await service.record(zone, 'below.sib2', 'A', '192.0.2.64');
  await service.record(zone, 'sib2-ling', 'A', '192.0.2.65');
  await negative('sib2', 'A', 'nodata');
});

test('a name that is a prefix of another name without being its parent is not affected by a hosted zone with a similar name', async () => {
  await service.zone('kin-dred.answers.example');
  await negative('kin', 'A', 'nxdomain');
  await service.zone('a.folk.answers.example');
  await negative('folk', 'A', 'nodata');
});

test('an RRset has one TTL, the lowest of its records (RFC 2181 section 5.2), and validates', async () => {
  for (const [content, more] of [
    ['192.0.2.41', { ttl: 600 }],
    ['192.0.2.42', { ttl: 120 }],
    // The zone's default, 3600.
    ['192.0.2.43', {}],
  ] as const) {
    await service.record(zone, 'mixed', 'A', content, more);
  }
  await service.record(zone, 'mixed', 'TXT', 'another set', { ttl: 60 });
  const lines = (ttl: number, ...last: number[]) =>
    last.map((each) => `mixed.answers.example ${ttl} A 192.0.2.${each}`);
  expect(await positive('mixed', 'A')).toEqual(lines(120, 41, 42, 43));
  expect((await dns.lookup(at('mixed'), 'A')).answers).toEqual(lines(120, 41, 42, 43));
});

test('a resolver gets an answer that does not fit a datagram over TCP', async () => {
  for (let n = 0; n < 6; n++) await service.record(zone, 'large', 'TXT', `${n}${'x'.repeat(250)}`);
  const cut = await dns.dig('+ignore', '+noedns', at('large'), 'TXT');
  expect(cut).toMatch(/flags: qr aa tc/);
  expect((await dns.lookup(at('large'), 'TXT')).answers).toHaveLength(6);
  expect((await dns.delv('answers.example', at('large'), 'TXT')).state).toBe('secure');
});

test('a name outside of every zone is refused', async () => {
  expect((await dns.lookup('www.elsewhere.test', 'A')).rcode).toBe('REFUSED');
  expect((await dns.lookup('example', 'A')).rcode).toBe('REFUSED');
});
