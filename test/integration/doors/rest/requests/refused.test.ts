// Refused requests write nothing: after every kind of 4xx, the rows, the serial and the history are unchanged.
import { expect, test } from 'vitest';
import { type Method, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request, sql } = service;
const zone = await service.zone('refused.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
const alias = await service.record(zone, 'alias', 'CNAME', 'target.example.net');
const reader = await service.key({ records: 'read', manageZones: 'read' });
const stranger = await service.key({ team: 'stranger' });
const path = `/zones/${zone.id}`;
const records = `${path}/records`;
const fine = { name: 'new', type: 'A', content: '192.0.2.9' };
const own = zone.owner;

const state = async () =>
  sql`select
    (select jsonb_agg(to_jsonb(r) order by id) from records r) as records,
    (select jsonb_agg(to_jsonb(z) order by id) from zones z) as zones,
    (select count(*)::int from changes) as changes,
    (select count(*)::int from idempotency) as answers`;

const cases: [string, string, Method, string, unknown, string?][] = [
  ['no key', '401 unauthorized', 'POST', records, fine, 'yk_0'],
  ['a key that may only read', '403 forbidden', 'POST', records, fine, reader.text],
  ['a key that may only read, on update', '403 forbidden', 'PUT', `${records}/${record.id}`, fine, reader.text],
  ['a key that may only read, on delete', '403 forbidden', 'DELETE', `${records}/${record.id}`, undefined, reader.text],
  ['a key that may not park', '403 forbidden', 'POST', `${path}/park`, undefined, reader.text],
  ['a key that may not delete', '403 forbidden', 'DELETE', path, undefined, reader.text],
  ['a key that may not create', '403 forbidden', 'POST', '/zones', { zoneName: 'x.test', owner: own }, reader.text],
  ["another team's record", '404 no_zone', 'PUT', `${records}/${record.id}`, fine, stranger.text],
  ["another team's zone", '404 no_zone', 'DELETE', path, undefined, stranger.text],
  [
    "another team's name",
    '409 conflict',
    'POST',
    '/zones',
    { zoneName: 'a.refused.example', owner: `org:${stranger.team}` },
    stranger.text,
  ],
  ['the wrong owner', '403 forbidden', 'POST', '/zones', { zoneName: 'y.test' }],
  ['a zone that exists', '409 conflict', 'POST', '/zones', { zoneName: 'refused.example', owner: own }],
  ['a bad zone name', '400 bad_request', 'POST', '/zones', { zoneName: 'a..b', owner: own }],
  ['a bad content', '400 bad_request', 'POST', records, { ...fine, content: 'x' }],
  ['a bad ttl', '400 bad_request', 'POST', records, { ...fine, ttl: 5 }],
  ['an unknown field', '400 bad_request', 'POST', records, { ...fine, x: 1 }],
  ['broken JSON', '400 bad_request', 'POST', records, '{'],
  ['a duplicate', '409 conflict', 'POST', records, { name: 'WWW', type: 'A', content: '192.0.2.1' }],
  ['A beside CNAME', '409 conflict', 'POST', records, { ...fine, name: 'alias' }],
  ['CNAME beside A', '409 conflict', 'POST', records, { name: 'www', type: 'CNAME', content: 'a.example.net' }],
  [
    'another type on update',
    '400 bad_request',
    'PUT',
    `${records}/${record.id}`,
    { ...fine, name: 'www', type: 'TXT' },
  ],
  [
    'a loop on update',
    '400 bad_request',
    'PUT',
    `${records}/${alias.id}`,
    { name: 'alias', type: 'CNAME', content: 'alias.refused.example' },
  ],
  ['no such record', '404 not_found', 'DELETE', `${records}/rec_0`, undefined],
  ['no such zone', '404 no_zone', 'POST', '/zones/zone_0/park', undefined],
  ['a bad default ttl', '400 bad_request', 'PATCH', path, { defaultTtl: 1 }],
  ['another content type', '415 bad_request', 'POST', records, 'name=x'],
];

test.each(cases)('%s: %s, and nothing is written', async (_, expected, method, to, body, key) => {
  const before = await state();
  const headers: Record<string, string> = { 'idempotency-key': `once-${cases.findIndex(([name]) => name === _)}` };
  if (expected.startsWith('415')) headers['content-type'] = 'application/x-www-form-urlencoded';
  expect(refusal(await request(method, to, body, key, headers))).toBe(expected);
  expect(await state()).toEqual(before);
});

test('every sentence names its field, and the whole body or query has none', async () => {
  const sentences = async (method: Method, to: string, body?: unknown) => {
    const { status, body: answer } = await request(method, to, body);
    return [status, answer.field, answer.message];
  };
  const unknown = 'is unknown; remove it, or correct its spelling.';
  expect(await sentences('POST', records, { ...fine, colour: 1 })).toEqual([400, 'colour', `colour: ${unknown}`]);
  expect(await sentences('GET', `${records}?colour=1`)).toEqual([400, 'colour', `colour: ${unknown}`]);
  expect(await sentences('POST', records, [fine])).toEqual([
    400,
    undefined,
    'The request must be a JSON object, and not a list.',
  ]);
  expect(await sentences('PATCH', path, {})).toEqual([
    400,
    undefined,
    'The request must have at least one of defaultTtl, denial and comment.',
  ]);
  const batch = `${path}/records:batch`;
  const create = { action: 'create', record: { ...fine, colour: 1 } };
  expect(await sentences('POST', batch, { atomic: true, changes: [create] })).toEqual([
    400,
    'changes.0.colour',
    `changes.0.colour: ${unknown}`,
  ]);
  expect(await sentences('GET', `${path}/nodes?wait=6`)).toEqual([
    400,
    'wait',
    'wait: must be a number of seconds from 0 to 5, with at most three decimals.',
  ]);
});

test('a refusal is not stored under its Idempotency-Key: the corrected request succeeds', async () => {
  const headers = { 'idempotency-key': 'mended' };
  expect(refusal(await request('POST', records, { ...fine, content: 'x' }, undefined, headers))).toBe(
    '400 bad_request',
  );
  expect((await request('POST', records, fine, undefined, headers)).status).toBe(201);
});
