// The dyndns2 protocol over HTTP: parameters, answers, rights, and what is written.
import { expect, test } from 'vitest';
import type { DnsRecord } from '#contract/record.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  nameserver: false,
  limits: true,
  settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1' },
});
const { url: direct } = await service.anotherApi({ settings: { ZONESTEAD_TRUSTED_PROXIES: '' } });
const key = await service.key({ recordWrites: 10_000 });
const zone = await service.zone('dynamic.example');

interface Sent {
  token?: string | null;
  user?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  url?: string;
}

async function call(
  query: string,
  { token = key.text, user = 'router', method = 'GET', url = service.url, ...rest }: Sent = {},
) {
  const authorization =
    token === null ? {} : { authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` };
  const reply = await fetch(`${url}/nic/update${query}`, {
    method,
    headers: { ...authorization, ...rest.headers },
    ...(rest.body === undefined ? {} : { body: rest.body }),
  });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
}
const answer = async (query: string, sent: Sent = {}) => (await call(query, sent)).text;

async function records(name: string): Promise<string[]> {
  const { body } = await service.request('GET', `/zones/${zone.id}/records?name=${name}`);
  return (body as { records: DnsRecord[] }).records.map(({ ttl, type, content }) => `${ttl} ${type} ${content}`).sort();
}
const serial = async () => ((await service.request('GET', `/zones/${zone.id}`)).body as { serial: number }).serial;

test('an update sets the address, and a repetition changes nothing', async () => {
  expect(await call('?hostname=home.dynamic.example&myip=192.0.2.1')).toMatchObject({
    status: 200,
    text: 'good 192.0.2.1\n',
  });
  expect(await records('home')).toEqual(['60 A 192.0.2.1']);
  const before = await serial();
  expect(await answer('?hostname=HOME.dynamic.example.&myip=192.0.2.1')).toBe('nochg 192.0.2.1\n');
  expect(await serial()).toBe(before);
  expect(await answer('?hostname=home.dynamic.example&myip=192.0.2.2')).toBe('good 192.0.2.2\n');
  expect(await records('home')).toEqual(['60 A 192.0.2.2']);
});

test('an IPv4 address in the form of IPv6 is an A record, and an address with a zone id is refused', async () => {
  expect(await answer('?hostname=mapped.dynamic.example&myip=::ffff:192.0.2.9')).toBe('good 192.0.2.9\n');
  expect(await answer('?hostname=mapped.dynamic.example&myip=::ffff:c000:209,2001:DB8::9')).toBe(
    'good 192.0.2.9,2001:db8::9\n',
  );
  expect(await records('mapped')).toEqual(['60 A 192.0.2.9', '60 AAAA 2001:db8::9']);
  for (const wrong of ['fe80::1%25eth0', '2001:db8::1%25eth0']) {
    const refusal = await call(`?hostname=mapped.dynamic.example&myip=${wrong}`);
    expect(refusal.text).toMatch(/^dnserr/);
    expect(JSON.stringify([refusal.text, ...refusal.headers])).toContain('zone id');
  }
});

test('an update sets both families in one change, and leaves the family that it does not name', async () => {
  const before = await serial();
  expect(await answer('?hostname=both.dynamic.example&myip=192.0.2.3,2001:db8::3')).toBe(
    'good 192.0.2.3,2001:db8::3\n',
  );
  expect(await serial()).toBe(before + 1);
  expect(await answer('?hostname=both.dynamic.example&myip=192.0.2.4')).toBe('good 192.0.2.4\n');
  expect(await answer('?hostname=both.dynamic.example&myip=192.0.2.4&myipv6=2001:db8::5')).toBe(
    'good 192.0.2.4,2001:db8::5\n',
  );
  expect(await answer('?hostname=both.dynamic.example&myip=192.0.2.4,')).toBe('nochg 192.0.2.4\n');
  expect(await records('both')).toEqual(['60 A 192.0.2.4', '60 AAAA 2001:db8::5']);
});

test('an update keeps the TTL and the other types of its name, and replaces all addresses of its family', async () => {
  await service.record(zone, 'kept', 'TXT', 'other');
  await service.request('POST', `/zones/${zone.id}/records`, {
    name: 'kept',
    type: 'A',
    content: '192.0.2.5',
    ttl: 300,
  });
  await service.request('POST', `/zones/${zone.id}/records`, {
    name: 'kept',
    type: 'A',
    content: '192.0.2.6',
    ttl: 300,
  });
  expect(await answer('?hostname=kept.dynamic.example&myip=192.0.2.6')).toBe('good 192.0.2.6\n');
  expect(await records('kept')).toEqual(['300 A 192.0.2.6', '3600 TXT other']);
});

test('an update with several names answers a line for each, in their order', async () => {
  const names = ['one.dynamic.example', 'nowhere.example.net', 'one', 'two.dynamic.example'].join(',');
  expect(await answer(`?hostname=${names}&myip=192.0.2.7`)).toBe('good 192.0.2.7\nnohost\nnotfqdn\ngood 192.0.2.7\n');
});

test('an update may be a form', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'hostname=form.dynamic.example&myip=192.0.2.8';
  expect(await answer('', { method: 'POST', headers, body })).toBe('good 192.0.2.8\n');
  expect(await answer('?hostname=form.dynamic.example&myip=192.0.2.9', { method: 'POST' })).toBe('good 192.0.2.9\n');
  expect(await records('form')).toEqual(['60 A 192.0.2.9']);
});

test('an update is in the history with the key that made it, and in no cache', async () => {
  const { headers } = await call('?hostname=told.dynamic.example&myip=192.0.2.10');
  expect(headers.get('cache-control')).toBe('no-store');
  const { body } = await service.request('GET', `/zones/${zone.id}/changes`);
  const { changes } = body as { changes: { action: string; keyId: string | null }[] };
  expect(changes[0]).toMatchObject({ action: 'record.create', keyId: key.id });
});

test('an update by HEAD changes nothing', async () => {
  const { status } = await call('?hostname=head.dynamic.example&myip=192.0.2.11', { method: 'HEAD' });
  expect(status).toBe(405);
  expect(await records('head')).toEqual([]);
});

const named = (address: string) => ({ headers: { 'x-forwarded-for': address } });

test('an update without an address takes that of the client, which a trusted proxy names', async () => {
  expect(await answer('?hostname=own.dynamic.example', named('198.51.100.1, 203.0.113.9'))).toBe('dnserr\n');
  expect(await answer('?hostname=own.dynamic.example', named('9.9.9.9'))).toBe('good 9.9.9.9\n');
  expect(await answer('?hostname=own.dynamic.example', named('2620:fe::9'))).toBe('good 2620:fe::9\n');
  expect(await answer('?hostname=own.dynamic.example&myip=', named('1.2.3.4, 9.9.9.9'))).toBe('nochg 9.9.9.9\n');
  expect(await records('own')).toEqual(['60 A 9.9.9.9', '60 AAAA 2620:fe::9']);
});

test.each([
  ['that of the proxy', {}],
  ['a private one', named('10.0.0.7')],
  ['a local one', named('::1')],
  ['unknown', named('unknown')],
])('an update without an address is told to send one if that of the client is %s', async (_, sent) => {
  const { text, headers } = await call('?hostname=none.dynamic.example', sent);
  expect([text, headers.get('zonestead-note')]).toEqual(['dnserr\n', expect.stringContaining('send myip=')]);
  expect(await records('none')).toEqual([]);
});

test('an update without an address is told to send one if a proxy that is not trusted comes between', async () => {
  const { text } = await call('?hostname=between.dynamic.example', {
    headers: { forwarded: 'for=9.9.9.9' },
    url: direct,
  });
  expect(text).toBe('dnserr\n');
});

test('an update without an address does not believe the header of a client that is not a proxy', async () => {
  expect(await answer('?hostname=spoofed.dynamic.example', { url: direct, ...named('9.9.9.9') })).toBe('dnserr\n');
  expect(await records('spoofed')).toEqual([]);
});

test.each([null, 'wrong', `yk_${'0'.repeat(12)}_${'0'.repeat(64)}`])('the password %j is refused', async (token) => {
  const { status, text, headers } = await call('?hostname=home.dynamic.example&myip=192.0.2.1', { token });
  expect([status, text, headers.get('www-authenticate')]).toEqual([401, 'badauth\n', expect.stringMatching(/^Basic /)]);
});

test.each([
  ['', 'notfqdn'],
  ['?hostname=', 'notfqdn'],
  ['?hostname=home&myip=192.0.2.1', 'notfqdn'],
  ['?hostname=*.home.dynamic.example&myip=192.0.2.99', 'notfqdn'],
  ['?hostname=a..dynamic.example&myip=192.0.2.1', 'notfqdn'],
  ['?hostname=elsewhere.example.net&myip=192.0.2.1', 'nohost'],
  ['?hostname=home.dynamic.example&myip=192.0.2.256', 'dnserr'],
  ['?hostname=home.dynamic.example&myip=192.0.2.1,192.0.2.2', 'dnserr'],
  ['?hostname=home.dynamic.example&myip=fe80::1%25eth0', 'dnserr'],
  [`?hostname=${Array.from({ length: 21 }, (_, n) => `h${n}.dynamic.example`)}&myip=192.0.2.1`, 'numhost'],
])('an update is refused: %s with %s, and nothing is written', async (query, code) => {
  const before = await serial();
  const { status, text, headers } = await call(query);
  expect([status, text]).toEqual([200, `${code}\n`]);
  expect(headers.get('zonestead-note')).toBeTruthy();
  expect(await serial()).toBe(before);
});

test('a name with a CNAME is refused', async () => {
  await service.record(zone, 'alias', 'CNAME', 'target.example.net');
  const { text, headers } = await call('?hostname=alias.dynamic.example&myip=192.0.2.1');
  expect([text, headers.get('zonestead-note')]).toEqual(['dnserr\n', expect.stringContaining('CNAME')]);
});

test.each([
  ['from another team', { team: 'other' }, 'nohost'],
  ['for another name', { onlyNames: ['office'] }, 'nohost'],
  ['for another type', { onlyTypes: ['TXT'] }, 'nohost'],
  ['that may only read', { records: 'read' as const }, 'nohost'],
  ['from another network', { networks: ['192.0.2.0/24'] }, 'badauth'],
])('a key %s is refused', async (_, options, code) => {
  const other = await service.key(options);
  expect(await answer('?hostname=guarded.dynamic.example&myip=192.0.2.1', { token: other.text })).toBe(`${code}\n`);
  expect(await records('guarded')).toEqual([]);
});

test('a key for this name and type is enough', async () => {
  const { text } = await service.key({ manageZones: 'none', onlyNames: ['narrow'], onlyTypes: ['A', 'AAAA'] });
  expect(await answer('?hostname=narrow.dynamic.example&myip=192.0.2.1', { token: text })).toBe('good 192.0.2.1\n');
});

test('a client that writes too often is refused, with the time when it may again; a repetition of the same address is free', async () => {
  const { text } = await service.key({ recordWrites: 2 });
  const set = (n: number) => call(`?hostname=often.dynamic.example&myip=192.0.2.${n}`, { token: text });
  for (const n of [1, 2]) expect((await set(n)).text).toBe(`good 192.0.2.${n}\n`);
  for (let n = 0; n < 5; n += 1) expect((await set(2)).text).toBe('nochg 192.0.2.2\n');
  const { status, text: said, headers } = await set(3);
  expect([status, said]).toEqual([503, '911\n']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test('names after the write limit are told to come again, and those before it are written', async () => {
  const { text } = await service.key({ recordWrites: 4 });
  const before = ['before1', 'before2', 'before3'].map((name) => `${name}.dynamic.example`);
  for (const name of before)
    expect(await answer(`?hostname=${name}&myip=192.0.2.12`, { token: text })).toMatch(/^good/);
  const names = ['first.dynamic.example', 'second.dynamic.example'].join(',');
  const { status, text: said, headers } = await call(`?hostname=${names}&myip=192.0.2.12`, { token: text });
  expect([status, said]).toEqual([200, 'good 192.0.2.12\n911\n']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect([await records('first'), await records('second')]).toEqual([['60 A 192.0.2.12'], []]);
});

test('2,000 random requests get an answer of the protocol, and none a fault', async () => {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const words = [
    'home.dynamic.example',
    'a',
    '',
    ',',
    '192.0.2.1',
    '::1',
    '%00',
    '%',
    '..',
    '*.dynamic.example',
    'ünï',
    '@',
    '\\000',
  ];
  const word = () => words[random(words.length)] ?? '';
  const one = async () => {
    const pairs = Array.from({ length: random(6) }, () => {
      const name = ['hostname', 'myip', 'myipv6', 'offline', 'x'][random(5)];
      return `${name}=${Array.from({ length: random(4) }, word).join(random(2) === 0 ? ',' : '')}`;
    });
    const { status, text } = await call(`?${pairs.join('&')}`, { method: random(2) === 0 ? 'GET' : 'POST' });
    expect([200, 400]).toContain(status);
    expect(text).toMatch(/^((good|nochg) [0-9a-f.:,]+|nohost|notfqdn|numhost|dnserr|badagent)(\n|$)/);
  };
  for (let round = 0; round < 100; round += 1) await Promise.all(Array.from({ length: 20 }, one));
});
