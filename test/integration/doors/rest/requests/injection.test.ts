// Input that tries to act as SQL, zone file lines, headers, log lines or file addresses. It is refused or stored as
// plain text, the service never fails, and no key ever reaches a log.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, sql } = service;
const zone = await service.zone('inject.example');
const records = `/zones/${zone.id}/records`;
const own = `org:${service.admin.team}`;

const HOSTILE = [
  "'; drop table records; --",
  "x' or '1'='1",
  '$1',
  '{{7*7}}',
  '../../../etc/passwd',
  'a\nb',
  'a\r\nset-cookie: x=y',
  'a\u0000b',
  '\u0000',
  '\u202eexample',
  '\ud800',
  '{"$ne":null}',
  '<script>alert(1)</script>',
  '%',
  '\\',
];
const enc = (text: string) => encodeURIComponent(text.toWellFormed());

describe.each(HOSTILE)('%j', (text) => {
  test(`${JSON.stringify(text)} as a name of a zone or a record is refused or stored as harmless labels`, async () => {
    const created = await request('POST', '/zones', { zoneName: `${text}.example`, owner: own });
    if (created.status !== 200) expect(refusal(created)).toBe('400 bad_request');
    const record = await request('POST', records, { name: text, type: 'TXT', content: 'x' });
    if (record.status === 201) expect(record.body.name).toMatch(/^[a-z0-9_.-]+$/);
    else expect(refusal(record)).toBe('400 bad_request');
  });

  test(`${JSON.stringify(text)} as the content of any type is refused, or served as it is`, async () => {
    for (const type of ['A', 'CNAME', 'MX', 'CAA', 'SRV', 'HTTPS', 'TLSA', 'NS', 'PTR', 'ALIAS', 'DS', 'AAAA']) {
      const name = type === 'SRV' ? '_s._tcp' : type === 'TLSA' ? '_1._tcp' : 'hostile';
      expect(refusal(await request('POST', records, { name, type, content: text }))).toBe('400 bad_request');
    }
    const name = `t${HOSTILE.indexOf(text)}`;
    const reply = await request('POST', records, { name, type: 'TXT', content: text });
    if (reply.status !== 201) return expect(refusal(reply)).toBe('400 bad_request');
    expect(reply.body.content).toBe(text);
    const { packet } = await service.dns.lookup(`${name}.inject.example`, 'TXT');
    const data = packet.answers?.[0]?.data as Buffer[];
    expect(Buffer.concat(data).toString()).toBe(text);
  });

  test(`${JSON.stringify(text)} as an id, filter or cursor finds nothing or is refused`, async () => {
    const known = ['400 bad_request', '404 not_found', '404 no_zone'];
    const status = async (path: string) => {
      const reply = await request('GET', path);
      return reply.status === 200 ? JSON.stringify(reply.body) : refusal(reply);
    };
    expect(known).toContain(await status(`/zones/${enc(text)}`));
    expect(known).toContain(await status(`/zones/${enc(text)}/records`));
    expect(known).toContain(refusal(await request('DELETE', `/zones/${enc(text)}`)));
    expect(known).toContain(refusal(await request('DELETE', `${records}/${enc(text)}`)));
    const put = await request('PUT', `${records}/${enc(text)}`, { name: 'a', type: 'A', content: '192.0.2.1' });
    expect(known).toContain(refusal(put));
    expect([...known, '{"zones":[]}']).toContain(await status(`/zones?zoneName=${enc(text)}`));
    expect(known).toContain(await status(`/zones?suffix_of=${enc(text)}.example`));
    expect([...known, '{"records":[]}']).toContain(await status(`${records}?name=${enc(text)}`));
    expect(known).toContain(await status(`${records}?type=${enc(text)}`));
    expect(known).toContain(await status(`${records}?cursor=${enc(text)}`));
    const cursor = Buffer.from(JSON.stringify([text, text, text])).toString('base64url');
    expect([400, 200]).toContain((await request('GET', `${records}?cursor=${cursor}`)).status);
    expect([400, 200]).toContain(
      (await request('GET', `/zones?cursor=${Buffer.from(text).toString('base64url')}`)).status,
    );
    expect([400, 200]).toContain((await request('GET', `${records}?content=${enc(text)}`)).status);
  });

  test(`${JSON.stringify(text)} as owner is forbidden or refused`, async () => {
    const reply = await request('POST', '/zones', { zoneName: 'owned.example', owner: text });
    expect(['403 forbidden', '400 bad_request']).toContain(refusal(reply));
  });
});

test('the records are unchanged and served', async () => {
  expect((await sql`select count(*)::int as n from zones where name = 'inject.example'`)[0]?.n).toBe(1);
  expect((await request('GET', records)).status).toBe(200);
  const { state } = await service.dns.delv('inject.example', 'inject.example', 'SOA');
  expect(state).toBe('secure');
});

test('an Idempotency-Key is one token of visible characters', async () => {
  const post = (token: string) =>
    request('POST', records, { name: 'once', type: 'TXT', content: token }, undefined, { 'idempotency-key': token });
  for (const unfit of ['', 'a b', 'x'.repeat(256), 'ümlaut']) {
    expect(refusal(await post(unfit))).toBe('400 bad_request');
  }
  expect((await post("'; drop table records; --".replaceAll(' ', ''))).status).toBe(201);
});

test('no key and no part of a secret is in the log at level trace', async () => {
  const { text } = await service.key();
  const secret = text.split('_')[2] ?? '';
  const wrong = `${text.slice(0, -1)}x`;
  await request('GET', '/zones', undefined, text);
  await request('GET', '/zones', undefined, wrong);
  await request('GET', `/zones?zoneName=${text}`, undefined, text);
  await request('GET', `/${text}`, undefined, text);
  await request('POST', records, { name: 'a', type: 'TXT', content: text, key: text }, text);
  await request('GET', '/zones', undefined, text, { 'x-request-id': text });
  await request('GET', '/zones', undefined, null, { authorization: text, cookie: text });
  const log = service.log.join('');
  expect(service.log.length).toBeGreaterThan(50);
  for (const part of [secret, secret.slice(0, 40), service.admin.text]) expect(log).not.toContain(part);
});
