// Quotas of teams and people: every way to add objects stops at the limit, and changes that add nothing stay possible
// above the limit.

import { beforeEach, expect, test } from 'vitest';
import { mustHaveRoom } from '#service/accounts/quota.ts';
import { adminTeamQuota, type QuotaChange } from '#service/accounts/team-quota.ts';
import { openDatabase, type Tx } from '#store/database.ts';
import { sql as drizzleSql } from '#store/drizzle.ts';
import { lockZone, type ZoneRow } from '#store/zones.ts';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ busyAfterMs: 60_000 });
const replica = await service.anotherApi();
const small = await service.anotherApi({
  settings: {
    ZONESTEAD_QUOTA_ZONES: '2',
    ZONESTEAD_QUOTA_RECORDS: '3',
    ZONESTEAD_QUOTA_BYTES: '1Ki',
    ZONESTEAD_QUOTA_KEYS: '4',
    ZONESTEAD_QUOTA_MEMBERS: '5',
  },
});
const { request, sql } = service;
const account = accountApi(service);

let teams = 0;
let key: TestKey;
/** Each test has a team of its own. */
beforeEach(async () => {
  teams += 1;
  key = await service.key({ team: `quota${teams}` });
});
const allow = (numbers: QuotaChange['numbers'], reset = false) =>
  adminTeamQuota(service.database.url, key.team, { reset, numbers }, new Date());
let zones = 0;
const zone = () => service.zone(`quota${++zones}.example`, key);
const post = (to: { id: string }, name: string, content = '192.0.2.1', type = 'A', api = request) =>
  api('POST', `/zones/${to.id}/records`, { name, type, content }, key.text);
const idOf = (reply: Reply) => reply.body.id as string;
const outcome = (reply: Reply) => (reply.status < 300 ? reply.status : refusal(reply));
const batch = (to: { id: string }, changes: object[], atomic: boolean) =>
  request('POST', `/zones/${to.id}/records:batch`, { changes, atomic }, key.text);
const create = (name: string, content = '192.0.2.1') => ({ action: 'create', record: { name, type: 'A', content } });
const quotaOf = async () =>
  ((await request('GET', '/../account', undefined, key.text)).body.team as { quota: Record<string, unknown> }).quota;

test('the quotas are generous by default, and shown to an app key', async () => {
  const to = await zone();
  await post(to, 'www');
  expect(await quotaOf()).toEqual({
    zones: { used: 1, limit: 1_000 },
    records: { used: 1, limit: 500_000 },
    // `www` and `192.0.2.1`.
    bytes: { used: 12, limit: 1_073_741_824 },
    keys: { used: 1, limit: 200 },
    members: { used: 0, limit: 200 },
  });
});

test('the quotas are settings', async () => {
  const reply = await small.request('GET', '/../account', undefined, key.text);
  const { quota } = reply.body.team as { quota: Record<string, { limit: number }> };
  expect(Object.entries(quota).map(([kind, { limit }]) => [kind, limit])).toEqual([
    ['zones', 2],
    ['records', 3],
    ['bytes', 1_024],
    ['keys', 4],
    ['members', 5],
  ]);
  const { user } = (await small.request('GET', '/../account', undefined, (await addPerson(service)).text)).body as {
    user: { quota: object };
  };
  expect(user.quota).toEqual({
    zones: { used: 0, limit: 2 },
    records: { used: 0, limit: 3 },
    bytes: { used: 0, limit: 1_024 },
  });
});

test("the quotas that are set for one team override the service's until they are dropped, and are in the team's history", async () => {
  await allow({ zones: 1 });
  await allow({ records: 7 });
  expect(await quotaOf()).toMatchObject({ zones: { limit: 1 }, records: { limit: 7 }, keys: { limit: 200 } });
  const shown = await allow({}, true);
  expect(shown.quota.zones).toEqual({ used: 0, own: null });
  expect(await quotaOf()).toMatchObject({ zones: { limit: 1_000 }, records: { limit: 500_000 } });
  const rows = await sql`
      select before, after from account_changes where team_id = ${key.team} and action = 'team.quota' order by id`;
  expect(rows.map(({ after }) => [after.zones, after.records])).toEqual([
    [1, null],
    [1, 7],
    [null, null],
  ]);
});

test('the quotas are shown to the members of a team', async () => {
  const member = await addPerson(service, { team: `quota${teams}`, role: 'member' });
  const reply = await account.send(member, 'GET', `/teams/${key.team}`);
  expect(reply.body).toMatchObject({ role: 'member', quota: { members: { used: 1, limit: 200 } } });
});

test('records are limited over all zones of the team; the refusal names the usage, the limit and the person who can raise it', async () => {
  const [one, two] = [await zone(), await zone()];
  await allow({ records: 3 });
  expect([(await post(one, 'a')).status, (await post(two, 'a')).status, (await post(one, 'b')).status]).toEqual([
    201, 201, 201,
  ]);
  const refused = await post(two, 'b');
  expect(refusal(refused)).toBe('403 forbidden');
  expect(refused.body.message).toBe(
    `The team "quota${teams}" has 3 of 3 records, and this change needs 1 more. Delete objects that you no longer need, or ask the administrator of the service to raise the quota (zonestead admin teams quota --records).`,
  );
  expect((await quotaOf()).records).toEqual({ used: 3, limit: 3 });
  await allow({ records: 4 });
  expect((await post(two, 'b')).status).toBe(201);
});

test('records that were deleted in one zone can be added in another one', async () => {
  const [one, two] = [await zone(), await zone()];
  await allow({ records: 2 });
  const first = await post(one, 'a');
  await post(one, 'b');
  expect(refusal(await post(two, 'a'))).toBe('403 forbidden');
  await request('DELETE', `/zones/${one.id}/records/${idOf(first)}`, undefined, key.text);
  expect((await post(two, 'a')).status).toBe(201);
  expect((await request('DELETE', `/zones/${one.id}`, undefined, key.text)).status).toBe(204);
  expect((await post(two, 'b')).status).toBe(201);
  expect(refusal(await post(two, 'c'))).toBe('403 forbidden');
});

test('records above a lowered quota stay and can be changed and deleted, but none can be added', async () => {
  const to = await zone();
  const ids = [idOf(await post(to, 'a')), idOf(await post(to, 'b')), idOf(await post(to, 'c'))];
  await allow({ records: 1, bytes: 5 });
  const put = (id: string | undefined, content: string, name = 'a') =>
    request('PUT', `/zones/${to.id}/records/${id}`, { name, type: 'A', content, ttl: 60 }, key.text);
  expect(outcome(await put(ids[0], '192.0.2.1'))).toBe(200);
  expect(outcome(await put(ids[0], '192.0.2.2'))).toBe(200);
  expect(outcome(await put(ids[0], '192.0.2.222'))).toBe('403 forbidden');
  expect(outcome(await post(to, 'd'))).toBe('403 forbidden');
  const swap = [{ action: 'delete', id: ids[1] }, create('e')];
  expect(outcome(await batch(to, swap, true))).toBe(200);
  expect(outcome(await request('DELETE', `/zones/${to.id}/records/${ids[2]}`, undefined, key.text))).toBe(204);
});

test('records in an atomic batch are all refused when one is too many', async () => {
  const to = await zone();
  await allow({ records: 2 });
  const reply = await batch(to, [create('a'), create('b'), create('c')], true);
  expect(refusal(reply)).toBe('403 forbidden');
  expect(reply.body.message).toMatch(/^changes\.2: The team .* has 2 of 2 records/);
  expect((await quotaOf()).records).toEqual({ used: 0, limit: 2 });
});

test('records in a batch of single changes are accepted in their order until the limit', async () => {
  const to = await zone();
  const old = idOf(await post(to, 'old'));
  await allow({ records: 2 });
  const reply = await batch(
    to,
    [create('a'), create('b'), { action: 'delete', id: old }, create('c'), create('d')],
    false,
  );
  const results = reply.body.results as { status: number; error?: string; message?: string }[];
  expect(results.map(({ status, error }) => error ?? status)).toEqual([201, 'forbidden', 204, 201, 'forbidden']);
  expect((await quotaOf()).records).toEqual({ used: 2, limit: 2 });
});

test('records in a zone file are refused as a whole, and a file without additional records is accepted at the limit', async () => {
  const to = await zone();
  await post(to, 'a');
  await allow({ records: 2 });
  const file = (...names: string[]) => names.map((name) => `${name} A 192.0.2.9`).join('\n');
  const put = (text: string) =>
    request('PUT', `/zones/${to.id}/zonefile`, text, key.text, { 'content-type': 'text/dns' });
  expect(refusal(await put(file('a', 'b', 'c')))).toBe('403 forbidden');
  expect((await quotaOf()).records).toEqual({ used: 1, limit: 2 });
  expect((await put(file('b', 'c'))).status).toBe(200);
  expect((await put(file('d', 'e'))).status).toBe(200);
  expect((await quotaOf()).records).toEqual({ used: 2, limit: 2 });
});

test('records that parallel writers add to several zones at two replicas stop exactly at the limit', async () => {
  const places = await Promise.all(Array.from({ length: 6 }, () => zone()));
  await allow({ records: 100 });
  const apis = [request, replica.request];
  const write = async (i: number): Promise<number | string> => {
    const reply = await post(places[i % 6] as { id: string }, `n${i}`, '192.0.2.1', 'A', apis[i % 2]);
    if (reply.status !== 503) return outcome(reply);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return write(i);
  };
  const outcomes = await Promise.all(Array.from({ length: 160 }, (_, i) => write(i)));
  const counts = Object.groupBy(outcomes, String);
  expect([counts['201']?.length, counts['403 forbidden']?.length]).toEqual([100, 60]);
  expect((await quotaOf()).records).toEqual({ used: 100, limit: 100 });
  const [row] = await sql`
      select count(*)::int as count from records r join zones z on z.no = r.zone_no where z.team_id = ${key.team}`;
  expect(row?.count).toBe(100);
}, 300_000);

test('records cannot be added to two zones at the same time if the quota allows only one more', async () => {
  const [one, two] = [await zone(), await zone()];
  await allow({ records: 1 });
  const { db, close } = openDatabase(service.database.url, { max: 2, lockTimeoutMs: 60_000 });
  const context = { quotas: { zones: 1, records: 1, bytes: 1_000, keys: 1, members: 1 } };
  const growth = { records: 1, bytes: 1 };
  const grow = async (tx: Tx, { id }: { id: string }) =>
    mustHaveRoom(tx, context, (await lockZone(tx, id)) as ZoneRow, growth);
  try {
    let second: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await grow(tx, one);
      second = db
        .transaction((other) => grow(other, two))
        .then(
          () => 'granted',
          (error) => error.message,
        );
      await expect
        .poll(
          async () =>
            (
              await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = ${service.database.name}`
            ).length,
        )
        .toBeGreaterThan(0);
      await tx.build.execute(drizzleSql`update zones set record_count = 1, stored_bytes = 1 where id = ${one.id}`);
    });
    expect(await second).toMatch(/^The team .* has 1 of 1 records/);
  } finally {
    await close();
    await sql`update zones set record_count = 0, stored_bytes = 0 where id = ${one.id}`;
  }
});

test('records count with their octets', async () => {
  const to = await zone();
  await allow({ bytes: 100 });
  expect((await post(to, 'txt', 'x'.repeat(97), 'TXT')).status).toBe(201);
  const refused = await post(to, 'a', '1.1.1.1');
  expect(refusal(refused)).toBe('403 forbidden');
  expect(refused.body.message).toContain('has 100 of 100 bytes of records, and this change needs 8 more');
  expect((await quotaOf()).bytes).toEqual({ used: 100, limit: 100 });
});

test('zones: one above the limit is refused, and can be created after another one was deleted', async () => {
  await allow({ zones: 2 });
  const [first] = [await zone(), await zone()];
  const refused = await request('POST', '/zones', { zoneName: 'toomany.example', owner: `org:${key.team}` }, key.text);
  expect(refusal(refused)).toBe('403 forbidden');
  expect(refused.body.message).toContain('has 2 of 2 zones, and this change needs 1 more');
  await request('DELETE', `/zones/${first.id}`, undefined, key.text);
  await zone();
});

test('zones: parallel creations stop exactly at the limit', async () => {
  await allow({ zones: 3 });
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      (i % 2 ? request : replica.request)(
        'POST',
        '/zones',
        { zoneName: `many${teams}-${i}.example`, owner: `org:${key.team}` },
        key.text,
      ),
    ),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(new Set(replies.filter(({ status }) => status !== 200).map(outcome))).toEqual(new Set(['403 forbidden']));
});

test('personal zones: a person has the same limits as a team', async () => {
  const person = await addPerson(service);
  const send = (zoneName: string) =>
    small.request('POST', '/zones', { zoneName, owner: 'personal' }, person.text).then((reply) => reply);
  const first = await send(`own${teams}a.example`);
  expect([first.status, (await send(`own${teams}b.example`)).status]).toEqual([200, 200]);
  const refused = await send(`own${teams}c.example`);
  expect(refusal(refused)).toBe('403 forbidden');
  expect(refused.body.message).toMatch(/^You have 2 of 2 personal zones/);
  const add = (name: string) =>
    small.request('POST', `/zones/${idOf(first)}/records`, { name, type: 'A', content: '192.0.2.1' }, person.text);
  for (const name of ['a', 'b', 'c']) expect((await add(name)).status).toBe(201);
  expect((await add('d')).body.message).toMatch(/^Your personal zones have 3 of 3 records/);
});

test('keys: new keys, keys registered through acme-dns and keys that become valid again count towards the limit', async () => {
  const owner = await addPerson(service, { team: `quota${teams}` });
  const keys = `/teams/${key.team}/keys`;
  const mint = () => account.send(owner, 'POST', keys, { name: 'app', records: 'read' });
  await zone();
  await allow({ keys: 3 });
  const minted = await mint();
  expect(minted.status).toBe(201);
  const register = () =>
    fetch(`${service.url}/acme/acme-dns/register`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.text}` },
    });
  const registered = await register();
  expect(registered.status).toBe(201);
  expect(outcome(await mint())).toBe('403 forbidden');
  const refused = await register();
  expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
    403,
    expect.stringContaining('has 3 of 3 valid app keys'),
  ]);
  // An expired key does not count, and it can become valid again only if the limit allows it.
  const expired = `${keys}/${idOf(minted)}`;
  await sql`update api_keys set expires_at = now() - interval '1 hour' where id = ${idOf(minted)}`;
  const second = await mint();
  expect(second.status).toBe(201);
  expect(outcome(await account.send(owner, 'PATCH', expired, { expiresAt: null }))).toBe('403 forbidden');
  expect(outcome(await account.send(owner, 'DELETE', `${keys}/${idOf(second)}`))).toBe(204);
  expect(outcome(await account.send(owner, 'PATCH', expired, { expiresAt: null }))).toBe(200);
});

test('keys: parallel requests stop exactly at the limit', async () => {
  const owner = await addPerson(service, { team: `quota${teams}` });
  await allow({ keys: 4 });
  const replies = await Promise.all(
    Array.from({ length: 10 }, () =>
      account.send(owner, 'POST', `/teams/${key.team}/keys`, { name: 'app', records: 'read' }),
    ),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
});

test('members: an invitation cannot be accepted at the limit, and can after the quota allows it again', async () => {
  const owner = await addPerson(service, { team: `quota${teams}` });
  const path = `/teams/${key.team}`;
  const invited = async () => {
    const guest = await addPerson(service);
    const sent = await account.send(owner, 'POST', `${path}/members`, { email: guest.email, role: 'member' });
    return { guest, accept: () => account.send(guest, 'POST', `/invitations/${idOf(sent)}/accept`) };
  };
  const [first, second] = [await invited(), await invited()];
  await allow({ members: 2 });
  expect(outcome(await first.accept())).toBe(200);
  const refused = await second.accept();
  expect(refusal(refused)).toBe('403 forbidden');
  expect(refused.body.message).toContain('has 2 of 2 members');
  expect(outcome(await account.send(first.guest, 'DELETE', `${path}/members/${first.guest.id}`))).toBe(204);
  expect(outcome(await second.accept())).toBe(200);
});

test('keys: the list keeps the newest thousand of the keys that are no longer valid', async () => {
  const owner = await addPerson(service, { team: `quota${teams}` });
  await sql`
      insert into api_keys (id, team_id, name, secret_hash, records, manage_zones, revoked_at)
      select ${`e${teams}`} || i, ${key.team}, 'ended', '', 'none', 'none', now() - i * interval '1 minute'
      from generate_series(1, 1003) i`;
  expect((await account.send(owner, 'POST', `/teams/${key.team}/keys`, { name: 'app', records: 'read' })).status).toBe(
    201,
  );
  const rows = await sql`select id from api_keys where team_id = ${key.team} and revoked_at is not null`;
  const ids = new Set(rows.map(({ id }) => id));
  expect([ids.size, ids.has(`e${teams}1000`), ids.has(`e${teams}1001`)]).toEqual([1_000, true, false]);
});
