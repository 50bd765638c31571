// Every request of the PowerDNS API, with its answer.
import { expect, test } from 'vitest';
import { formatRrsets, powerDnsClient, replace } from '../../../support/doors/powerdns/client.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);
let count = 0;

async function newZone(more: object = {}): Promise<string> {
  count += 1;
  const name = `requests-${count}.example.`;
  const { status, text } = await send('POST', '/zones', { name, kind: 'Native', nameservers: [], ...more });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return name;
}

async function patch(zone: string, ...rrsets: unknown[]) {
  return send('PATCH', `/zones/${zone}`, { rrsets });
}

async function stored(zone: string, query = ''): Promise<string[]> {
  return formatRrsets((await send('GET', `/zones/${zone}${query}`)).body);
}

test('the API, the server and its settings describe themselves', async () => {
  expect((await send('GET', '/api')).body).toEqual([{ url: '/api/v1', version: 1 }]);
  const [server] = (await send('GET', '/api/v1/servers')).body as object[];
  expect(server).toMatchObject({ type: 'Server', id: 'localhost', daemon_type: 'authoritative' });
  expect((server as { version: string }).version).toMatch(/^4\.9\.\d+$/);
  expect((await send('GET', '')).body).toEqual(server);
  expect((await send('GET', '/api/v1/servers/other')).body).toEqual(server);
  expect((await send('GET', '/config')).body).toContainEqual({
    name: 'enable-lua-records',
    type: 'ConfigSetting',
    value: 'no',
  });
  expect((await send('GET', '/config/launch')).body).toEqual({
    name: 'launch',
    type: 'ConfigSetting',
    value: 'zonestead',
  });
  expect((await send('PUT', '/cache/flush?domain=example.org.')).body).toEqual({ count: 0, result: 'Flushed cache.' });
});

test('a zone is created, listed, read and deleted, with its name in every form', async () => {
  const zone = await newZone();
  const plain = zone.slice(0, -1);
  for (const id of [zone, plain, zone.toUpperCase(), zone.replace('e', '=65'), encodeURIComponent(zone)]) {
    const { status, body } = await send('GET', `/zones/${id}`);
    expect([id, status]).toEqual([id, 200]);
    expect(body).toMatchObject({
      id: zone,
      name: zone,
      kind: 'Native',
      dnssec: true,
      url: `/api/v1/servers/localhost/zones/${zone}`,
    });
  }
  const list = (await send('GET', '/zones')).body as { id: string; serial: number }[];
  const [item] = (await send('GET', `/zones?zone=${zone}`)).body as typeof list;
  expect(list.find(({ id }) => id === zone)).toEqual(item);
  expect((await send('GET', '/zones?zone=absent.example.')).body).toEqual([]);
  const head = (await send('GET', `/zones/${zone}?rrsets=false`)).body as object;
  expect(head).toMatchObject({ id: zone, soa_edit_api: 'DEFAULT' });
  expect(head).not.toHaveProperty('rrsets');
  expect((await send('DELETE', `/zones/${zone}`)).status).toBe(204);
  for (const method of ['GET', 'DELETE'] as const) {
    const { status, body } = await send(method, `/zones/${zone}`);
    expect([status, body]).toEqual([404, { error: expect.stringContaining('No such zone') }]);
  }
});

test("a zone has the service's SOA and NS records, compact and in PowerDNS' order of fields", async () => {
  const zone = await newZone();
  const { text, headers, body } = await send('GET', `/zones/${zone}`);
  expect(headers['content-type']).toBe('application/json');
  const { serial } = body as { serial: number };
  expect(text).toContain(
    `"rrsets":[{"comments":[],"name":"${zone}","records":[{"content":"ns1.zonestead.test. hostmaster.zonestead.test. ${serial} 10800 3600 604800 60","disabled":false}],"ttl":300,"type":"SOA"},{"comments":[],"name":"${zone}","records":[{"content":"ns1.zonestead.test.","disabled":false},{"content":"ns2.zonestead.test.","disabled":false}],"ttl":3600,"type":"NS"}]`,
  );
});

test('a PATCH answers with the serials, and changes nothing when the RRset is as it asks', async () => {
  const zone = await newZone();
  const www = `www.${zone}`;
  const first = await patch(zone, replace(www, 'A', ['192.0.2.2', '192.0.2.1']));
  expect([first.status, first.text]).toEqual([204, '']);
  const { serial } = (await send('GET', `/zones/${zone}`)).body as { serial: number };
  expect(first.headers['x-pdns-new-serial']).toBe(String(serial));
  expect(first.headers['x-pdns-old-serial']).not.toBe(String(serial));
  const again = await patch(zone, replace(www.toUpperCase(), 'a', ['192.0.2.1', '192.0.2.2']));
  expect([again.status, again.headers['x-pdns-old-serial'], again.headers['x-pdns-new-serial']]).toEqual([
    204,
    String(serial),
    String(serial),
  ]);
  expect(await stored(zone)).toEqual([`${www} A 300 192.0.2.1, 192.0.2.2`]);
});

test('REPLACE, DELETE, EXTEND and PRUNE change the records of an RRset', async () => {
  const zone = await newZone();
  const www = `www.${zone}`;
  const extend = (content: string, more: object = {}) => ({
    name: www,
    type: 'A',
    changetype: 'EXTEND',
    records: [{ content }],
    ...more,
  });
  const prune = (content: string) => ({ ...extend(content), changetype: 'prune' });
  expect((await patch(zone, extend('192.0.2.1', { ttl: 60 }))).status).toBe(204);
  expect((await patch(zone, extend('192.0.2.2'))).status).toBe(204);
  expect((await patch(zone, extend('192.0.2.2'))).status).toBe(204);
  expect(await stored(zone)).toEqual([`${www} A 60 192.0.2.1, 192.0.2.2`]);
  expect((await patch(zone, extend('192.0.2.3', { ttl: 90 }))).status).toBe(204);
  expect(await stored(zone)).toEqual([`${www} A 90 192.0.2.1, 192.0.2.2, 192.0.2.3`]);
  expect((await patch(zone, prune('192.0.2.1'), prune('192.0.2.9'))).status).toBe(204);
  expect(await stored(zone)).toEqual([`${www} A 90 192.0.2.2, 192.0.2.3`]);
  expect((await patch(zone, replace(www, 'A', ['192.0.2.4']), extend('192.0.2.5'))).status).toBe(204);
  expect(await stored(zone)).toEqual([`${www} A 300 192.0.2.4, 192.0.2.5`]);
  expect((await patch(zone, { name: www, type: 'A', changetype: 'DELETE' })).status).toBe(204);
  expect((await patch(zone, { name: www, type: 'A', changetype: 'DELETE' })).status).toBe(204);
  expect(await stored(zone)).toEqual([]);
});

test('fifty clients that add a value to one RRset at once lose none', async () => {
  const zone = await newZone();
  const name = `_acme-challenge.${zone}`;
  const { url } = await service.anotherApi();
  const replicas = [send, powerDnsClient(url, service.admin.text)] as const;
  const values = Array.from({ length: 50 }, (_, at) => `"value ${String(at).padStart(2, '0')}"`);
  const statuses = await Promise.all(
    values.map(async (content, at) => {
      const client = replicas[at % 2] as typeof send;
      const rrset = { name, type: 'TXT', ttl: 60, changetype: 'EXTEND', records: [{ content }] };
      return (await client('PATCH', `/zones/${zone}`, { rrsets: [rrset] })).status;
    }),
  );
  expect(statuses).toEqual(values.map(() => 204));
  expect(await stored(zone)).toEqual([`${name} TXT 60 ${values.join(', ')}`]);
});

test('a PATCH is all or nothing', async () => {
  const zone = await newZone();
  const before = await send('GET', `/zones/${zone}`);
  const { status, body } = await patch(
    zone,
    replace(`www.${zone}`, 'A', ['192.0.2.1']),
    replace(`alias.${zone}`, 'A', ['192.0.2.1']),
    replace(`alias.${zone}`, 'CNAME', ['www.example.org.']),
  );
  expect([status, body]).toEqual([422, { error: expect.stringContaining('CNAME') }]);
  expect((await send('GET', `/zones/${zone}`)).body).toEqual(before.body);
});

test.each([
  ['A', '192.0.2.1'],
  ['AAAA', '2001:db8::1'],
  ['ALIAS', 'lb.example.net.'],
  ['CAA', '0 issue "letsencrypt.org"'],
  ['CNAME', 'www.example.net.'],
  ['MX', '10 mail.example.net.'],
  ['NAPTR', '100 10 "s" "SIP+D2U" "" _sip._udp.example.net.'],
  ['NS', 'ns1.example.net.'],
  ['PTR', 'www.example.net.'],
  ['SRV', '10 5 5060 sip.example.net.'],
  ['SSHFP', '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789'],
  ['TLSA', '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6'],
  ['TXT', '"one" "two \\"quoted\\""'],
  ['TYPE65280', '\\# 4 c0000201'],
])('the content of type %s is read as it was written', async (type, content) => {
  const zone = await newZone();
  const name = ['SRV', 'TLSA'].includes(type) ? `_443._tcp.${zone}` : `content.${zone}`;
  const { status, text } = await patch(zone, replace(name, type, [content]));
  expect([status, text]).toEqual([204, '']);
  expect(await stored(zone)).toEqual([`${name} ${type} 300 ${content}`]);
});

test('TTLs are moved into the range of the service, and the answer says so', async () => {
  const zone = await newZone();
  const low = await patch(
    zone,
    replace(`low.${zone}`, 'A', ['192.0.2.1'], 5),
    replace(`high.${zone}`, 'A', ['192.0.2.1'], 604_800),
  );
  expect([low.status, low.headers['zonestead-note']]).toEqual([204, expect.stringContaining('30 to 86400')]);
  expect(await stored(zone)).toEqual([`high.${zone} A 86400 192.0.2.1`, `low.${zone} A 30 192.0.2.1`]);
});

test('the SOA and NS records of the apex stay when a client deletes them, the rest of the request is done, and it is told so', async () => {
  const zone = await newZone();
  await patch(zone, replace(`www.${zone}`, 'A', ['192.0.2.1']));
  const before = (await send('GET', `/zones/${zone}?rrset_name=${zone}`)).body as { rrsets: unknown[] };
  const remove = (name: string, type: string) => ({ name, type, changetype: 'DELETE', records: null });
  const { status, headers } = await patch(
    zone,
    ...[remove(zone, 'SOA'), remove(zone, 'NS'), remove(`www.${zone}`, 'A')],
  );
  expect([status, headers['zonestead-note']]).toEqual([204, expect.stringContaining('were not deleted')]);
  const after = (await send('GET', `/zones/${zone}?rrset_name=${zone}`)).body as { rrsets: { type: string }[] };
  expect(after.rrsets.map(({ type }) => type)).toEqual(['SOA', 'NS']);
  expect(after.rrsets[1]).toEqual(before.rrsets[1]);
  expect(await stored(zone)).toEqual([]);
});

test('an RRset can be asked for by name and type', async () => {
  const zone = await newZone();
  await patch(
    zone,
    replace(`www.${zone}`, 'A', ['192.0.2.1']),
    replace(`www.${zone}`, 'TXT', ['"a"']),
    replace(zone, 'MX', ['1 a.example.']),
  );
  expect(await stored(zone, `?rrset_name=www.${zone}&rrset_type=A`)).toEqual([`www.${zone} A 300 192.0.2.1`]);
  expect(await stored(zone, `?rrset_name=www.${zone}`)).toHaveLength(2);
  const { rrsets } = (await send('GET', `/zones/${zone}?rrset_name=${zone}&rrset_type=NS`)).body as {
    rrsets: { type: string }[];
  };
  expect(rrsets.map(({ type }) => type)).toEqual(['NS']);
  expect((await send('GET', `/zones/${zone}?rrset_name=www.${zone}&rrset_type=LUA`)).body).toMatchObject({
    rrsets: [],
  });
});

test('a zone is created with its RRsets or a zone file, or not at all', async () => {
  const name = 'with-records.example.';
  const rrsets = [
    { name, type: 'SOA', ttl: 60, records: [{ content: 'a. b. 1 2 3 4 5' }] },
    { name, type: 'NS', ttl: 60, records: NAMESERVERS.map((host) => ({ content: `${host}.` })) },
    { name: `www.${name}`, type: 'A', ttl: 60, records: [{ content: '192.0.2.1' }] },
  ];
  const created = await send('POST', '/zones', { name, kind: 'Master', soa_edit_api: 'INCEPTION-INCREMENT', rrsets });
  expect(created.status).toBe(201);
  expect(formatRrsets(created.body)).toEqual([`www.${name} A 60 192.0.2.1`]);
  const again = await send('POST', '/zones', { name, kind: 'Native', rrsets });
  expect([again.status, again.body]).toEqual([409, { error: expect.stringContaining('exists already') }]);
  const file = await newZone({ zone: 'www 60 IN A 192.0.2.7\n' });
  expect(await stored(file)).toEqual([`www.${file} A 60 192.0.2.7`]);
  const clash = ['A', 'CNAME'].map((type) => ({
    name: 'www.no.example.',
    type,
    ttl: 60,
    records: [{ content: type === 'A' ? '192.0.2.1' : 'a.example.' }],
  }));
  for (const more of [
    { rrsets: clash },
    { zone: 'www 60 IN A 1.2.3\n' },
    { nameservers: ['ns1.elsewhere.example.'] },
    { kind: 'Slave', masters: ['192.0.2.1'] },
  ]) {
    const refused = await send('POST', '/zones', { name: 'no.example.', kind: 'Native', ...more });
    expect([more, refused.status, refused.body]).toEqual([more, 422, { error: expect.any(String) }]);
    expect((await send('GET', '/zones/no.example.')).status).toBe(404);
  }
});

test('settings of a zone that the service does not have are refused', async () => {
  const zone = await newZone();
  for (const fields of [
    {},
    { kind: 'Master', soa_edit: '', soa_edit_api: 'DEFAULT', api_rectify: true, account: 'x', dnssec: true },
  ])
    expect((await send('PUT', `/zones/${zone}`, fields)).status).toBe(204);
  for (const fields of [
    { kind: 'Slave' },
    { masters: ['192.0.2.1'] },
    { dnssec: false },
    { nsec3param: '1 0 0 ab' },
    { presigned: true },
    { catalog: 'c.example.' },
  ]) {
    const { status, body } = await send('PUT', `/zones/${zone}`, fields);
    expect([status, body]).toEqual([422, { error: expect.any(String) }]);
  }
});

test('notify and rectify are accepted', async () => {
  const zone = await newZone();
  expect((await send('PUT', `/zones/${zone}/notify`)).body).toEqual({ result: 'Notification queued' });
  expect((await send('PUT', `/zones/${zone}/rectify`, {})).body).toEqual({ result: 'Rectified' });
  expect((await send('PUT', '/zones/absent.example./notify')).status).toBe(404);
});

test('a request without a valid key, an unknown address and another method have errors of this API', async () => {
  const none = powerDnsClient(service.url, null);
  for (const client of [none, powerDnsClient(service.url, 'wrong')]) {
    const { status, body, headers } = await client('GET', '/zones');
    expect([status, body]).toEqual([401, { error: expect.stringContaining('Send the header "X-API-Key: yk_…"') }]);
    expect(headers['www-authenticate']).toContain('X-API-Key');
  }
  expect(await send('GET', '/api/v2')).toMatchObject({
    status: 404,
    body: { error: 'There is no GET /api/v2 here: the service answers a part of the API of PowerDNS.' },
  });
  expect(await send('POST', '/api')).toMatchObject({ status: 405, body: { error: expect.any(String) } });
  const asked = await none('OPTIONS', '/zones');
  expect([asked.status, asked.text]).toEqual([200, '']);
  expect(asked.headers).toMatchObject({
    'access-control-allow-headers': 'Content-Type, X-API-Key',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
  });
  expect(asked.headers).not.toHaveProperty('access-control-allow-origin');
  expect(await send('PATCH', '/zones/x', '{')).toMatchObject({ status: 400, body: { error: expect.any(String) } });
});

test('a zone is exported with absolute names', async () => {
  const zone = await newZone();
  await patch(
    zone,
    replace(zone, 'MX', ['10 mail.example.net.']),
    replace(`www.${zone}`, 'ALIAS', ['lb.example.net.'], 60),
  );
  const json = await send('GET', `/zones/${zone}/export`);
  const { status, text, headers } = await send('GET', `/zones/${zone}/export`, undefined, { accept: '*/*' });
  expect(json.body).toEqual({ zone: text });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text.split('\n').slice(1)).toEqual([
    ...NAMESERVERS.map((host) => `${zone}\t3600\tIN\tNS\t${host}.`),
    `${zone}\t300\tIN\tMX\t10 mail.example.net.`,
    `www.${zone}\t60\tIN\tALIAS\tlb.example.net.`,
    '',
  ]);
  expect(text).toMatch(/^requests-\d+\.example\.\t300\tIN\tSOA\tns1\.zonestead\.test\. /);
});

test('a zone has one signing key, which requests cannot change, and no metadata', async () => {
  const zone = await newZone();
  const [key] = (await send('GET', `/zones/${zone.slice(0, -1)}/cryptokeys`)).body as {
    dnskey: string;
    ds: string[];
  }[];
  expect(key).toMatchObject({ type: 'Cryptokey', id: 1, keytype: 'csk', active: true, published: true, flags: 257 });
  const [found] = (await service.request('GET', `/zones?zoneName=${zone}`)).body.zones as {
    ds: { keyTag: number; digest: string }[];
  }[];
  expect(key?.ds).toEqual(found?.ds.map(({ keyTag, digest }, index) => `${keyTag} 13 ${[2, 4][index]} ${digest}`));
  expect(key?.dnskey).toMatch(/^257 3 13 [A-Za-z0-9+/]{86}==$/);
  expect((await send('GET', `/zones/${zone}/cryptokeys/1`)).body).toEqual(key);
  expect((await send('GET', `/zones/${zone}/cryptokeys/2`)).status).toBe(404);
  expect((await send('GET', `/zones/${zone}/metadata`)).body).toEqual([]);
  expect((await send('GET', `/zones/${zone}/metadata/ALLOW-AXFR-FROM`)).body).toEqual({
    kind: 'ALLOW-AXFR-FROM',
    metadata: [],
    type: 'Metadata',
  });
  for (const [method, path] of [
    ['POST', 'cryptokeys'],
    ['PUT', 'cryptokeys/1'],
    ['DELETE', 'cryptokeys/1'],
    ['POST', 'metadata'],
    ['PUT', 'metadata/X'],
    ['DELETE', 'metadata/X'],
  ] as const) {
    expect(await send(method, `/zones/${zone}/${path}`, {})).toMatchObject({
      status: 422,
      body: { error: expect.any(String) },
    });
    expect((await send(method, `/zones/absent.example./${path}`, {})).status).toBe(404);
  }
});

test('ZONESTEAD_PDNS_API=off turns the API off', async () => {
  const { url } = await service.anotherApi({ settings: { ZONESTEAD_PDNS_API: 'off' } });
  expect((await powerDnsClient(url, service.admin.text)('GET', '/api')).status).toBe(404);
});

test.each(['REPLACE', 'EXTEND'])(
  "%s does not change the service's own records of the apex, and leaves the rest undone",
  async (changetype) => {
    const zone = await newZone();
    const before = await stored(zone);
    for (const [type, content] of [
      ['NS', 'ns1.elsewhere.example.'],
      ['SOA', 'ns1.elsewhere.example. hostmaster.elsewhere.example. 1 2 3 4 5'],
    ]) {
      const own = { name: zone, type, ttl: 60, changetype, records: [{ content }] };
      const { status, body } = await patch(zone, replace(`www.${zone}`, 'A', ['192.0.2.1']), own);
      expect([status, body]).toEqual([422, { error: expect.stringContaining('belongs to the service') }]);
    }
    // One of several name servers is not the own RRset either.
    const [host] = NAMESERVERS;
    const one = { name: zone, type: 'NS', ttl: 60, changetype: 'REPLACE', records: [{ content: `${host}.` }] };
    expect((await patch(zone, one)).status).toBe(422);
    expect(await stored(zone)).toEqual(before);
  },
);
