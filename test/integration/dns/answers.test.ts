// What PowerDNS answers over our rows, each answer validated by delv against the zone's own key: positive, negative,
// wildcards (RFC 4592), empty non-terminals, aliases.
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
const { dns } = service;
const zone = await service.zone('answers.example');
const at = (name: string) => (name === '@' ? 'answers.example' : `${name}.answers.example`);

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
  ['alias', 'CNAME', 'alias2.answers.example'],
  ['alias2', 'CNAME', 'www.answers.example'],
  ['dangling', 'CNAME', 'nowhere.answers.example'],
  ['outside', 'CNAME', 'host.example.net'],
  ['deep.empty.chain', 'A', '192.0.2.3'],
  ['*.wild', 'A', '192.0.2.4'],
  ['*.wild', 'TXT', 'star'],
  ['sister.wild', 'TXT', 'sister'],
  ['below.sister2.wild', 'TXT', 'below'],
  ['*.aliased', 'CNAME', 'www.answers.example'],
] as const) {
  await service.record(zone, name, type, content);
}

async function positive(name: string, type: string): Promise<string[]> {
  const { rcode, aa, answers } = await dns.lookup(at(name), type);
  expect([rcode, aa]).toEqual(['NOERROR', true]);
  const { state, negative, records } = await dns.delv('answers.example', at(name), type);
  expect([state, negative]).toEqual(['secure', null]);
  expect(records.length).toBeGreaterThanOrEqual(answers.length > 0 ? 1 : 0);
  return answers;
}

async function negative(name: string, type: string, rcode: 'NXDOMAIN' | 'NOERROR'): Promise<void> {
  const answer = await dns.lookup(at(name), type);
  expect([answer.rcode, answer.aa, answer.answers]).toEqual([rcode, true, []]);
  expect(answer.packet.authorities).toMatchObject([{ name: 'answers.example', type: 'SOA' }]);
  expect(await dns.delv('answers.example', at(name), type)).toMatchObject({
    state: 'secure',
    negative: rcode === 'NXDOMAIN' ? 'nxdomain' : 'nodata',
  });
}

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
    (name) => negative(name, 'A', 'NXDOMAIN'),
  );

  test.each([
    ['www', 'TXT'],
    ['@', 'AAAA'],
    ['@', 'CNAME'],
    ['sister.wild', 'A'],
    ['svc', 'A'],
  ])('for %s %s is NODATA, with proof', (name, type) => negative(name, type, 'NOERROR'));

  test.each(['empty.chain', 'chain', '_tcp', '_tcp.www', 'wild', 'sister2.wild', 'aliased'])(
    'for %s, where nothing stands but something below (RFC 8020), is NODATA, with proof',
    (name) => negative(name, 'A', 'NOERROR'),
  );
});

describe('a wildcard (RFC 4592)', () => {
  test('answers for names that do not exist, at any depth, with proof', async () => {
    for (const name of ['x.wild', 'a.b.c.wild', '*.wild']) {
      const { answers } = await dns.lookup(at(name), 'A');
      expect(answers.map((line) => line.split(' ').slice(2).join(' '))).toEqual(['A 192.0.2.4']);
      expect(await dns.delv('answers.example', at(name), 'A')).toMatchObject({ state: 'secure', negative: null });
    }
  });

  test('has no other types than its own: NODATA, with proof', () => negative('x.wild', 'AAAA', 'NOERROR'));

  test('does not answer for a name that exists beside it, nor below such a name (closest encloser)', async () => {
    await negative('sister.wild', 'A', 'NOERROR');
    await negative('below.sister2.wild', 'A', 'NOERROR');
    await negative('x.sister2.wild', 'A', 'NXDOMAIN');
    await negative('x.sister.wild', 'TXT', 'NXDOMAIN');
  });

  test('leads on as an alias', async () => {
    expect(await positive('x.aliased', 'A')).toEqual([
      'www.answers.example 3600 A 192.0.2.1',
      'x.aliased.answers.example 3600 CNAME www.answers.example',
    ]);
  });
});

describe('an alias', () => {
  test('is followed inside the zone, over several links', async () => {
    expect(await positive('alias', 'A')).toEqual([
      'alias.answers.example 3600 CNAME alias2.answers.example',
      'alias2.answers.example 3600 CNAME www.answers.example',
      'www.answers.example 3600 A 192.0.2.1',
    ]);
  });

  test('whose target has not the type, or does not exist, is answered itself, with proof of the rest', async () => {
    expect(await positive('alias', 'CNAME')).toEqual(['alias.answers.example 3600 CNAME alias2.answers.example']);
    expect((await dns.lookup(at('alias'), 'MX')).rcode).toBe('NOERROR');
    expect((await dns.lookup(at('dangling'), 'A')).rcode).toBe('NXDOMAIN');
    for (const [name, type, kind] of [
      ['alias', 'MX', 'nodata'],
      ['dangling', 'A', 'nxdomain'],
    ] as const) {
      expect(await dns.delv('answers.example', at(name), type)).toMatchObject({ state: 'secure', negative: kind });
    }
  });

  test('out of the zone ends there', async () => {
    expect((await dns.lookup(at('outside'), 'A')).answers).toEqual([
      'outside.answers.example 3600 CNAME host.example.net',
    ]);
  });
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
