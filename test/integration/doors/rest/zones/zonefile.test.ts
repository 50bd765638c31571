// GET and PUT /zones/{id}/zonefile: export and import of RFC 1035 text, all or nothing, errors by line, ids kept over
// the round trip, served.
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../../support/http/requests.ts';
import { NAMESERVERS, startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ limits: true });
const { request, dns, sql } = service;
const many = await service.key({ recordWrites: 1_000_000, zoneWrites: 1_000 });

const ALL_TYPES = `
$TTL 1h
@        300 IN SOA old.example.net. admin.example.net. ( 7 1h 15m 1w 5m )
         IN NS  old.example.net.
         MX     10 mail
         MX     20 mail.example.net.
         TXT    "v=spf1 mx -all"
         CAA    0 issue "letsencrypt.org; validationmethods=dns-01"
         HTTPS  1 . alpn="h2,h3" ipv4hint=192.0.2.1
www  60  A      192.0.2.1
     60  A      192.0.2.2
         AAAA   2001:db8::1
mail     A      192.0.2.25 ; the mail host
ftp      CNAME  www
lb       ALIAS  lb.example.net.
10       PTR    host.example.net.
_sip._tcp    SRV  10 60 5060 sip
sip          A    192.0.2.60
_443._tcp.www TLSA ( 3 1 1
   0123456789abcdef0123456789abcdef
   0123456789abcdef0123456789abcdef )
sub      NS     ns1.sub
         DS     12345 13 2 ${'0a'.repeat(32)}
ns1.sub  A      192.0.2.53
*.dev    TXT    ( "a long text of two parts; with \\"quotes\\" "
                  "and \\195\\188" )
`;

let zones = 0;
const freshZone = () => service.zone(`file${++zones}.example`, many);
type Zone = Awaited<ReturnType<typeof freshZone>>;
const put = (zone: { id: string }, text: string, key = many.text, type = 'text/dns') =>
  request('PUT', `/zones/${zone.id}/zonefile`, text, key, { 'content-type': type });
const counts = ({ body }: Reply) => {
  const { records, created, updated, deleted, unchanged, ignored } = body;
  return [records, created, updated, deleted, unchanged, ignored];
};

async function get(zone: { id: string }, key = many.text) {
  const answer = await fetch(`${service.url}/v1/dns/zones/${zone.id}/zonefile`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

async function listed(zone: { id: string }) {
  const reply = await request('GET', `/zones/${zone.id}/records`, undefined, many.text);
  return reply.body.records as { id: string; name: string; type: string; content: string; ttl: number }[];
}

const served = async (zone: Zone, name: string, type: string) =>
  (await dns.lookup(`${name}${name === '' ? '' : '.'}${zone.zoneName}`, type)).answers;

test('a file with the same value twice is imported with one record, and the second line counts as ignored', async () => {
  const zone = await freshZone();
  const twice = '$TTL 300\n@ NS ns1.example.net.\nwww AAAA 2001:db8::1\nWWW 600 AAAA 2001:DB8:0::1\n';
  const reply = await put(zone, twice);
  expect([reply.status, counts(reply)]).toEqual([200, [1, 1, 0, 0, 0, 2]]);
  expect((await listed(zone)).map(({ name, ttl }) => [name, ttl])).toEqual([['www', 300]]);
  expect(counts(await put(zone, twice))).toEqual([1, 0, 0, 0, 1, 2]);
});

test('a file of all 13 types is imported, served, exported, and imported again without any change', async () => {
  const zone = await freshZone();
  const reply = await put(zone, ALL_TYPES);
  expect([reply.status, counts(reply)]).toEqual([200, [19, 19, 0, 0, 0, 2]]);
  expect(new Set((await listed(zone)).map(({ type }) => type)).size).toBe(13);
  await expect
    .poll(() => served(zone, 'www', 'A'))
    .toEqual([`www.${zone.zoneName} 60 A 192.0.2.1`, `www.${zone.zoneName} 60 A 192.0.2.2`]);
  expect((await served(zone, '', 'MX')).join()).toContain(`mail.${zone.zoneName}`);

  const file = await get(zone);
  expect([file.status, file.type]).toEqual([200, 'text/dns; charset=utf-8']);
  for (const host of NAMESERVERS) expect(file.text).toContain(`@\t3600\tIN\tNS\t${host}.\n`);
  const serial = (await request('GET', `/zones/${zone.id}`, undefined, many.text)).body.serial;
  expect(file.text).toContain(`@\t300\tIN\tSOA\t${NAMESERVERS[0]}. hostmaster.zonestead.test. ${serial} `);

  const before = await listed(zone);
  const again = await put(zone, file.text);
  expect([again.status, counts(again)]).toEqual([200, [19, 0, 0, 0, 19, 3]]);
  expect(await listed(zone)).toEqual(before);
  expect((await request('GET', `/zones/${zone.id}`, undefined, many.text)).body.serial).toBe(serial);
});

test('a file of all 13 types gives another zone the same records as the exported one', async () => {
  const [one, other] = [await freshZone(), await freshZone()];
  await put(one, ALL_TYPES);
  const file = await get(one);
  const moved = file.text.replaceAll(one.zoneName, other.zoneName);
  expect((await put(other, moved)).status).toBe(200);
  const soa = /@\t300.*/;
  expect((await get(other)).text.replace(soa, '')).toBe(moved.replace(soa, ''));
});

test('an import writes the difference: unchanged records keep their id and spelling, changed ones are updated', async () => {
  const zone = await freshZone();
  const token = await service.record(zone, 'keep', 'TXT', 'a bare token');
  const changed = await service.record(zone, 'change', 'A', '192.0.2.1');
  const slower = await service.record(zone, 'slower', 'A', '192.0.2.1', { ttl: 60 });
  await service.record(zone, 'gone', 'A', '192.0.2.1');
  const reply = await put(
    zone,
    'keep TXT "a bare token"\nchange A 192.0.2.2\nslower 120 A 192.0.2.1\n$TTL 1h\nnew CNAME keep\n',
  );
  expect(counts(reply)).toEqual([4, 1, 2, 1, 1, 0]);
  const records = new Map((await listed(zone)).map((record) => [record.name, record]));
  expect([...records.keys()].sort()).toEqual(['change', 'keep', 'new', 'slower']);
  expect(records.get('keep')).toEqual(token);
  expect(records.get('change')).toMatchObject({ id: changed.id, content: '192.0.2.2' });
  expect(records.get('slower')).toMatchObject({ id: slower.id, ttl: 120 });
  const history = await sql`select action, count(distinct serial)::int as serials, count(*)::int as n from changes
      where zone_id = ${zone.id} and request_id = ${reply.headers['x-request-id'] as string} group by action order by action`;
  expect(history.map(({ action, serials, n }) => [action, serials, n])).toEqual([
    ['record.create', 1, 1],
    ['record.delete', 1, 1],
    ['record.update', 1, 2],
  ]);
  await expect.poll(async () => (await dns.lookup(`gone.${zone.zoneName}`, 'A')).rcode).toBe('NXDOMAIN');
  expect(await served(zone, 'change', 'A')).toEqual([`change.${zone.zoneName} 3600 A 192.0.2.2`]);
});

test('an import can replace a CNAME with an A, and a delegation with data, and the reverse', async () => {
  const zone = await freshZone();
  const [a, b] = [
    `x CNAME y\ny A 192.0.2.1\nsub NS ns1.sub\nsub NS ns2.sub\nsub DS 1 13 2 ${'0a'.repeat(32)}\nns1.sub A 192.0.2.1\nns2.sub A 192.0.2.2\n`,
    'x A 192.0.2.1\nx TXT t\ny CNAME x\nsub TXT t\nwww.sub A 192.0.2.1\n',
  ];
  for (const text of [a, b, a]) expect((await put(zone, text)).status).toBe(200);
  expect(await listed(zone)).toHaveLength(7);
});

test('an import names every wrong line, up to 20, and changes nothing', async () => {
  const zone = await freshZone();
  await service.record(zone, 'stays', 'A', '192.0.2.1');
  const reply = await put(zone, `a A 192.0.2.1\nb A nonsense\n\nc CNAME\n${'d A 1\n'.repeat(30)}`);
  expect(refusal(reply)).toBe('400 bad_request');
  const { message } = reply.body as { message: string };
  expect(message.match(/Line \d+:/g)).toHaveLength(20);
  expect(message).toMatch(/Line 2: content: .*Line 4: .*Line 5: .* And 12 more\.$/s);
  const beside = await put(zone, 'a CNAME b\na A 192.0.2.1\n');
  expect([refusal(beside), beside.body.message]).toEqual([
    '400 bad_request',
    expect.stringMatching(/Line 1: type: .* Line 2: type: /),
  ]);
  expect((await listed(zone)).map(({ name }) => name)).toEqual(['stays']);
});

test('an import does not change hosted child zones', async () => {
  const zone = await freshZone();
  const child = await service.zone(`child.${zone.zoneName}`, many);
  const file = await get(zone);
  for (const { record } of child.ds) {
    expect(file.text.replaceAll('\t', ' ')).toContain(`child 3600 ${record.slice(record.indexOf('IN DS'))}`);
  }
  expect(counts(await put(zone, `${file.text}www A 192.0.2.1\n`))).toEqual([1, 1, 0, 0, 0, 7]);
  const inside = await put(zone, 'x.child A 192.0.2.1\n');
  expect([refusal(inside), inside.body.message]).toEqual(['400 bad_request', expect.stringContaining(child.id)]);
});

test('an import is refused if the file is not UTF-8, not text, or too large', async () => {
  const zone = await freshZone();
  const answer = await fetch(`${service.url}/v1/dns/zones/${zone.id}/zonefile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${many.text}`, 'content-type': 'text/dns' },
    body: new Uint8Array([0x61, 0x20, 0xff]),
  });
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, 'bad_request']);
  const json = await put(zone, '{}', many.text, 'application/json');
  expect([refusal(json), json.body.message]).toEqual(['415 bad_request', expect.stringContaining('text/dns')]);
  const large = await put(zone, '; '.padEnd(9 * 2 ** 20, 'x'));
  expect([refusal(large), large.body.message]).toEqual(['413 bad_request', expect.stringContaining('8 MiB')]);
  expect((await put(zone, 'a A 192.0.2.1', many.text, 'text/plain; charset=utf-8')).status).toBe(200);
});

test('an import leaves the zone as one of the files describes it if several run at once, and the others are told to retry', async () => {
  const zone = await freshZone();
  const file = (letter: string) => Array.from({ length: 20 }, (_, i) => `${letter}${i} A 192.0.2.1\n`).join('');
  const replies = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => put(zone, file(letter))));
  expect(replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const names = (await listed(zone)).map(({ name }) => name[0]);
  expect([names.length, new Set(names).size]).toEqual([20, 1]);
  expect((await put(zone, file('e'))).status).toBe(200);
});

test('an import empties the zone if the file is empty, but not if the body is missing', async () => {
  const zone = await freshZone();
  await service.record(zone, 'a', 'A', '192.0.2.1');
  for (const body of ['', ' \r\n\n']) expect(refusal(await put(zone, body))).toBe('400 bad_request');
  expect(await listed(zone)).toHaveLength(1);
  expect(counts(await put(zone, '; nothing\n'))).toEqual([0, 0, 0, 1, 0, 0]);
  expect(await listed(zone)).toEqual([]);
});

test('reading a zone file takes records read, writing takes records write without restriction', async () => {
  const zone = await freshZone();
  const reader = await service.key({ records: 'read', manageZones: 'none' });
  const acme = await service.key({ onlyTypes: ['TXT'] });
  const manager = await service.key({ records: 'none' });
  const other = await service.key({ team: 'second' });
  expect((await get(zone, reader.text)).status).toBe(200);
  expect((await get(zone, manager.text)).status).toBe(403);
  expect((await get(zone, other.text)).status).toBe(404);
  for (const key of [reader, acme, manager])
    expect(refusal(await put(zone, '; none\n', key.text))).toBe('403 forbidden');
  expect(refusal(await put(zone, '; none\n', other.text))).toBe('404 no_zone');
});

test('each changed record of a file counts as a write, an unchanged one does not', async () => {
  const zone = await freshZone();
  const key = await service.key({ recordWrites: 10 });
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `h${i} A 192.0.2.1`).join('\n');
  expect((await put(zone, lines(4), key.text)).headers.ratelimit).toMatch(/r=6;/);
  expect((await put(zone, lines(8), key.text)).headers.ratelimit).toMatch(/r=2;/);
  expect((await put(zone, lines(9), key.text)).headers.ratelimit).toMatch(/r=1;/);
  expect(refusal(await put(zone, lines(7), key.text))).toBe('429 rate_limited');
  expect(await listed(zone)).toHaveLength(9);
});

test('a first import passes with the default limit: it counts at most as half of it', async () => {
  const zone = await freshZone();
  const key = await service.key();
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `h${i} A 192.0.2.1`).join('\n');
  expect((await put(zone, lines(119), key.text)).headers.ratelimit).toMatch(/r=30;/);
  expect((await put(zone, lines(500), key.text)).headers.ratelimit).toMatch(/r=0;/);
  expect(await listed(zone)).toHaveLength(500);
  expect(refusal(await put(zone, lines(1), key.text))).toBe('429 rate_limited');
});

test('a file is counted before it is read: a key at its limit is refused for any file', async () => {
  const zone = await freshZone();
  const key = await service.key({ recordWrites: 2 });
  for (const _ of [1, 2]) expect(refusal(await put(zone, 'wrong\n', key.text))).toBe('400 bad_request');
  const reply = await put(zone, 'wrong\n', key.text);
  expect(refusal(reply)).toBe('429 rate_limited');
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
});

test('a large file counts by its size, but never more than half of the limit of the key', async () => {
  const zone = await freshZone();
  const key = await service.key({ recordWrites: 20 });
  const comment = (kibibytes: number) => `;${'x'.repeat(1_023)}\n`.repeat(kibibytes);
  // 600 KiB begin three pieces of 256 KiB.
  expect((await put(zone, comment(600), key.text)).headers.ratelimit).toMatch(/r=17;/);
  expect((await put(zone, `${comment(600)}a A 192.0.2.1\n`, key.text)).headers.ratelimit).toMatch(/r=14;/);
  const small = await service.key({ recordWrites: 2 });
  expect((await put(zone, `${comment(600)}a A 192.0.2.1\n`, small.text)).headers.ratelimit).toMatch(/r=1;/);
});

test('a client that leaves ends the planning: nothing is written, and the next import of the team starts', async () => {
  const zone = await freshZone();
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => `h${i} A 10.0.${i >> 8}.${i & 255}\n`).join('');
  const left = new AbortController();
  const leaving = fetch(`${service.url}/v1/dns/zones/${zone.id}/zonefile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${many.text}`, 'content-type': 'text/dns' },
    body: lines(60_000),
    signal: left.signal,
  });
  setTimeout(() => left.abort(), 300);
  await expect(leaving).rejects.toThrow();
  expect(counts(await put(zone, 'a A 192.0.2.1\n'))).toEqual([1, 1, 0, 0, 0, 0]);
  const history =
    await sql`select count(*)::int as n from changes where zone_id = ${zone.id} and action like 'record.%'`;
  expect(history[0]?.n).toBe(1);
});

test('a zone of 20,000 records is imported and exported while other requests are answered', async () => {
  const zone = await freshZone();
  // Runs ANALYZE, as Postgres does once a minute: plans are now made for a small table, and kept.
  await sql`vacuum analyze records`;
  const text = Array.from({ length: 20_000 }, (_, i) => `h${i} 60 A 10.0.${i >> 8}.${i & 255}`).join('\n');
  const importing = put(zone, text);
  let [longest, asked] = [0, 0];
  const began = performance.now();
  let done = false;
  void importing.finally(() => {
    done = true;
  });
  while (!done) {
    const started = performance.now();
    await request('GET', '/zones?zoneName=nothing.example');
    longest = Math.max(longest, performance.now() - started);
    asked += 1;
  }
  const took = performance.now() - began;
  expect(counts(await importing)).toEqual([20_000, 20_000, 0, 0, 0, 0]);
  expect(asked).toBeGreaterThan(3);
  // On a busy machine everything takes longer, but no request waits for the whole import.
  expect(longest).toBeLessThan(Math.max(3_000, took / 3));
  expect((await get(zone)).text.split('\n')).toHaveLength(20_000 + 2 + 1 + 2 + 1);
});
