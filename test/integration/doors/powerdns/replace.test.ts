// PUT of a zone in the PowerDNS API: it replaces all RRsets, and keeps the settings that clients read again.
import { expect, test } from 'vitest';
import { formatRrsets, powerDnsClient, replace } from '../../../support/doors/powerdns/client.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);
let count = 0;

async function newZone(more: object = {}): Promise<string> {
  count += 1;
  const name = `replace-${count}.example.`;
  const { status, text } = await send('POST', '/zones', { name, kind: 'Native', nameservers: [], ...more });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return name;
}

const soa = (name: string) => ({ name, type: 'SOA', ttl: 60, records: [{ content: 'a. b. 1 2 3 4 5' }] });
const rrset = (name: string, type: string, ...contents: string[]) => ({
  name,
  type,
  ttl: 60,
  records: contents.map((content) => ({ content })),
});
const put = (zone: string, ...rrsets: object[]) => send('PUT', `/zones/${zone}`, { rrsets });
const stored = async (zone: string) => formatRrsets((await send('GET', `/zones/${zone}`)).body);

test('a PUT with rrsets makes them the records of the zone, and deletes all others', async () => {
  const zone = await newZone();
  const before = [
    replace(`www.${zone}`, 'A', ['192.0.2.1']),
    replace(`www.${zone}`, 'TXT', ['"gone"']),
    replace(`sub.${zone}`, 'NS', ['ns1.example.net.']),
    replace(`sub.${zone}`, 'DS', ['1 13 2 e2d3c916f6deeac73294e8268fb5885044a833fc5459588f4a9184cfc41a5766']),
  ];
  await send('PATCH', `/zones/${zone}`, { rrsets: before });
  const ns = rrset(zone, 'NS', ...NAMESERVERS.map((host) => `${host}.`));
  const { status, headers } = await put(
    zone,
    ...[soa(zone), ns, rrset(`www.${zone}`, 'A', '192.0.2.2'), rrset(`new.${zone}`, 'AAAA', '2001:db8::1')],
  );
  expect([status, headers['zonestead-note']]).toEqual([204, expect.stringContaining('SOA')]);
  expect(await stored(zone)).toEqual([`new.${zone} AAAA 60 2001:db8::1`, `www.${zone} A 60 192.0.2.2`]);
  const serial = headers['x-pdns-new-serial'];
  const again = await put(
    zone,
    soa(zone),
    rrset(`www.${zone}`, 'A', '192.0.2.2'),
    rrset(`new.${zone}`, 'AAAA', '2001:db8::1'),
  );
  expect([again.status, again.headers['x-pdns-new-serial']]).toEqual([204, serial]);
});

test('a PUT with rrsets that are not accepted changes nothing', async () => {
  const zone = await newZone();
  await send('PATCH', `/zones/${zone}`, { rrsets: [replace(`www.${zone}`, 'A', ['192.0.2.1'])] });
  const www = rrset(`www.${zone}`, 'A', '192.0.2.9');
  for (const [rrsets, words] of [
    [[www], 'needs the SOA record'],
    [[{ ...soa(zone), ttl: -1 }], 'ttl'],
    [[{ ...soa(zone), records: [] }], 'exactly one record'],
    [[soa(zone), soa(zone)], 'twice'],
    [[soa(zone), { ...www, ttl: -1 }], 'ttl'],
    [[soa(zone), { ...www, type: 'UNKNOWN' }], 'UNKNOWN'],
    [[soa(zone), rrset('www.other.example.', 'A', '192.0.2.9')], 'not in the zone'],
    [[soa(zone), rrset(zone, 'NS', 'ns1.elsewhere.example.')], 'belongs to the service'],
    [[soa(zone), www, rrset(`www.${zone}`, 'CNAME', 'a.example.')], 'CNAME'],
    [[soa(zone), www, www], 'twice'],
    ['all', 'array'],
  ] as const) {
    const { status, body } = await send('PUT', `/zones/${zone}`, { rrsets });
    expect([rrsets, status, body]).toEqual([rrsets, 422, { error: expect.stringContaining(words) }]);
  }
  expect(await stored(zone)).toEqual([`www.${zone} A 300 192.0.2.1`]);
});

test('a PUT with rrsets needs the right to write every record of the zone', async () => {
  const zone = await newZone();
  await send('PATCH', `/zones/${zone}`, { rrsets: [replace(`www.${zone}`, 'A', ['192.0.2.1'])] });
  const narrow = await service.key({ onlyNames: ['other'] });
  const reader = await service.key({ records: 'read' });
  const stranger = await service.key({ team: 'second' });
  for (const [key, expected] of [
    [narrow, 403],
    [reader, 403],
    [stranger, 404],
  ] as const) {
    const by = powerDnsClient(service.url, key.text);
    expect((await by('PUT', `/zones/${zone}`, { rrsets: [soa(zone)] })).status).toBe(expected);
  }
  const writer = powerDnsClient(service.url, (await service.key({ manageZones: 'none' })).text);
  expect((await writer('PUT', `/zones/${zone}`, { rrsets: [soa(zone)], account: 'x' })).status).toBe(403);
  expect(await stored(zone)).toEqual([`www.${zone} A 300 192.0.2.1`]);
  expect((await writer('PUT', `/zones/${zone}`, { rrsets: [soa(zone)] })).status).toBe(204);
  expect(await stored(zone)).toEqual([]);
});

test('a record that another client adds while a PUT replaces the zone is in the result, or the PUT is later', async () => {
  const zone = await newZone();
  const others = Array.from({ length: 20 }, (_, at) => `n${at}.${zone}`);
  const [last] = await Promise.all([
    (async () => {
      const statuses: number[] = [];
      for (let at = 0; at < 10; at += 1) {
        statuses.push((await put(zone, soa(zone), rrset(`put${at}.${zone}`, 'A', '192.0.2.1'))).status);
      }
      return statuses;
    })(),
    ...others.map((name) => send('PATCH', `/zones/${zone}`, { rrsets: [replace(name, 'A', ['192.0.2.2'])] })),
  ]);
  expect(last.every((status) => status === 204 || status === 503)).toBe(true);
  // In the end a PUT on its own leaves exactly its records: none of an earlier one stayed.
  expect((await put(zone, soa(zone), rrset(`end.${zone}`, 'A', '192.0.2.3'))).status).toBe(204);
  expect(await stored(zone)).toEqual([`end.${zone} A 60 192.0.2.3`]);
});

test('settings that clients compare are kept, at the creation and by a PUT', async () => {
  const settings = { account: 'admin', soa_edit: 'EPOCH', soa_edit_api: '', api_rectify: false };
  const zone = await newZone({ ...settings, kind: 'Master' });
  const head = async () => (await send('GET', `/zones/${zone}?rrsets=false`)).body;
  expect(await head()).toMatchObject({ ...settings, kind: 'Master' });
  const items = (await send('GET', '/zones')).body as { name: string }[];
  expect(items.find(({ name }) => name === zone)).toMatchObject({ account: 'admin', kind: 'Master' });
  expect((await send('PUT', `/zones/${zone}`, { soa_edit_api: 'INCREASE', kind: 'native' })).status).toBe(204);
  expect(await head()).toMatchObject({ ...settings, soa_edit_api: 'INCREASE', kind: 'Native' });
  for (const fields of [
    { account: 'x'.repeat(41) },
    { account: 7 },
    { account: 'a\u0000' },
    { api_rectify: 'yes' },
    { kind: 'constructor' },
  ]) {
    const { status, body } = await send('PUT', `/zones/${zone}`, fields);
    expect([fields, status, body]).toEqual([fields, 422, { error: expect.any(String) }]);
  }
  const reader = powerDnsClient(service.url, (await service.key({ manageZones: 'none' })).text);
  expect((await reader('PUT', `/zones/${zone}`, { account: 'mine' })).status).toBe(403);
  expect(await head()).toMatchObject({ account: 'admin' });
});

test('a setting counts as a record write', async () => {
  const zone = await newZone();
  const key = await service.key({ recordWrites: 1 });
  const other = await service.anotherApi({ settings: { ZONESTEAD_LIMITS: 'on' } });
  const by = powerDnsClient(other.url, key.text);
  expect((await by('PUT', `/zones/${zone}`, { account: 'one' })).status).toBe(204);
  expect((await by('PUT', `/zones/${zone}`, { account: 'two' })).status).toBe(429);
});

test('a TTL of a new zone is moved into the range of the service, in RRsets and in a zone file, and the answer says so', async () => {
  count += 1;
  const name = `ttl-${count}.example.`;
  const file = `$ORIGIN ${name}\n$TTL 172800\nmail IN A 192.0.2.1\nlow 5 IN A 192.0.2.2\n`;
  const created = await send('POST', '/zones', { name, kind: 'Native', nameservers: [], zone: file });
  expect([created.status, created.headers['zonestead-note']]).toEqual([201, expect.stringContaining('30 to 86400')]);
  expect(await stored(name)).toEqual([`low.${name} A 30 192.0.2.2`, `mail.${name} A 86400 192.0.2.1`]);
  const other = `with-${name}`;
  const rrsets = [replace(`mail.${other}`, 'A', ['192.0.2.1'], 172_800)];
  const { status, headers } = await send('POST', '/zones', { name: other, kind: 'Native', nameservers: [], rrsets });
  expect([status, headers['zonestead-note']]).toEqual([201, expect.stringContaining('30 to 86400')]);
});
