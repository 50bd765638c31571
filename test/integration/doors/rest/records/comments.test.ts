// Comments of records and zones: their limits and rights, and the things that they leave as they are.
import { expect, test } from 'vitest';
import type { DnsRecord } from '#contract/record.ts';
import { update, updateKey } from '../../../../support/doors/dns-update/client.ts';
import { change } from '../../../../support/doors/dns-update/message.ts';
import { refusal } from '../../../../support/http/requests.ts';
import { expectCounted, expectWholeHistory } from '../../../../support/service/history.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const { request, sql } = service;

type Zone = { id: string; zoneName: string };
interface Entry {
  action: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  serial: number;
}

const www = { name: 'www', type: 'A', content: '192.0.2.1' };
const recordsOf = async (zone: Zone, key?: string) =>
  (await request('GET', `/zones/${zone.id}/records`, undefined, key)).body.records as DnsRecord[];
const comments = async (zone: Zone) => (await recordsOf(zone)).map(({ comment }) => comment ?? null);
const write = (zone: Zone, body: object) => request('POST', `/zones/${zone.id}/records`, body);
const replace = (zone: Zone, { id }: { id: string }, body: object, key?: string) =>
  request('PUT', `/zones/${zone.id}/records/${id}`, body, key);
const history = async ({ id }: Zone) =>
  (await request('GET', `/zones/${id}/changes`)).body.changes as [Entry, ...Entry[]];

/** Exports a zone file, or imports one. */
const zoneFile = ({ id }: Zone, body?: string) =>
  fetch(`${service.url}/v1/dns/zones/${id}/zonefile`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: {
      authorization: `Bearer ${service.admin.text}`,
      ...(body === undefined ? {} : { 'content-type': 'text/dns' }),
    },
    ...(body === undefined ? {} : { body }),
  });

/** Everything that tells name servers of a change. */
async function told({ id }: Zone): Promise<string> {
  const [zone] = await sql`select serial, changed_xid::text from zones where id = ${id}`;
  const [feed] = await sql`select count(*)::int from feed_changes where zone_id = ${id}`;
  return JSON.stringify([zone, feed]);
}

async function made(comment: string, body: object = www): Promise<{ zone: Zone; record: DnsRecord }> {
  const zone = await service.zone();
  const { status, body: record } = await write(zone, { ...body, comment });
  expect(status).toBe(201);
  return { zone, record: record as unknown as DnsRecord };
}

test('the comment of a record is created, read, kept by a replacement without it, changed, and removed by null or an empty text', async () => {
  const { zone, record } = await made('  the <b>web</b> server ');
  expect(record.comment).toBe('the <b>web</b> server');
  expect(await recordsOf(zone)).toEqual([record]);
  const kept = await replace(zone, record, { ...www, content: '192.0.2.2', ttl: 60 });
  expect(kept.body).toMatchObject({ content: '192.0.2.2', ttl: 60, comment: record.comment });
  expect((await replace(zone, record, { ...www, comment: 'new' })).body.comment).toBe('new');
  for (const comment of [null, '', '  ']) {
    expect((await replace(zone, record, { ...www, comment: 'again' })).body.comment).toBe('again');
    expect((await replace(zone, record, { ...www, comment })).body).not.toHaveProperty('comment');
    expect(await comments(zone)).toEqual([null]);
  }
});

test('the comment of a record alone is a change in the history, and changes neither the serial nor what name servers are told', async () => {
  const { zone, record } = await made('one');
  await service.settled();
  const before = await told(zone);
  expect((await replace(zone, record, { ...www, comment: 'two' })).status).toBe(200);
  expect(await told(zone)).toBe(before);
  const [latest, creation] = await history(zone);
  expect(latest).toMatchObject({
    action: 'record.update',
    before: { id: record.id, comment: 'one' },
    after: { id: record.id, comment: 'two' },
    serial: creation?.serial,
  });
  const same = (await history(zone)).length;
  await replace(zone, record, { ...www, comment: 'two' });
  expect(await history(zone)).toHaveLength(same);
  await replace(zone, record, { ...www, ttl: 60, comment: 'three' });
  expect(await told(zone)).not.toBe(before);
  await expectWholeHistory(sql);
});

test('the comment of a record is a part of batches, where changes of comments and values share one serial', async () => {
  const { zone, record } = await made('one');
  const batch = (changes: object[], atomic = true) =>
    request('POST', `/zones/${zone.id}/records:batch`, { changes, atomic });
  const rewrite = { action: 'update', id: record.id, record: { ...www, comment: 'two' } };
  const create = { action: 'create', record: { ...www, name: 'b', comment: 'other' } };
  expect((await batch([rewrite, create])).status).toBe(200);
  expect((await comments(zone)).sort()).toEqual(['other', 'two']);
  const [first, second] = await history(zone);
  expect(first?.serial).toBe(second?.serial);
  const wrong = { ...create, record: { ...create.record, name: 'c', comment: 'a\nb' } };
  const refused = await batch([rewrite, wrong]);
  expect([refusal(refused), refused.body.field]).toEqual(['400 bad_request', 'changes.1.comment']);
});

test('the comment of a record is refused with the limit if it is too long, and in code points', async () => {
  const zone = await service.zone();
  const long = await write(zone, { ...www, comment: '😀'.repeat(501) });
  expect([refusal(long), long.body.field]).toEqual(['400 bad_request', 'comment']);
  expect(long.body.message).toContain('501 characters; write at most 500');
  expect((await write(zone, { ...www, comment: '😀'.repeat(500) })).status).toBe(201);
  expect(refusal(await write(zone, { ...www, name: 'b', comment: 7 }))).toBe('400 bad_request');
});

test('the comment of a record counts into the octets of the zone as names and contents do', async () => {
  const { zone, record } = await made('ä'.repeat(10));
  const octets = async () => Number((await sql`select stored_bytes from zones where id = ${zone.id}`)[0]?.stored_bytes);
  expect(await octets()).toBe('www'.length + '192.0.2.1'.length + 20);
  await replace(zone, record, { ...www, comment: 'x' });
  expect(await octets()).toBe('www'.length + '192.0.2.1'.length + 1);
  await request('DELETE', `/zones/${zone.id}/records/${record.id}`);
  expect(await octets()).toBe(0);
  await expectCounted(sql);
});

test('the comment of a record has a limit for all records at one name', async () => {
  const { zone } = await made('x');
  const full = { comment: '😀'.repeat(500) };
  const changes = Array.from({ length: 131 }, (_, n) => ({
    action: 'create',
    record: { ...www, content: `198.51.100.${n}`, ...full },
  }));
  expect((await request('POST', `/zones/${zone.id}/records:batch`, { changes })).status).toBe(200);
  const more = await write(zone, { ...www, content: '203.0.113.1', ...full });
  expect([refusal(more), more.body.field]).toEqual(['400 bad_request', 'comment']);
  expect(more.body.message).toContain('256 KiB');
  expect((await write(zone, { ...www, name: 'b', ...full })).status).toBe(201);
});

test('the comment of a record is written and read by keys that may write and read the record', async () => {
  const { zone, record } = await made('secret plan');
  const { text: reader } = await service.key({ records: 'read' });
  const { text: other } = await service.key({ onlyNames: ['_acme-challenge'], manageZones: 'none' });
  expect(refusal(await replace(zone, record, { ...www, comment: 'x' }, reader))).toBe('403 forbidden');
  expect(refusal(await replace(zone, record, { ...www, comment: 'x' }, other))).toBe('403 forbidden');
  expect((await recordsOf(zone, reader))[0]?.comment).toBe('secret plan');
  expect(await recordsOf(zone, other)).toEqual([]);
  expect(JSON.stringify((await request('GET', `/zones/${zone.id}/changes`, undefined, other)).body)).not.toContain(
    'plan',
  );
});

test('the comment of a record is written by two replicas at once, and the history has each change after the one before', async () => {
  const { zone, record } = await made('start');
  const other = await service.anotherApi();
  const path = `/zones/${zone.id}/records/${record.id}`;
  const lane = async (send: typeof request, who: string) => {
    for (let n = 0; n < 25; n += 1)
      expect((await send('PUT', path, { ...www, comment: `${who} ${n}` })).status).toBe(200);
  };
  await Promise.all([lane(request, 'one'), lane(other.request, 'another')]);
  // The creations of the zone and the record, and the changes.
  expect(await history(zone)).toHaveLength(2 + 50);
  await expectWholeHistory(sql);
  await expectCounted(sql);
});

test('the comment of a record stays when a zone file is imported, and is not in an export', async () => {
  const { zone, record } = await made('keep me');
  await write(zone, { ...www, name: 'gone', comment: 'with its record' });
  const file = `www 60 IN A 192.0.2.1\nwww 60 IN A 192.0.2.7\nnew 60 IN A 192.0.2.3\n`;
  expect((await zoneFile(zone, file)).status).toBe(200);
  const kept = (await recordsOf(zone)).filter(({ comment }) => comment !== undefined);
  expect(kept).toEqual([{ ...record, ttl: 60 }]);
  const other = `www 60 IN A 192.0.2.8\n`;
  expect((await zoneFile(zone, other)).status).toBe(200);
  const exported = await (await zoneFile(zone)).text();
  expect(exported).toContain('192.0.2.8');
  expect(exported).not.toContain('keep me');
  await expectCounted(sql);
  await expectWholeHistory(sql);
});

test('the comment of a record stays when a router updates the address', async () => {
  const { zone, record } = await made('the office');
  const authorization = `Basic ${btoa(`any:${service.admin.text}`)}`;
  const query = `hostname=www.${zone.zoneName}&myip=8.8.8.8`;
  const answer = await fetch(`${service.url}/nic/update?${query}`, { headers: { authorization } });
  expect(await answer.text()).toBe('good 8.8.8.8\n');
  expect(await recordsOf(zone)).toEqual([{ ...record, content: '8.8.8.8' }]);
});

test('the comment of a record stays when a DNS update changes other values of the set or its TTL', async () => {
  const { zone, record } = await made('keep me');
  const key = await updateKey(service);
  const changes = [change.add(`www.${zone.zoneName}`, 120, 'A', '192.0.2.9')];
  expect(await update(service.updatePort(), key, { zone: zone.zoneName, changes })).toMatchObject({
    rcode: 'NOERROR',
  });
  const after = await recordsOf(zone);
  expect(after.find(({ id }) => id === record.id)).toEqual({ ...record, ttl: 120 });
  expect(after.find(({ content }) => content === '192.0.2.9')).not.toHaveProperty('comment');
  await expectCounted(sql);
});

test('the comment of a zone is set at creation, read, changed and removed, without a new serial', async () => {
  const body = { zoneName: 'commented.example', owner: `org:${service.admin.team}`, comment: ' for <i>tests</i> ' };
  const { body: created } = await request('POST', '/zones', body);
  expect(created.comment).toBe('for <i>tests</i>');
  const zone = created as unknown as Zone;
  const patch = (change: object, key?: string) => request('PATCH', `/zones/${zone.id}`, change, key);
  const before = await told(zone);
  expect((await patch({ comment: 'other' })).body).toMatchObject({ comment: 'other', serial: created.serial });
  expect((await request('GET', `/zones/${zone.id}`)).body.comment).toBe('other');
  expect((await patch({ comment: '' })).body).not.toHaveProperty('comment');
  expect(await told(zone)).toBe(before);
  const [removed, changed] = await history(zone);
  expect(removed).toMatchObject({ action: 'zone.change', before: { comment: 'other' }, after: { comment: null } });
  expect(changed).toMatchObject({ before: { comment: 'for <i>tests</i>' }, after: { comment: 'other' } });
  expect(removed?.serial).toBe(created.serial);
  const length = (await history(zone)).length;
  expect((await patch({ comment: null })).status).toBe(200);
  expect(await history(zone)).toHaveLength(length);
  const both = await patch({ comment: 'both', defaultTtl: 60 });
  expect(both.body).toMatchObject({ comment: 'both', defaultTtl: 60 });
  expect(await told(zone)).not.toBe(before);
});

test('the comment of a zone needs the right to manage zones, and a request changes something', async () => {
  const zone = await service.zone();
  const { text: writer } = await service.key({ manageZones: 'none' });
  const patch = (change: object, key?: string) => request('PATCH', `/zones/${zone.id}`, change, key);
  expect(refusal(await patch({ comment: 'x' }, writer))).toBe('403 forbidden');
  expect(refusal(await patch({}))).toBe('400 bad_request');
  const long = await patch({ comment: 'x'.repeat(501) });
  expect([refusal(long), long.body.field]).toEqual(['400 bad_request', 'comment']);
  const wrong = { zoneName: 'wrong.example', owner: `org:${service.admin.team}`, comment: 'a\u0000b' };
  expect(refusal(await request('POST', '/zones', wrong))).toBe('400 bad_request');
});
