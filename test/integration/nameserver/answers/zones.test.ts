// Whole zones in DNS: single labels, empty zones, the keys, disabled features, and the verdict of ldns.
import { describe, expect, test } from 'vitest';
import { checkAllZones } from '../../../support/dns/check-zones.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns } = service;

test('a single-label zone is served and validates', async () => {
  const zone = await service.zone('mytld');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.record(zone, '@', 'TXT', 'top');
  expect((await dns.lookup('www.mytld', 'A')).answers).toEqual(['www.mytld 3600 A 192.0.2.1']);
  for (const [name, type, negative] of [
    ['www.mytld', 'A', null],
    ['mytld', 'TXT', null],
    ['nope.mytld', 'A', 'nxdomain'],
    ['mytld', 'A', 'nodata'],
  ] as const) {
    expect(await dns.delv('mytld', name, type)).toMatchObject({ state: 'secure', negative });
  }
});

test('an empty zone proves that it is empty', async () => {
  await service.zone('empty.example');
  for (const name of ['a.empty.example', 'a.b.empty.example', '*.empty.example', 'zz.empty.example']) {
    expect(await dns.delv('empty.example', name, 'A')).toMatchObject({ state: 'secure', negative: 'nxdomain' });
  }
});

describe('the key of a zone', async () => {
  const zone = await service.zone('signed.example');
  await service.record(zone, 'www', 'A', '192.0.2.1');

  test('the key of a zone is one combined signing key of algorithm 13, and the DS of the API is its anchor', async () => {
    const { packet } = await dns.lookup('signed.example', 'DNSKEY');
    expect(packet.answers).toMatchObject([{ data: { flags: 257, algorithm: 13 } }]);
    for (const { keyTag, algorithm, digestType, digest } of zone.ds) {
      const anchor = { ds: `${keyTag} ${algorithm} ${digestType} ${digest}` };
      expect((await dns.delv('signed.example', 'www.signed.example', 'A', anchor)).state).toBe('secure');
    }
    const wrong = { ds: `${zone.ds[0]?.keyTag} 13 2 ${'00'.repeat(32)}` };
    expect((await dns.delv('signed.example', 'www.signed.example', 'A', wrong)).state).toBe('bogus');
  });

  test('the key of a zone is published as CDS and CDNSKEY too (RFC 7344), signed', async () => {
    const short = (type: string) => dns.dig('+short', 'signed.example', type);
    expect(await short('CDNSKEY')).toBe(await short('DNSKEY'));
    const [sha256] = zone.ds;
    expect(
      (await short('CDS'))
        .trim()
        .replaceAll(/ (?=\w+$)/g, '')
        .toLowerCase(),
    ).toBe(`${sha256?.keyTag} ${sha256?.algorithm} ${sha256?.digestType} ${sha256?.digest}`.toLowerCase());
    for (const type of ['CDS', 'CDNSKEY']) {
      expect((await dns.delv('signed.example', 'signed.example', type)).state).toBe('secure');
    }
  });

  test('the key of a zone does not validate the records of another zone', async () => {
    const other = await service.zone('other.example');
    const anchor = { ds: `${other.ds[0]?.keyTag} 13 2 ${other.ds[0]?.digest}` };
    expect((await dns.delv('signed.example', 'www.signed.example', 'A', anchor)).state).toBe('bogus');
  });
});

test('zone transfers, updates and version queries are refused', async () => {
  await service.zone('closed.example');
  expect(await dns.dig('closed.example', 'AXFR')).toMatch(/Transfer failed|REFUSED|NOTAUTH/);
  expect(await dns.dig('+noall', '+comments', 'closed.example', 'IXFR=1')).not.toMatch(/status: NOERROR/);
  expect(await dns.dig('version.bind', 'TXT', 'CH')).not.toMatch(/knot/i);
});

test('ldns finds no error in any zone', async () => {
  const zone = await service.zone('checked.example');
  for (const [name, type, content] of [
    ['@', 'MX', 'www.checked.example'],
    ['www', 'A', '192.0.2.1'],
    ['*', 'TXT', 'star'],
    ['alias', 'CNAME', 'www.checked.example'],
    ['sub', 'NS', 'ns.sub.checked.example'],
    ['ns.sub', 'A', '192.0.2.53'],
    ['svc', 'HTTPS', '1 . alpn=h2'],
    ['_sip._tcp', 'SRV', '1 2 3 www.checked.example'],
    ['_443._tcp', 'TLSA', `3 1 1 ${'ab'.repeat(32)}`],
    ['caa', 'CAA', '0 issue "ca.example"'],
  ] as const) {
    await service.record(zone, name, type, content);
  }
  await service.zone('child.checked.example');
  await service.settled();
  const { zones, errors } = await checkAllZones(service.knot.control, await temporaryFolder('zones'));
  expect(zones).toBeGreaterThan(5);
  expect(errors).toEqual([]);
});
