// Comments of RRsets in the PowerDNS API, which are the comments of their records.
import { expect, test } from 'vitest';
import { powerDnsClient } from '../../../support/doors/powerdns/client.ts';
import { expectCounted, expectWholeHistory } from '../../../support/service/history.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);

type Comments = readonly string[];

async function newZone() {
  const { id, zoneName } = await service.zone();
  const rrset = { name: `www.${zoneName}.`, type: 'A', changetype: 'REPLACE' };
  const objects = (texts: Comments) => texts.map((content) => ({ content, account: 'me', modified_at: 1 }));
  const patch = (more: object) => send('PATCH', `/zones/${zoneName}.`, { rrsets: [{ ...rrset, ...more }] });
  const replace = (contents: string[], comments?: Comments) =>
    patch({
      ttl: 300,
      records: contents.map((content) => ({ content, disabled: false })),
      ...(comments === undefined ? {} : { comments: objects(comments) }),
    });
  const comment = (texts: Comments) => patch({ comments: objects(texts) });
  const shown = async () => {
    const { body } = await send('GET', `/zones/${zoneName}.?rrset_name=${rrset.name}&rrset_type=A`);
    const [found] = (body as { rrsets: { comments: { content: string; account: string; modified_at: number }[] }[] })
      .rrsets;
    return found?.comments ?? [];
  };
  const texts = async () => (await shown()).map(({ content }) => content).sort();
  const each = async () => {
    const { body } = await service.request('GET', `/zones/${id}/records`);
    const records = body.records as { content: string; comment?: string }[];
    return Object.fromEntries(records.map(({ content, comment: text }) => [content, text ?? null]));
  };
  return { id, zoneName, patch, replace, comment, shown, texts, each };
}

const [A, B, C] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

test('a comment is that of every record of its RRset, and stays without the field', async () => {
  const zone = await newZone();
  expect((await zone.replace([A, B], ['the web servers'])).status).toBe(204);
  expect(await zone.shown()).toEqual([{ account: '', content: 'the web servers', modified_at: 0 }]);
  expect(await zone.each()).toEqual({ [A]: 'the web servers', [B]: 'the web servers' });
  await zone.replace([A, C]);
  expect(await zone.each()).toEqual({ [A]: 'the web servers', [C]: 'the web servers' });
  await expectWholeHistory(service.sql);
});

test('comments alone leave the records, the serial and the other RRsets, and an empty array removes them', async () => {
  const zone = await newZone();
  await service.record(zone, 'other', 'A', A, { comment: 'other' });
  await zone.replace([A]);
  for (const texts of [['first'], ['second'], []]) {
    const { status, headers } = await zone.comment(texts);
    expect([status, headers['x-pdns-new-serial']]).toEqual([204, headers['x-pdns-old-serial']]);
    expect(await zone.texts()).toEqual(texts);
  }
  const { body } = await service.request('GET', `/zones/${zone.id}/records?name=other`);
  expect(body.records).toMatchObject([{ comment: 'other' }]);
  await expectCounted(service.sql);
});

test('a client that sends back an RRset unchanged changes nothing', async () => {
  const zone = await newZone();
  await zone.replace([A, B]);
  await zone.comment(['one', 'two']);
  const before = await zone.each();
  expect(Object.values(before).sort()).toEqual(['one', 'two']);
  const { headers } = await zone.replace([A, B], await zone.texts());
  expect(headers['x-pdns-new-serial']).toBe(headers['x-pdns-old-serial']);
  expect(await zone.each()).toEqual(before);
  // The comment of a record that is removed goes with it.
  expect((await zone.replace([A], ['one', 'two'])).status).toBe(204);
  expect(await zone.each()).toEqual({ [A]: before[A] });
});

test('more new comments than records, and a comment that is not valid, are refused', async () => {
  const zone = await newZone();
  await zone.replace([A], ['kept']);
  for (const texts of [['one', 'two'], ['x'.repeat(501)], ['a\nb']]) {
    const { status, body } = await zone.comment(texts);
    expect([status, body]).toEqual([422, { error: expect.stringMatching(/comment/) }]);
  }
  const wrong = await zone.patch({ comments: [{ account: 'x' }] });
  expect(wrong.status).toBe(422);
  expect(await zone.texts()).toEqual(['kept']);
});

test('EXTEND and PRUNE ignore comments, so a client that adds one value leaves the comments of the others', async () => {
  const zone = await newZone();
  await zone.replace([A], ['kept']);
  const one = (changetype: string, content: string, comments: object[]) =>
    zone.patch({ changetype, records: [{ content, disabled: false }], comments });
  expect((await one('EXTEND', B, [])).status).toBe(204);
  expect((await one('EXTEND', C, [{ content: 'not of all' }])).status).toBe(204);
  expect(await zone.each()).toEqual({ [A]: 'kept', [B]: null, [C]: null });
  expect((await one('PRUNE', B, [])).status).toBe(204);
  expect(await zone.each()).toEqual({ [A]: 'kept', [C]: null });
});

test('the comments of an RRset without records, and of those of the service, are ignored', async () => {
  const zone = await newZone();
  expect((await zone.comment(['nothing there'])).status).toBe(204);
  expect(await zone.each()).toEqual({});
  const soa = { name: `${zone.zoneName}.`, type: 'SOA', comments: [{ content: 'x' }] };
  expect((await zone.patch(soa)).status).toBe(204);
});

test('a new zone has the comments of its RRsets', async () => {
  const name = 'new-with-comments.example.';
  const records = [{ content: A, disabled: false }];
  const rrsets = [{ name: `www.${name}`, type: 'A', ttl: 300, records, comments: [{ content: 'from the start' }] }];
  const { status, text } = await send('POST', '/zones', { name, kind: 'Native', nameservers: [], rrsets });
  expect([status, text]).toEqual([201, expect.stringContaining('from the start')]);
});

test('a key writes the comments of the records that it may write', async () => {
  const zone = await newZone();
  await zone.replace([A], ['mine']);
  const { text } = await service.key({ onlyNames: ['_acme-challenge'], manageZones: 'none' });
  const other = powerDnsClient(service.url, text);
  const rrset = { name: `www.${zone.zoneName}.`, type: 'A', changetype: 'REPLACE', comments: [{ content: 'theirs' }] };
  expect((await other('PATCH', `/zones/${zone.zoneName}.`, { rrsets: [rrset] })).status).not.toBe(204);
  expect(JSON.stringify((await other('GET', `/zones/${zone.zoneName}.`)).body)).not.toContain('mine');
  expect(await zone.texts()).toEqual(['mine']);
});

test('a search finds the comments of the records that the key may read, each once for an RRset', async () => {
  const zone = await newZone();
  await zone.replace([A, B], ['Rack 7, shelf 2']);
  await service.record(zone, 'other', 'TXT', 'text', { comment: 'rack 7.' });
  const www = { content: 'Rack 7, shelf 2', name: `www.${zone.zoneName}.`, object_type: 'comment', type: 'A' };
  const names = { zone: `${zone.zoneName}.`, zone_id: `${zone.zoneName}.` };
  const search = async (query: string, client = send) =>
    (await client('GET', `/search-data?${query}`)).body as { object_type: string; name: string }[];
  const found = async (query: string, client = send) =>
    (await search(query, client)).map(({ object_type, name }) => `${object_type} ${name.split('.')[0]}`);
  expect(await search('q=rack%207*shelf*')).toEqual([{ ...www, ...names }]);
  expect(await found('q=rack%207*&object_type=comment')).toEqual(['comment other', 'comment www']);
  expect(await found('q=rack%207*&max=1')).toEqual(['comment other']);
  expect(await found('q=RACK%207')).toEqual(['comment other']);
  expect(await found('q=rack%207*&object_type=record')).toEqual([]);
  expect(await found(`q=www.${zone.zoneName}`)).toEqual(['record www', 'record www', 'comment www']);
  const { text } = await service.key({ onlyNames: ['www'] });
  expect(await found('q=rack%207*', powerDnsClient(service.url, text))).toEqual(['comment www']);
  const { text: stranger } = await service.key({ team: 'second' });
  expect(await search('q=rack*', powerDnsClient(service.url, stranger))).toEqual([]);
});
