// GET /zones/{id}/changes: the history with the state before and after each change, newest first, in pages.
import { expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, admin } = service;

type Change = {
  id: number;
  action: string;
  keyId: string;
  before: unknown;
  after: unknown;
  serial: number;
  at: string;
};
const list = (zone: { id: string }, query = '', key = admin.text) =>
  request('GET', `/zones/${zone.id}/changes${query}`, undefined, key);
const changes = (reply: { body: Record<string, unknown> }) => reply.body.changes as Change[];

test('the history shows each change with key, state before and after, serial, request and time, newest first', async () => {
  const zone = await service.zone();
  const key = await service.key();
  const headers = { 'x-request-id': 'release-42' };
  const made = await service.record(zone, 'www', 'A', '192.0.2.1');
  const body = { name: 'www', type: 'A', content: '192.0.2.2', ttl: 60 };
  const update = await request('PUT', `/zones/${zone.id}/records/${made.id}`, body, key.text, headers);
  await request('DELETE', `/zones/${zone.id}/records/${made.id}`);
  await request('POST', `/zones/${zone.id}/park`);
  const reply = await list(zone);
  expect(changes(reply).map(({ action }) => action)).toEqual([
    'zone.park',
    'record.delete',
    'record.update',
    'record.create',
    'zone.create',
  ]);
  const [, removed, updated, created] = changes(reply);
  expect(updated).toEqual({
    id: expect.any(Number),
    action: 'record.update',
    keyId: key.id,
    before: made,
    after: update.body,
    serial: expect.any(Number),
    requestId: 'release-42',
    at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect([created?.before, created?.after, removed?.after]).toEqual([null, made, null]);
  const serials = changes(reply).map(({ serial }) => serial);
  expect(serials).toEqual([...serials].sort((a, b) => b - a));
});

test('pages are complete and without repetition, even while changes are made', async () => {
  const zone = await service.zone();
  for (let i = 0; i < 6; i += 1) await service.record(zone, `h${i}`, 'A', '192.0.2.1');
  const seen: number[] = [];
  let query = '?limit=3';
  for (let page = 0; page < 3; page += 1) {
    const reply = await list(zone, query);
    seen.push(...changes(reply).map(({ id }) => id));
    await service.record(zone, `later${page}`, 'A', '192.0.2.1');
    query = `?limit=3&cursor=${reply.body.next}`;
    expect(reply.body.next === undefined).toBe(page === 2);
  }
  expect(seen).toHaveLength(7);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
});

test('the history requires a permission on the records of the zone or on zones, and shows records to keys that may read them', async () => {
  const zone = await service.zone();
  await service.record(zone, 'www', 'A', '192.0.2.1');
  for (const [right, seen] of [
    [{ records: 'read', manageZones: 'none' }, ['record.create', 'zone.create']],
    [{ records: 'none', manageZones: 'read' }, ['zone.create']],
  ] as const) {
    const reply = await list(zone, '', (await service.key(right)).text);
    expect([reply.status, changes(reply).map(({ action }) => action)]).toEqual([200, seen]);
  }
  const restricted = await service.key({ onlyTypes: ['TXT'] });
  expect(refusal(await list(zone, '', restricted.text))).toBe('403 forbidden');
  const neither = await service.key({ records: 'none', manageZones: 'none' });
  const other = await service.key({ team: 'second' });
  for (const key of [neither, other]) expect(refusal(await list(zone, '', key.text))).toBe('404 no_zone');
  expect(refusal(await list({ id: 'zone_none' }))).toBe('404 no_zone');
});

test.each(['?cursor=abc', '?limit=0', '?limit=1001', '?since=1'])('the history refuses %s', async (query) => {
  expect(refusal(await list(await service.zone(), query))).toBe('400 bad_request');
});
