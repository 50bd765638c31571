// The app keys of a team over HTTP: create, list, change, revoke; and that a key has exactly the rights of its terms.
import { expect, test } from 'vitest';
import { type Method, refusal } from '../../../support/http/requests.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { request, sql } = service;
const { send, says, dns } = accountApi(service);
const owner = await addPerson(service, { team: 'red' });
const member = await addPerson(service, { team: 'red', role: 'member' });
const stranger = await addPerson(service, { team: 'blue' });
const keys = `/teams/${owner.team}/keys`;
const zone = (await request('POST', '/zones', { zoneName: 'red.example', owner: `org:${owner.team}` }, owner.text))
  .body;
const foreign = await service.zone('first.example');
const HOUR = 3_600_000;

const mint = async (terms: object = {}) => {
  const { status, body } = await send(member, 'POST', keys, { name: 'test', ...terms });
  expect(status).toBe(201);
  return { id: String(body.id), text: String(body.secret), body };
};
const NOTHING = {
  clusters: 'none',
  signals: [],
  records: 'none',
  manageZones: 'none',
  grants: [],
  onlyNames: null,
  onlyTypes: null,
  networks: null,
  zoneWrites: null,
  recordWrites: null,
  expiresAt: null,
};

test('the creation of an app key shows the secret once: in the answer, never again, and stores none of it', async () => {
  const reply = await send(member, 'POST', keys, { name: 'once' });
  expect(reply.status).toBe(201);
  expect(reply.headers['cache-control']).toBe('no-store');
  const { secret, ...shown } = reply.body as { secret: string; id: string };
  expect(secret).toMatch(new RegExp(`^yk_${shown.id}_[0-9a-f]{64}$`));
  expect(shown).toEqual({
    id: expect.any(String),
    name: 'once',
    ...NOTHING,
    mintedBy: { userId: member.id, email: member.email, isMember: true },
    createdAt: expect.any(String),
    revokedAt: null,
    lastUsedAt: null,
    tsig: null,
  });
  expect((await send(member, 'GET', `${keys}/${shown.id}`)).body).toEqual(shown);
  const random = secret.split('_')[2] ?? '';
  for (const path of [keys, `${keys}/${shown.id}`, `/teams/${owner.team}/changes`]) {
    const { text } = await send(member, 'GET', path);
    expect(text).toContain(shown.id);
    expect(text).not.toContain(random);
    expect(text).not.toMatch(/hash/i);
  }
  const tables = await sql`select jsonb_agg(to_jsonb(t))::text as text from (
      select to_jsonb(k) from api_keys k union all select to_jsonb(c) from account_changes c) t`;
  expect(tables[0]?.text).not.toContain(random);
  expect(service.log.join('')).not.toContain(random);
});

test('the creation of an app key takes every term, in the form in which they are compared', async () => {
  const expiresAt = new Date(Date.now() + HOUR).toISOString();
  const { body } = await mint({
    records: 'read',
    manageZones: 'write',
    grants: [{ zoneId: zone.id, records: 'write' }],
    onlyNames: ['_ACME-challenge', '_acme-challenge.*', '_acme-challenge'],
    onlyTypes: ['TXT'],
    networks: ['127.0.0.0/8', '2001:DB8::/32', '192.0.2.7'],
    zoneWrites: 3,
    recordWrites: 7,
    expiresAt: expiresAt.replace('Z', '+00:00'),
  });
  expect(body).toMatchObject({
    records: 'read',
    manageZones: 'write',
    grants: [{ zoneId: zone.id, records: 'write' }],
    onlyNames: ['_acme-challenge', '_acme-challenge.*'],
    onlyTypes: ['TXT'],
    networks: ['127.0.0.0/8', '2001:db8::/32', '192.0.2.7/32'],
    zoneWrites: 3,
    recordWrites: 7,
    expiresAt,
  });
  const { secret: _, ...shown } = body;
  expect((await send(member, 'GET', `${keys}/${body.id}`)).body).toEqual(shown);
});

test.each([
  [{ name: '' }],
  [{ records: 'admin' }],
  [{ manageZones: true }],
  [{ grants: [{ zoneId: 'zone_1' }] }],
  [{ grants: 'all' }],
  [{ onlyNames: [] }],
  [{ onlyNames: ['with space'] }],
  [{ onlyNames: ['bücher'] }],
  [{ onlyNames: ['www.'] }],
  [{ onlyTypes: ['SOA'] }],
  [{ onlyTypes: [] }],
  [{ networks: ['10.0.0.1/8'] }],
  [{ networks: ['10.0.0.0/33'] }],
  [{ networks: ['example.org'] }],
  [{ networks: ['a\0b'] }],
  [{ zoneWrites: 0 }],
  [{ zoneWrites: 11 }],
  [{ recordWrites: 61 }],
  [{ recordWrites: 1.5 }],
  [{ expiresAt: 'tomorrow' }],
  [{ expiresAt: '2020-01-01T00:00:00Z' }],
  [{ expiresAt: '2027-01-01' }],
  [{ secret: 'mine' }],
  [{ teamId: 'team_1' }],
])('the creation of an app key with %j is a bad request and creates nothing', async (terms) => {
  const count = async () => (await sql`select count(*)::int from api_keys`)[0]?.count;
  const before = await count();
  expect(await says(member, 'POST', keys, { name: 'bad', ...terms })).toBe('400 bad_request');
  expect(await count()).toBe(before);
});

test('the creation of an app key with a zone named twice in grants is a bad request', async () => {
  const grants = ['read', 'write'].map((records) => ({ zoneId: zone.id, records }));
  expect(await says(member, 'POST', keys, { name: 'bad', grants })).toBe('400 bad_request');
});

test("the creation of an app key with a grant on another team's zone, a personal zone or none is 404 with one answer", async () => {
  const mine = (await request('POST', '/zones', { zoneName: 'personal.example' }, member.text)).body;
  const answers = await Promise.all(
    [foreign.id, mine.id, 'zone_0', 'a\0b'].map((zoneId) =>
      send(member, 'POST', keys, { name: 'bad', grants: [{ zoneId, records: 'write' }] }),
    ),
  );
  expect(answers.map(refusal)).toEqual(new Array(4).fill('404 no_zone'));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test('the creation of an app key refuses an Idempotency-Key, whose kept answer would keep the secret', async () => {
  const body = { name: 'twice' };
  const reply = await request('POST', `/../account${keys}`, body, member.text, { 'idempotency-key': 'k1' });
  expect(refusal(reply)).toBe('400 bad_request');
});

test('a new key by a member for _acme-challenge TXT does that and nothing else', async () => {
  const www = await request(
    'POST',
    `/zones/${zone.id}/records`,
    { name: 'www', type: 'A', content: '192.0.2.1' },
    owner.text,
  );
  const acme = await mint({
    records: 'write',
    onlyNames: ['_acme-challenge', '_acme-challenge.*'],
    onlyTypes: ['TXT'],
  });
  const records = `/zones/${zone.id}/records`;
  const as = (method: Method, path: string, body?: object) => dns(acme, method, path, body);
  // Its purpose: write only its own names.
  expect(await as('GET', '/zones?suffix_of=www.red.example')).toBe(200);
  const token = { name: '_acme-challenge', type: 'TXT', content: 'token', ttl: 60 };
  const created = await request('POST', records, token, acme.text);
  expect(created.status).toBe(201);
  // It sees the records that it may write.
  const { body } = await request('GET', records, undefined, acme.text);
  expect((body.records as { id: string }[]).map(({ id }) => id)).toEqual([created.body.id]);
  expect((await request('GET', `${records}?name=www`, undefined, acme.text)).body).toEqual({ records: [] });
  expect((await request('GET', `${records}?type=A`, undefined, acme.text)).body).toEqual({ records: [] });
  // Nothing else.
  const no = '403 forbidden';
  expect(await as('POST', records, { name: '_acme-challenge', type: 'A', content: '192.0.2.1' })).toBe(no);
  expect(await as('POST', records, { name: '@', type: 'TXT', content: 'x' })).toBe(no);
  expect(await as('POST', records, { name: 'x-_acme-challenge', type: 'TXT', content: 'x' })).toBe(no);
  expect(await as('PUT', `${records}/${www.body.id}`, { name: 'www', type: 'A', content: '192.0.2.2' })).toBe(no);
  expect(await as('PUT', `${records}/${www.body.id}`, token)).toBe(no);
  expect(await as('DELETE', `${records}/${www.body.id}`)).toBe(no);
  expect(await as('POST', '/zones', { zoneName: 'new.example', owner: `org:${owner.team}` })).toBe(no);
  expect(await as('DELETE', `/zones/${zone.id}`)).toBe(no);
  expect(await as('POST', `/zones/${zone.id}/park`)).toBe(no);
  expect(await as('PATCH', `/zones/${zone.id}`, { defaultTtl: 60 })).toBe(no);
  expect(await says(acme, 'GET', '/teams')).toBe(no);
  expect(await says(acme, 'POST', keys, { name: 'more', records: 'write' })).toBe(no);
  expect(await as('DELETE', `${records}/${created.body.id}`)).toBe(204);
});

test('a new key reads the permitted names a page at a time', async () => {
  const add = (name: string) =>
    request('POST', `/zones/${zone.id}/records`, { name, type: 'TXT', content: 'x' }, owner.text);
  for (const name of ['a_p', 'p1', 'p2', 'axp', 'p%']) await add(name);
  const key = await mint({ records: 'read', onlyNames: ['p*', 'a_p'] });
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await request('GET', `/zones/${zone.id}/records?limit=1${cursor}`, undefined, key.text);
    const records = body.records as { name: string }[];
    expect(records).toHaveLength(1);
    seen.push(...records.map(({ name }) => name));
    if (body.next === undefined) break;
    cursor = `&cursor=${body.next}`;
  }
  // "_" is not a wildcard: axp is not a_p.
  expect(seen).toEqual(['a_p', 'p1', 'p2']);
});

test('a new key for one zone only does not see the others', async () => {
  const other = (await request('POST', '/zones', { zoneName: 'red2.example', owner: `org:${owner.team}` }, owner.text))
    .body;
  const key = await mint({ grants: [{ zoneId: zone.id, records: 'write' }] });
  const { zones } = (await request('GET', '/zones', undefined, key.text)).body as { zones: { id: string }[] };
  expect(zones.map(({ id }) => id)).toEqual([zone.id]);
  expect(await dns(key, 'GET', `/zones/${other.id}/records`)).toBe('404 no_zone');
  expect(await dns(key, 'POST', `/zones/${zone.id}/records`, { name: 'one', type: 'A', content: '192.0.2.1' })).toBe(
    201,
  );
});

test('a new key works only from its networks and until it expires', async () => {
  expect(await dns(await mint({ records: 'read', networks: ['127.0.0.1'] }), 'GET', '/zones')).toBe(200);
  expect(await dns(await mint({ records: 'read', networks: ['192.0.2.0/24'] }), 'GET', '/zones')).toBe(
    '401 unauthorized',
  );
  const soon = await mint({ records: 'read', expiresAt: new Date(Date.now() + HOUR).toISOString() });
  expect(await dns(soon, 'GET', '/zones')).toBe(200);
  await sql`update api_keys set expires_at = expires_at - interval '1 hour' where id = ${soon.id}`;
  expect(await dns(soon, 'GET', '/zones')).toBe('401 unauthorized');
});

test('a new key with a limit of its own is held to it', async () => {
  const key = await mint({ records: 'write', recordWrites: 2 });
  const post = (name: string) =>
    dns(key, 'POST', `/zones/${zone.id}/records`, { name, type: 'A', content: '192.0.2.1' });
  expect([await post('l1'), await post('l2'), await post('l3')]).toEqual([201, 201, '429 rate_limited']);
});

test('a new key is listed with its last use, which is to the minute', async () => {
  const key = await mint({ records: 'read', name: 'listed' });
  const before = Date.now();
  await dns(key, 'GET', '/zones');
  const { body } = await send(owner, 'GET', keys);
  const listed = (body.keys as { id: string; name: string; lastUsedAt: string }[]).find(({ id }) => id === key.id);
  expect(listed?.name).toBe('listed');
  const used = Date.parse(listed?.lastUsedAt ?? '');
  expect([used >= before - 60_000, used <= Date.now()]).toEqual([true, true]);
});

test('changing a key changes the named terms, keeps the rest, and applies from the next request on', async () => {
  const key = await mint({ records: 'write', onlyTypes: ['TXT'], grants: [{ zoneId: zone.id, records: 'read' }] });
  const changed = await send(member, 'PATCH', `${keys}/${key.id}`, {
    name: 'new',
    onlyTypes: null,
    onlyNames: ['a'],
  });
  expect(changed.status).toBe(200);
  const { secret: _, ...before } = key.body;
  expect(changed.body).toEqual({ ...before, name: 'new', onlyTypes: null, onlyNames: ['a'] });
  expect((await send(member, 'GET', `${keys}/${key.id}`)).body).toEqual(changed.body);
  const post = () => dns(key, 'POST', `/zones/${zone.id}/records`, { name: 'a', type: 'A', content: '192.0.2.5' });
  expect(await post()).toBe('403 forbidden');
  expect(await says(member, 'PATCH', `${keys}/${key.id}`, { grants: [] })).toBe(200);
  expect(await post()).toBe(201);
});

test.each([
  [{ records: 'all' }, '400 bad_request'],
  [{ zoneWrites: 1_000_000 }, '400 bad_request'],
  [{ secret: 'x' }, '400 bad_request'],
  [{ grants: [{ zoneId: 'zone_0', records: 'read' }] }, '404 no_zone'],
])('changing a key to %j is %s', async (terms, expected) => {
  const key = await mint();
  expect(await says(member, 'PATCH', `${keys}/${key.id}`, terms)).toBe(expected);
});

test("changes of keys of another team, of a person's key and of a missing one are 404", async () => {
  const theirs = (await send(stranger, 'POST', `/teams/${stranger.team}/keys`, { name: 'theirs' })).body;
  for (const id of [theirs.id, owner.keyId, service.admin.id, '0']) {
    expect(await says(owner, 'GET', `${keys}/${id}`)).toBe('404 not_found');
    expect(await says(owner, 'PATCH', `${keys}/${id}`, { records: 'write' })).toBe('404 not_found');
    expect(await says(owner, 'DELETE', `${keys}/${id}`)).toBe('404 not_found');
  }
  expect(await says(stranger, 'GET', `/teams/${stranger.team}/keys/${theirs.id}`)).toBe(200);
});

test('revoking a key ends it permanently with the next request; it may be repeated and leaves one entry of history', async () => {
  const key = await mint({ records: 'read' });
  expect(await dns(key, 'GET', '/zones')).toBe(200);
  for (let times = 0; times < 2; times += 1) expect(await says(member, 'DELETE', `${keys}/${key.id}`)).toBe(204);
  expect(await dns(key, 'GET', '/zones')).toBe('401 unauthorized');
  expect(await says(member, 'PATCH', `${keys}/${key.id}`, { records: 'write' })).toBe('409 conflict');
  const { body } = await send(member, 'GET', `${keys}/${key.id}`);
  expect(body.revokedAt).toEqual(expect.any(String));
  const told = await sql`select action, key_id from account_changes where subject = ${key.id} order by id`;
  expect(told.map((row) => row.action)).toEqual(['key.mint', 'key.revoke']);
  expect(told[1]?.key_id).toBe(member.keyId);
});
