// What PowerDNS answers over our rows, each answer validated by delv against the zone's own key: positive ones,
// and proofs that there is nothing, empty non-terminals included.
import { describe, expect, test } from 'vitest';
import { expectNegative, expectPositive } from '../../support/answers.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
const { dns } = service;
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

describe('a name with records', () => {
  test.each([
    ['@', 'A', ['answers.example 3600 A 192.0.2.10']],
    ['@', 'MX', ['answers.example 3600 MX 10 mail.answers.example']],
    ['@', 'TXT', ['answers.example 3600 TXT "v=spf1 -all"']],
    ['@', 'NS', ['answers.example 3600 NS ns1.zonestead.test', 'answers.example 3600 NS ns2.zonestead.test']],
    ['www', 'A', ['www.answers.example 3600 A 192.0.2.1']],
    ['www', 'AAAA', ['www.answers.example 3600 AAAA 2001:db8::1']],
    ['ptr', 'PTR', ['ptr.answers.example 3600 PTR www.answers.example']],
    ['deep.empty.chain', 'A', ['deep.empty.chain.answers.example 3600 A 192.0.2.3']],
  ])('%s %s is answered and validates', async (name, type, expected) => {
    expect(await positive(name, type)).toEqual(expected);
  });

  test.each([
    ['@', 'CAA'],
    ['@', 'SOA'],
    ['_sip._tcp', 'SRV'],
    ['_443._tcp.www', 'TLSA'],
    ['svc', 'HTTPS'],
  ])('%s %s is answered and validates', async (name, type) => {
    expect(await positive(name, type)).toHaveLength(1);
  });

  test('is found in any case', async () => {
    expect((await dns.lookup('WWW.Answers.EXAMPLE', 'A')).packet.answers).toMatchObject([{ data: '192.0.2.1' }]);
  });

  test('has a SOA of the service: primary, mailbox, serial of the API, 60 s for negative answers (RFC 2308)', async () => {
    const { packet } = await dns.lookup('answers.example', 'SOA');
    const { body } = await service.request('GET', `/zones/${zone.id}`);
    expect(packet.answers?.[0]).toMatchObject({
      data: {
        mname: 'ns1.zonestead.test',
        rname: 'hostmaster.zonestead.test',
        serial: body.serial,
        minimum: 60,
      },
    });
  });
});

describe('a negative answer', () => {
  test.each(['nope', 'nope.www', 'a.b.c.nope', 'aaa', 'zzz', 'xwww', 'nope.deep.empty.chain'])(
    'for %s is NXDOMAIN, with proof',
    (name) => negative(name, 'A', 'nxdomain'),
  );

  test.each([
    ['www', 'TXT'],
    ['@', 'AAAA'],
    ['@', 'CNAME'],
    ['svc', 'A'],
  ])('for %s %s is NODATA, with proof', (name, type) => negative(name, type, 'nodata'));

  test.each(['empty.chain', 'chain', '_tcp', '_tcp.www'])(
    'for %s, where nothing stands but something below (RFC 8020), is NODATA, with proof',
    (name) => negative(name, 'A', 'nodata'),
  );
});

test('answers that do not fit a datagram come over TCP', async () => {
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
