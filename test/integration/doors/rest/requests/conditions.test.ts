// Conditional requests (RFC 9110 sections 8.8.3, 13.1.1 and 13.1.2): the ETag of zones, records and the records of a
// zone, and changes that depend on it.
import { expect, test } from 'vitest';
import { type Method, type Reply, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request } = service;
const zone = await service.zone('conditions.example');
const at = `/zones/${zone.id}`;
const records = `${at}/records`;
const STALE = '"AAAAAAAAAAAAAAAAAAAAAA"';
let names = 0;

const tagOf = ({ headers }: Reply) => String(headers.etag);
const read = async (path: string) => tagOf(await request('GET', path));
const send = (method: Method, path: string, body: unknown, ifMatch: string, key?: string) =>
  request(method, path, body, key, { 'if-match': ifMatch });
const serial = async (path = at) => (await request('GET', path)).body.serial as number;

/** A new record, with its address, its value as a body, and its tag. */
async function newRecord() {
  names += 1;
  const value = { name: `r${names}`, type: 'TXT', content: '"first"', ttl: 300, comment: 'one' };
  const reply = await request('POST', records, value);
  return { id: reply.body.id as string, path: `${records}/${reply.body.id}`, value, etag: tagOf(reply) };
}

test('the ETag of a record is strong, and the same in the answers to POST, PUT and GET, in a list and in a batch', async () => {
  const { path, id, value, etag } = await newRecord();
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  expect(await read(path)).toBe(etag);
  expect(tagOf(await request('PUT', path, value))).toBe(etag);
  const list = await request('GET', `${records}?name=${value.name}&etags=true`);
  expect(list.body.records).toMatchObject([{ id, etag }]);
  const batch = await request('POST', `${records}:batch`, { changes: [{ action: 'update', id, record: value }] });
  expect(batch.body.results).toMatchObject([{ status: 200, etag }]);
  expect((await request('GET', `${records}?name=${value.name}`)).text).not.toContain('etag');
});

test('the ETag of a record changes with the content, the TTL, the comment and the default TTL, and returns with the value', async () => {
  const { path, value, etag } = await newRecord();
  const { ttl: _, ...inheriting } = value;
  const seen = [etag];
  for (const next of [
    { ...value, content: '"second"' },
    { ...value, ttl: 301 },
    { ...value, comment: 'two' },
    inheriting,
  ]) {
    seen.push(tagOf(await request('PUT', path, next)));
  }
  await request('PATCH', at, { defaultTtl: 1234 });
  seen.push(await read(path));
  expect(new Set(seen).size).toBe(seen.length);
  expect(tagOf(await request('PUT', path, value))).toBe(etag);
});

test('the ETag of a record is only told to a key that may read the record', async () => {
  const { path } = await newRecord();
  const other = await service.key({ onlyNames: ['elsewhere'] });
  expect(refusal(await request('GET', path, undefined, other.text))).toBe('404 not_found');
  const stranger = await service.key({ team: 'second' });
  expect(refusal(await request('GET', path, undefined, stranger.text))).toBe('404 no_zone');
});

test.each(['record', 'records', 'zone', 'zone file'])(
  'a GET with If-None-Match is answered 304 without a body as long as the %s stays',
  async (of) => {
    const { path: record } = await newRecord();
    const path = { record, records, zone: at, 'zone file': `${at}/zonefile` }[of] as string;
    const etag = await read(path);
    const again = (tags: string) => request('GET', path, undefined, undefined, { 'if-none-match': tags });
    const same = await again(`"x", W/${etag}`);
    expect([same.status, same.text, tagOf(same)]).toEqual([304, '', etag]);
    expect(same.headers).toMatchObject({ vary: 'authorization', 'cache-control': 'private, no-cache' });
    expect((await again('*')).status).toBe(304);
    const comment = String(names);
    const [method, target, body] =
      of === 'zone' ? (['PATCH', at, { comment }] as const) : (['PUT', record, null] as const);
    const stored = await request('GET', record);
    await request(method, target, body ?? { ...stored.body, comment });
    const changed = await again(etag);
    // A zone file has no comments of records in it, but its state is another one.
    expect([changed.status, tagOf(changed) === etag]).toEqual([200, false]);
    expect(refusal(await send('GET', path, undefined, etag))).toBe('412 precondition_failed');
    expect((await send('GET', path, undefined, tagOf(changed))).status).toBe(200);
  },
);

test('a change with If-Match is made if one of the tags is that of the record', async () => {
  const { path, value, etag } = await newRecord();
  const next = { ...value, content: '"next"' };
  const done = await send('PUT', path, next, `${STALE} ,, ${etag}`);
  expect([done.status, done.body.content]).toEqual([200, '"next"']);
  expect((await send('PUT', path, value, '*')).status).toBe(200);
  expect((await send('DELETE', path, undefined, etag)).status).toBe(204);
  expect(refusal(await send('DELETE', path, undefined, etag))).toBe('404 not_found');
});

test('a change with If-Match is answered 412 with the present record and its ETag if it is another one, and nothing is written', async () => {
  const { path, id, value, etag } = await newRecord();
  const present = await request('PUT', path, { ...value, content: '"theirs"' });
  const before = await serial();
  for (const [method, body] of [['PUT', { ...value, content: '"mine"' }] as const, ['DELETE', undefined] as const]) {
    const refused = await send(method, path, body, etag);
    expect(refusal(refused)).toBe('412 precondition_failed');
    expect(refused.body).toMatchObject({ field: 'If-Match', etag: tagOf(present), current: present.body });
    expect([tagOf(refused), String(refused.body.message)]).toEqual([
      tagOf(present),
      expect.stringMatching(/Read it again/),
    ]);
  }
  expect((await request('GET', path)).body).toMatchObject({ id, content: '"theirs"' });
  expect(await serial()).toBe(before);
});

test('a change with If-Match never succeeds with a weak tag', async () => {
  const { path, value, etag } = await newRecord();
  const weak = await send('PUT', path, { ...value, ttl: 60 }, `W/${etag}`);
  expect(refusal(weak)).toBe('412 precondition_failed');
  expect(JSON.stringify(weak.body)).toContain('a weak ETag never matches');
});

test.each(['', 'abc', '"a" "b"', '"open', 'w/"a"', '*, "a"', ',', '"a"b'])(
  'a change with If-Match is refused if the header is %j',
  async (text) => {
    const { path, value } = await newRecord();
    const refused = await send('PUT', path, { ...value, ttl: 60 }, text);
    expect([refusal(refused), refused.body.field]).toEqual(['400 bad_request', 'If-Match']);
    const batch = { changes: [{ action: 'update', id: 'rec_1', record: value, ifMatch: text }] };
    expect((await request('POST', `${records}:batch`, batch)).body.field).toBe('changes.0.ifMatch');
  },
);

test('a change with If-None-Match: * finds that the record exists', async () => {
  const { path, value } = await newRecord();
  const refused = await request('PUT', path, { ...value, ttl: 60 }, undefined, { 'if-none-match': '*' });
  expect([refusal(refused), refused.body.field]).toEqual(['412 precondition_failed', 'If-None-Match']);
});

test('a change with If-None-Match and a tag finds the state that the client knows', async () => {
  const { path, value, etag } = await newRecord();
  const change = (tags: string) => request('PUT', path, { ...value, ttl: 60 }, undefined, { 'if-none-match': tags });
  for (const tags of [etag, `${STALE}, ${etag}`]) expect(refusal(await change(tags))).toBe('412 precondition_failed');
  expect((await change(STALE)).status).toBe(200);
});

test('a condition is judged after the rights, and before the form', async () => {
  const { path, value, etag } = await newRecord();
  await request('PUT', path, { ...value, ttl: 61 });
  const reader = await service.key({ records: 'read', manageZones: 'read' });
  expect(refusal(await send('PUT', path, value, etag, reader.text))).toBe('403 forbidden');
  expect(refusal(await send('POST', records, value, STALE, reader.text))).toBe('403 forbidden');
  expect(refusal(await send('POST', `${at}/park`, undefined, STALE, reader.text))).toBe('403 forbidden');
  expect(refusal(await send('PUT', path, { ...value, content: 'a"b' }, etag))).toBe('412 precondition_failed');
});

const own = async () => {
  const made = await service.zone();
  const { id } = await service.record(made, 'www', 'A', '192.0.2.1');
  await request('DELETE', `/zones/${made.id}/records/${id}`);
  const [{ id: change }] = (await request('GET', `/zones/${made.id}/changes`)).body.changes as [{ id: number }];
  return { path: `/zones/${made.id}`, id, change };
};
type Own = Awaited<ReturnType<typeof own>>;
const record = { name: 'www', type: 'A', content: '192.0.2.2' };
const file = { 'content-type': 'text/dns' };
/** [operation, whether the tag is that of the zone, method, the end of the path, body, headers] */
const changes: [string, 'zone' | 'records', Method, string, (of: Own) => unknown, Record<string, string>?][] = [
  ['createRecord', 'records', 'POST', '/records', () => record],
  ['applyBatch', 'records', 'POST', '/records:batch', () => ({ changes: [{ action: 'create', record }] })],
  [
    'applyRecords',
    'records',
    'POST',
    '/records:apply',
    () => ({ sets: [{ owner: 'k8s:a/b', name: 'www', type: 'A', values: [{ content: '192.0.2.3' }] }] }),
  ],
  ['importZoneFile', 'records', 'PUT', '/zonefile', () => 'www A 192.0.2.4\n', file],
  ['undoChanges', 'records', 'POST', '/changes:undo', ({ change }) => ({ changes: [change] })],
  ['restoreRecords', 'records', 'POST', ':restore', () => ({ at: new Date().toISOString() })],
  ['updateZone', 'zone', 'PATCH', '', () => ({ comment: 'another' })],
  ['beginKeyRoll', 'zone', 'POST', '/keys/roll', () => ({})],
  ['parkZone', 'zone', 'POST', '/park', () => undefined],
  ['unparkZone', 'zone', 'POST', '/unpark', () => undefined],
  ['chooseZoneSecondaries', 'zone', 'PUT', '/secondaries', () => ({ secondaries: [] })],
  ['deleteZone', 'zone', 'DELETE', '', () => undefined],
];

test.each(changes)(
  'every change of a zone and of its records: %s is refused unless the state is the one that was read',
  async (_, of, method, end, bodyOf, headers = {}) => {
    const made = await own();
    const { path } = made;
    const body = bodyOf(made);
    const state = of === 'zone' ? path : `${path}/records`;
    const stale = await read(state);
    await request('POST', `${path}/records`, { name: 'other', type: 'A', content: '192.0.2.9' });
    const before = await serial(path);
    const refused = await request(method, `${path}${end}`, body, undefined, { ...headers, 'if-match': stale });
    const etag = await read(state);
    expect(refusal(refused)).toBe('412 precondition_failed');
    // The form of an answer to GET, such as the status of the zone, is not part of the state.
    expect(etag.replace(/\.[\w-]+"$/, '"')).toBe(tagOf(refused));
    expect(await serial(path)).toBe(before);
    const done = await request(method, `${path}${end}`, body, undefined, { ...headers, 'if-match': etag });
    expect(done.status, done.text).toBeLessThan(300);
  },
);

test('the OpenAPI document says of every change of a zone and of its records that it can be answered 412', async () => {
  const document = (await request('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>;
  };
  const conditional = Object.values(document.paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, { operationId, responses }]) =>
      method !== 'get' && responses['412'] ? [operationId] : [],
    ),
  );
  expect(conditional.sort()).toEqual([...changes.map(([id]) => id), 'deleteRecord', 'replaceRecord'].sort());
});

test('the zone file has a tag, and a new record, comment or owner changes it', async () => {
  const { path } = await own();
  const tags = [await read(`${path}/zonefile`)];
  const made = await request('POST', `${path}/records`, record);
  tags.push(await read(`${path}/zonefile`));
  await request('PUT', `${path}/records/${made.body.id}`, { ...record, comment: 'a comment alone' });
  tags.push(await read(`${path}/zonefile`));
  const sets = [
    { owner: 'k8s:a/b', name: 'www', type: 'A', values: [{ content: record.content }], adopt: 'IfIdentical' },
  ];
  const adopted = await request('POST', `${path}/records:apply`, { sets });
  expect(adopted.body.results).toMatchObject([{ status: 200 }]);
  tags.push(await read(`${path}/zonefile`));
  expect(new Set(tags).size).toBe(4);
  const put = (tag: string) =>
    request('PUT', `${path}/zonefile`, 'www A 192.0.2.7\n', undefined, { ...file, 'if-match': tag });
  expect(refusal(await put(tags[2] ?? ''))).toBe('412 precondition_failed');
  expect((await put(tags[3] ?? '')).status).toBe(200);
});

interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
}

test('a change of a batch with ifMatch is judged after the changes before it, and its refusal has the present record', async () => {
  const [one, two] = [await newRecord(), await newRecord()];
  const update = (of: typeof one, content: string, ifMatch: string) => {
    return { action: 'update', id: of.id, record: { ...of.value, content }, ifMatch };
  };
  const changes = [
    update(one, '"a"', one.etag),
    update(one, '"b"', one.etag),
    { action: 'delete', id: two.id, ifMatch: STALE },
  ];
  const { body } = await request('POST', `${records}:batch`, { atomic: false, changes });
  const current = { id: one.id, content: '"a"' };
  const error = { status: 412, error: 'precondition_failed', field: 'ifMatch' };
  expect(body.results).toMatchObject([
    { status: 200 },
    { ...error, etag: await read(one.path), current },
    { ...error, etag: two.etag, current: { id: two.id } },
  ]);
  const atomic = await request('POST', `${records}:batch`, { changes: [update(two, '"c"', STALE)] });
  expect(atomic.body).toMatchObject({ error: 'precondition_failed', field: 'changes.0.ifMatch', etag: two.etag });
  expect([atomic.status, atomic.headers.etag]).toEqual([412, undefined]);
});

test('a repeated POST gets its first answer, although its condition is no longer true', async () => {
  const headers = { 'idempotency-key': 'conditional', 'if-match': await read(records) };
  const body = { name: 'repeated', type: 'A', content: '192.0.2.1' };
  const first = await request('POST', records, body, undefined, headers);
  const second = await request('POST', records, body, undefined, headers);
  expect([first.status, second.status, second.body, tagOf(second)]).toEqual([201, 201, first.body, tagOf(first)]);
  const park = { 'idempotency-key': 'conditional-park', 'if-match': await read(at) };
  const parked = await request('POST', `${at}/park`, undefined, undefined, park);
  const again = await request('POST', `${at}/park`, undefined, undefined, park);
  expect([parked.status, again.status, again.body]).toEqual([200, 200, parked.body]);
  await request('POST', `${at}/unpark`);
});

test('the answer to a preview of an undo has the tag that binds the undo to it', async () => {
  const { path } = await newRecord();
  await request('DELETE', path);
  const [{ id }] = (await request('GET', `${at}/changes`)).body.changes as [{ id: number }];
  const undo = (dryRun: boolean, headers = {}) =>
    request('POST', `${at}/changes:undo`, { changes: [id], dryRun }, undefined, headers);
  const preview = await undo(true);
  await newRecord();
  expect(refusal(await undo(false, { 'if-match': tagOf(preview) }))).toBe('412 precondition_failed');
  expect((await undo(false, { 'if-match': tagOf(await undo(true)) })).status).toBe(200);
});
