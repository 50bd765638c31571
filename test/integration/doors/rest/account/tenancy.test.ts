// Several teams: a team cannot see the data of another team, and cannot take its names.
import { expect, test } from 'vitest';
import { adminReleaseName } from '#service/zones/quarantine.ts';
import { type Method, refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_QUOTA_ZONES: '5000' } });
const { request } = service;
const zone = await service.zone('tenants.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
const second = await service.key({ team: 'second' });
const records = `/zones/${zone.id}/records`;
const body = { name: 'new', type: 'A', content: '192.0.2.2' };
const own = `org:${second.team}`;
const as = async (key: string, method: Method, path: string, sent?: object) => {
  const reply = await request(method, path, sent, key);
  return reply.status < 300 ? reply.status : refusal(reply);
};

test.each([
  ['get', 'GET', `/zones/${zone.id}`, undefined, '404 not_found'],
  ['change', 'PATCH', `/zones/${zone.id}`, { defaultTtl: 60 }, '404 no_zone'],
  ['delete', 'DELETE', `/zones/${zone.id}`, undefined, '404 no_zone'],
  ['park', 'POST', `/zones/${zone.id}/park`, undefined, '404 no_zone'],
  ['unpark', 'POST', `/zones/${zone.id}/unpark`, undefined, '404 no_zone'],
  ['ds', 'GET', `/zones/${zone.id}/ds`, undefined, '404 no_zone'],
  ['list records', 'GET', records, undefined, '404 no_zone'],
  ['create a record', 'POST', records, body, '404 no_zone'],
  ['update a record', 'PUT', `${records}/${record.id}`, { ...body, name: 'www' }, '404 no_zone'],
  ['delete a record', 'DELETE', `${records}/${record.id}`, undefined, '404 no_zone'],
] as const)("another team's zone does not exist for: %s", async (_, method, path, sent, expected) => {
  expect(await as(second.text, method, path, sent)).toBe(expected);
});

test("another team's zone answers the same for an id of another team and an id that never existed", async () => {
  const text = async (id: string) => (await request('GET', `/zones/${id}/ds`, undefined, second.text)).text;
  expect(await text(zone.id)).toBe(await text('zone_00000000000000000000'));
});

test("another team's zone is in no list and no search", async () => {
  for (const query of ['', '?zoneName=tenants.example', '?limit=1000']) {
    expect((await request('GET', `/zones${query}`, undefined, second.text)).body).toEqual({ zones: [] });
  }
  expect(await as(second.text, 'GET', '/zones?suffix_of=www.tenants.example')).toBe('404 not_found');
});

test.each(['tenants.example', 'TENANTS.example.', 'sub.tenants.example', 'a.b.tenants.example', 'example'])(
  "another team's zone cannot be overlapped: %s is 409, without naming the team",
  async (zoneName) => {
    const reply = await request('POST', '/zones', { zoneName, owner: own }, second.text);
    expect(refusal(reply)).toBe('409 conflict');
    expect(reply.text).not.toContain(service.admin.team);
    expect(reply.text).not.toContain(zone.id);
  },
);

test("another team's zone cannot be overlapped by a team that has more than a thousand zones of its own", async () => {
  // Zones whose names come first in the order of the index, written behind the API because of their number.
  await service.sql`
      insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
      select 'zone_own' || i, ${second.team}, 'a' || i || '.crowd.example', 'example crowd a' || i, 'active', 3600, 1, '{}'
      from generate_series(1, 1001) i`;
  const victim = await service.zone('victim.crowd.example');
  const takeParent = () => request('POST', '/zones', { zoneName: 'crowd.example', owner: own }, second.text);
  const refused = await takeParent();
  expect(refusal(refused)).toBe('409 conflict');
  expect(refused.text).not.toContain('victim');
  expect((await request('DELETE', `/zones/${victim.id}`)).status).toBe(204);
  await adminReleaseName(service.database.url, 'victim.crowd.example', new Date());
  expect((await takeParent()).status).toBe(200);
  await service.sql`delete from zones where id like 'zone_own%' or name = 'crowd.example'`;
});

test("another team's zone does not prevent others from using sibling names", async () => {
  expect(await as(second.text, 'POST', '/zones', { zoneName: 'xtenants.example', owner: own })).toBe(200);
});

test("another team's zone is not accessible through a grant that names it", async () => {
  const key = await service.key({ team: 'second', grants: { [zone.id]: 'write' } });
  expect(await as(key.text, 'GET', records)).toBe('404 no_zone');
  expect(await as(key.text, 'POST', records, body)).toBe('404 no_zone');
});

test("while another team's zone is busy, no other request waits for it or gets busy", async () => {
  // The wait is so long that a request that had to wait would still wait when the others are answered.
  const patient = await service.anotherApi({ busyAfterMs: 60_000 });
  const holder = service.database.connect();
  try {
    await holder`begin`;
    await holder`select 1 from zones where id = ${zone.id} for update`;
    let isAnswered = false;
    const waiting = patient.request('POST', records, { ...body, name: 'waits' }).finally(() => {
      isAnswered = true;
    });
    await expect
      .poll(
        () => service.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      .not.toHaveLength(0);
    const replies = await Promise.all(
      // One replica queues writers in the process, the other at the lock of the zone's row.
      [patient.request, request].flatMap((api) => [
        api('POST', records, body, second.text),
        api('PUT', `${records}/${record.id}`, { ...body, name: 'www' }, second.text),
        api('POST', `/zones/${zone.id}/park`, undefined, second.text),
        api('POST', `${records}:batch`, { changes: [{ action: 'delete', id: record.id }] }, second.text),
      ]),
    );
    expect(replies.map(refusal)).toEqual(replies.map(() => '404 no_zone'));
    expect(isAnswered).toBe(false);
    await holder`rollback`;
    expect((await waiting).status).toBe(201);
  } finally {
    await holder.end();
  }
});

const reach = async (method: Method, path: string, sent?: object, headers?: Record<string, string>) => {
  const reply = await request(method, path, sent, second.text, headers);
  return reply.status < 300 ? reply.body : refusal(reply);
};

test('ids of records do not work for another team, in paths and in batches of a zone of its own', async () => {
  const { id } = await service.zone('hands.test', { id: '', text: second.text, team: second.team });
  const at = `/zones/${id}/records`;
  expect(await reach('DELETE', `${at}/${record.id}`)).toBe('404 not_found');
  expect(await reach('PUT', `${at}/${record.id}`, { ...body, name: 'www' })).toBe('404 not_found');
  expect(await reach('POST', `${at}:batch`, { changes: [{ action: 'delete', id: record.id }] })).toBe('404 not_found');
  const change = { action: 'update', id: record.id, record: { ...body, name: 'www' } };
  const { results } = (await reach('POST', `${at}:batch`, { atomic: false, changes: [change] })) as {
    results: { status: number }[];
  };
  expect(results.map((result) => result.status)).toEqual([404]);
  expect((await request('GET', `${records}?name=www`)).body).toEqual({ records: [record] });
});

test('cursors of lists and of the history do not work for another team', async () => {
  await service.record(zone, 'zz', 'A', '192.0.2.9');
  const { id } = await service.zone('cursors.test', { id: '', text: second.text, team: second.team });
  for (const list of ['records', 'changes']) {
    const { next } = (await request('GET', `/zones/${zone.id}/${list}?limit=1`)).body;
    expect(next).toBeDefined();
    const page = (await reach('GET', `/zones/${id}/${list}?cursor=${next}`)) as Record<string, unknown[]>;
    const names = JSON.stringify(page);
    expect(names).not.toContain('tenants');
    expect(names).not.toContain(record.id);
    expect(await reach('GET', `/zones/${zone.id}/${list}?cursor=${next}`)).toBe('404 no_zone');
  }
  // A second zone of the first team, so that its list of zones has a second page.
  await service.zone('more-tenants.test');
  const { next } = (await request('GET', '/zones?limit=1')).body;
  expect(next).toBeDefined();
  const page = (await reach('GET', `/zones?cursor=${next}`)) as { zones: { zoneName: string }[] };
  const { zones: own } = (await reach('GET', '/zones')) as { zones: { zoneName: string }[] };
  for (const each of page.zones) expect(own.map(({ zoneName }) => zoneName)).toContain(each.zoneName);
  expect(JSON.stringify(page)).not.toContain(zone.id);
});

test('an Idempotency-Key does not work for another team: the stored answer belongs to the key that sent it', async () => {
  const headers = { 'idempotency-key': 'shared-by-chance' };
  expect((await request('POST', records, body, undefined, headers)).status).toBe(201);
  expect(await reach('POST', records, body, headers)).toBe('404 no_zone');
});

test('the history and the zone file do not work for another team', async () => {
  expect(await reach('GET', `/zones/${zone.id}/changes`)).toBe('404 no_zone');
  expect(await reach('GET', `/zones/${zone.id}/zonefile`)).toBe('404 no_zone');
  const file = await request('PUT', `/zones/${zone.id}/zonefile`, 'www A 192.0.2.66\n', second.text, {
    'content-type': 'text/dns',
  });
  expect(refusal(file)).toBe('404 no_zone');
});
