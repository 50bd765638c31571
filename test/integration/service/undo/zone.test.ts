// POST /zones:restore: a deleted zone comes back as it was, with its DNSSEC key, until the quarantine of its name ends.
import { expect, test } from 'vitest';
import type { Zone } from '#contract/zone.ts';
import { retentionRound } from '#service/retention.ts';
import { adminReleaseName } from '#service/zones/quarantine.ts';
import { openDatabase } from '#store/database.ts';
import { refusal } from '../../../support/http/requests.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone, undoZoneAt } from '../../../support/service/undo.ts';

const service = await startTestService();
const { request, sql, admin } = service;

const remove = async (id: string) => expect((await request('DELETE', `/zones/${id}`)).status).toBe(204);
const restore = (body: object, key = admin, headers: Record<string, string> = {}) =>
  request('POST', '/zones:restore', body, key.text, headers);
const keyOf = async (id: string) => (await sql`select private_key as key from zone_keys where zone_id = ${id}`)[0]?.key;
const keptZones = async () => (await sql`select from deleted_zones`).length;

test('a deleted zone comes back with id, records, owners, comment, state, grants and key, and is served again', async () => {
  const zone = await undoZone(service, 'back.example');
  await zone.add('www', 'A', '192.0.2.1', { ttl: 60, comment: 'the front door' });
  await zone.add('@', 'MX', 'mail.example.net.', { priority: 5 });
  await zone.add('text', 'TXT', '"\\226\\130\\172 and a \\" quote"');
  await zone.own('k8s:prod/shop/web', 'shop', ['192.0.2.7']);
  await request('PATCH', zone.path, { comment: 'ours', defaultTtl: 600, denial: 'NSEC3' });
  const reader = await service.key({ records: 'none', manageZones: 'none', grants: { [zone.id]: 'read' } });
  const [records, key, owners] = [
    await zone.records(),
    await keyOf(zone.id),
    (await request('GET', `${zone.path}/owners`)).body,
  ];
  const before = (await request('GET', zone.path)).body as unknown as Zone;
  await remove(zone.id);
  expect(await service.dns.lookup('www.back.example', 'A')).toMatchObject({ rcode: 'REFUSED' });
  const preview = await restore({ zoneName: 'Back.Example.', dryRun: true });
  expect([preview.status, preview.body]).toEqual([
    200,
    {
      dryRun: true,
      zoneName: 'back.example',
      zoneId: zone.id,
      deletedAt: expect.stringMatching(/Z$/),
      until: expect.stringMatching(/Z$/),
      records: 4,
      keyTag: before.ds[0]?.keyTag,
    },
  ]);
  expect((await request('GET', zone.path)).status).toBe(404);
  const reply = await restore({ zoneName: 'back.example' });
  expect(reply.status).toBe(201);
  const after = (await request('GET', zone.path)).body as unknown as Zone;
  expect(reply.body).toEqual(after);
  expect(after).toEqual({ ...before, serial: after.serial, updatedAt: after.updatedAt });
  expect(after.serial).toBeGreaterThan(before.serial);
  expect(await zone.records()).toEqual(records);
  expect((await request('GET', `${zone.path}/owners`)).body).toEqual(owners);
  expect(await keyOf(zone.id)).toBe(key);
  expect((await request('GET', `${zone.path}/records`, undefined, reader.text)).status).toBe(200);
  const [restored, deleted] = await zone.changes();
  expect(restored).toMatchObject({ action: 'zone.restore', undoes: [deleted?.id], serial: after.serial });
  expect(deleted).toMatchObject({ action: 'zone.delete' });
  expect(after.serial).toBeGreaterThan(deleted?.serial ?? 0);
  expect(await keptZones()).toBe(0);
  expect(await sql`select from quarantined_names where name = 'back.example'`).toHaveLength(0);
  // The DS that the parent has had all along is still the right anchor.
  const [ds] = before.ds;
  const anchor = { ds: [ds?.keyTag, ds?.algorithm, ds?.digestType, ds?.digest].join(' ') };
  const valid = await service.dns.delv('back.example', 'www.back.example', 'A', anchor);
  expect(valid).toMatchObject({ state: 'secure', records: ['www.back.example. 60 IN A 192.0.2.1'] });
  // The operator finds its own set, and says the same again without a change.
  const serial = await zone.serial();
  await zone.own('k8s:prod/shop/web', 'shop', ['192.0.2.7']);
  expect(await zone.serial()).toBe(serial);
});

test('a right that a person took from a key since the deletion does not come back, and one that does is in the history', async () => {
  const zone = await undoZone(service, 'rights.example');
  const person = await addPerson(service, { team: 'first' });
  const { send } = accountApi(service);
  const grants = { [zone.id]: 'write' } as const;
  const none = { records: 'none', manageZones: 'none' } as const;
  const [stripped, renamed, untouched] = [
    await service.key({ ...none, grants }),
    await service.key({ ...none, grants }),
    await service.key({ ...none, grants }),
  ];
  const home = `/teams/${person.team}`;
  const match = { sub: 'someone' };
  const terms = {
    name: 'robots',
    issuer: 'https://robots.example',
    match,
    grants: [{ zoneId: zone.id, records: 'write' }],
  };
  const trust = (await send(person, 'POST', `${home}/trusts`, terms)).body.id as string;
  await remove(zone.id);
  const changed = [
    await send(person, 'PATCH', `${home}/keys/${stripped.id}`, { records: 'read', grants: [] }),
    await send(person, 'PATCH', `${home}/keys/${stripped.id}`, { records: 'none' }),
    await send(person, 'PATCH', `${home}/keys/${renamed.id}`, { name: 'renamed', recordWrites: 5 }),
    await send(person, 'PATCH', `${home}/trusts/${trust}`, { onlyTypes: ['TXT'] }),
  ];
  expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await restore({ zoneName: 'rights.example' })).status).toBe(201);
  const statusOf = async ({ text }: { text: string }) =>
    (await request('POST', `${zone.path}/records`, { name: text.slice(3, 9), type: 'A', content: '192.0.2.1' }, text))
      .status;
  expect([await statusOf(stripped), await statusOf(renamed), await statusOf(untouched)]).toEqual([404, 201, 201]);
  expect((await send(person, 'GET', `${home}/trusts/${trust}`)).body.grants).toEqual([]);
  const { changes } = (await send(person, 'GET', `${home}/changes`)).body as {
    changes: { action: string; subject: string; before: object; after: object }[];
  };
  const restored = [{ zoneId: zone.id, records: 'write' }];
  for (const { id } of [renamed, untouched]) {
    expect(changes.find(({ subject }) => subject === id)).toMatchObject({
      action: 'key.change',
      before: { grants: [] },
      after: { grants: restored },
    });
  }
  expect(changes.find(({ subject }) => subject === stripped.id)?.after).toMatchObject({ grants: [] });
});

test('a restored zone can be changed, undone, deleted and restored again', async () => {
  const zone = await undoZone(service, 'twice.example');
  const id = await zone.add('www', 'A', '192.0.2.1');
  await zone.drop(id);
  const [dropped] = await zone.ids();
  for (let round = 0; round < 2; round += 1) {
    await remove(zone.id);
    expect((await restore({ zoneName: 'twice.example' })).status).toBe(201);
  }
  await zone.undone({ changes: [dropped] });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1']);
  await zone.add('more', 'A', '192.0.2.2');
  expect(await zone.records()).toHaveLength(2);
});

test('a zone that exists again must be deleted first, and then the earlier one is named by its id', async () => {
  const first = await undoZone(service, 'again.example');
  await first.add('old', 'A', '192.0.2.1');
  await remove(first.id);
  const second = await undoZone(service, 'again.example');
  const refused = await restore({ zoneName: 'again.example' });
  expect(refusal(refused)).toBe('409 conflict');
  for (const id of [first.id, second.id]) expect(refused.body.message).toContain(id);
  expect(refusal(await restore({ zoneName: 'again.example', dryRun: true }))).toBe('409 conflict');
  await remove(second.id);
  const last = await restore({ zoneName: 'again.example', dryRun: true });
  expect(last.body).toMatchObject({ zoneId: second.id, records: 0 });
  const back = await restore({ zoneName: 'again.example', zoneId: first.id });
  expect([back.status, back.body.id]).toEqual([201, first.id]);
  expect(await first.records()).toEqual(['old A 3600 192.0.2.1']);
});

test('only the owner restores a zone, with the right to manage zones', async () => {
  const zone = await undoZone(service, 'mine.example');
  await remove(zone.id);
  const foreign = await service.key({ team: 'second' });
  const reader = await service.key({ manageZones: 'read' });
  for (const dryRun of [true, false]) {
    expect(refusal(await restore({ zoneName: 'mine.example', dryRun }, foreign))).toBe('404 not_found');
    expect(refusal(await restore({ zoneName: 'mine.example', dryRun }, reader))).toBe('403 forbidden');
    expect(refusal(await restore({ zoneName: 'never.example', dryRun }))).toBe('404 not_found');
    expect(refusal(await restore({ zoneName: 'not a name', dryRun }))).toBe('400 bad_request');
  }
  for (const body of [{}, { zoneName: 'mine.example', zoneId: 7 }, { zoneName: 'mine.example', more: 1 }])
    expect(refusal(await restore(body))).toBe('400 bad_request');
  const person = await addPerson(service, { team: 'first' });
  expect((await restore({ zoneName: 'mine.example' }, person)).status).toBe(201);
});

test('a zone that was created below since then must not hide records of the restored one', async () => {
  const zone = await undoZone(service, 'above.example');
  await zone.add('www.sub', 'A', '192.0.2.1');
  await remove(zone.id);
  const child = await service.zone('sub.above.example');
  const refused = await restore({ zoneName: 'above.example' });
  expect([refusal(refused), refused.body.message]).toEqual(['409 conflict', expect.stringContaining('www.sub')]);
  await remove(child.id);
  expect((await restore({ zoneName: 'above.example' })).status).toBe(201);
});

test('a name that another owner has taken since then, or one above or below it, is not taken back', async () => {
  const other = await service.key({ team: 'other' });
  const zone = await undoZone(service, 'taken.suffix.example');
  await remove(zone.id);
  const refused = async () => {
    const reply = await restore({ zoneName: 'taken.suffix.example' });
    return [refusal(reply), reply.body.message];
  };
  // An owner keeps a limited number of names, and the oldest are let go.
  const letGo = () => sql`delete from quarantined_names`;
  await letGo();
  for (const name of ['taken.suffix.example', 'www.taken.suffix.example', 'suffix.example']) {
    const body = { zoneName: name, owner: `org:${other.team}` };
    const { id } = (await request('POST', '/zones', body, other.text)).body;
    expect([name, ...(await refused())]).toEqual([name, '409 conflict', expect.stringMatching(/overlap/)]);
    expect((await request('DELETE', `/zones/${id}`, undefined, other.text)).status).toBe(204);
    // Now the name is kept for the other one, and the refusal does not name it.
    expect([name, ...(await refused())]).toEqual([name, '409 conflict', expect.stringMatching(/until 20/)]);
    expect((await refused())[1]).not.toContain(other.team);
    await letGo();
  }
  expect((await restore({ zoneName: 'taken.suffix.example' })).status).toBe(201);
});

test('a name that zones may not have any more is not brought back', async () => {
  const free = await service.anotherApi({
    settings: { ZONESTEAD_PUBLIC_SUFFIXES: 'allow', ZONESTEAD_RESERVED_NAMES: 'allow' },
  });
  const strict = await service.anotherApi({
    settings: { ZONESTEAD_PUBLIC_SUFFIXES: 'refuse', ZONESTEAD_RESERVED_NAMES: '' },
  });
  for (const zoneName of ['co.uk', 'home.arpa']) {
    const created = await free.request('POST', '/zones', { zoneName, owner: `org:${admin.team}` });
    expect(created.status).toBe(200);
    await free.request('DELETE', `/zones/${created.body.id}`);
    const again = await strict.request('POST', '/zones', { zoneName, owner: `org:${admin.team}` });
    const refused = await strict.request('POST', '/zones:restore', { zoneName });
    expect([zoneName, refused.status, refused.body]).toEqual([zoneName, again.status, again.body]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect((await free.request('POST', '/zones:restore', { zoneName })).status).toBe(201);
  }
});

test('a zone below another one is delegated again, with the same DS', async () => {
  const parent = await service.zone('tree.example');
  const child = await undoZone(service, 'kid.tree.example');
  const before = await service.dns.lookup('kid.tree.example', 'DS');
  expect(before.answers.length).toBeGreaterThan(0);
  await remove(child.id);
  expect(await service.dns.lookup('kid.tree.example', 'DS')).toMatchObject({ rcode: 'NXDOMAIN' });
  await restore({ zoneName: 'kid.tree.example' });
  expect((await service.dns.lookup('kid.tree.example', 'DS')).answers).toEqual(before.answers);
  await request('DELETE', `/zones/${child.id}`);
  await request('DELETE', `/zones/${parent.id}`);
});

test('the quota of zones and of records applies', async () => {
  const key = await service.key({ team: 'poor' });
  const create = (zoneName: string) => request('POST', '/zones', { zoneName, owner: `org:${key.team}` }, key.text);
  const { id } = (await create('one.poor.example')).body;
  await request('POST', `/zones/${id}/records`, { name: 'www', type: 'A', content: '192.0.2.1' }, key.text);
  await request('DELETE', `/zones/${id}`, undefined, key.text);
  await create('two.poor.example');
  await sql`update teams set quota_zones = 1 where id = ${key.team}`;
  expect(refusal(await restore({ zoneName: 'one.poor.example' }, key))).toBe('403 forbidden');
  await sql`update teams set quota_zones = 5, quota_records = 0 where id = ${key.team}`;
  expect(refusal(await restore({ zoneName: 'one.poor.example' }, key))).toBe('403 forbidden');
  await sql`update teams set quota_records = 1 where id = ${key.team}`;
  expect((await restore({ zoneName: 'one.poor.example' }, key)).status).toBe(201);
});

test('the deleted zones of an owner take no more room than its quota: the oldest are dropped', async () => {
  const key = await service.key({ team: 'heaps' });
  await sql`update teams set quota_records = 3 where id = ${key.team}`;
  for (const name of ['one', 'two', 'three']) {
    const body = { zoneName: `${name}.heaps.example`, owner: `org:${key.team}` };
    const { id } = (await request('POST', '/zones', body, key.text)).body;
    for (const at of ['a', 'b'].slice(0, name === 'three' ? 1 : 2))
      await request('POST', `/zones/${id}/records`, { name: at, type: 'A', content: '192.0.2.1' }, key.text);
    await request('DELETE', `/zones/${id}`, undefined, key.text);
  }
  expect(refusal(await restore({ zoneName: 'one.heaps.example' }, key))).toBe('404 not_found');
  expect((await restore({ zoneName: 'two.heaps.example', dryRun: true }, key)).status).toBe(200);
  expect((await restore({ zoneName: 'three.heaps.example', dryRun: true }, key)).status).toBe(200);
});

test('the deleted zones of an owner are at most as many as its quota, or 1,000: the oldest are dropped', async () => {
  const owner = await service.key({ team: 'many-deleted', manageZones: 'write' });
  const zone = await service.zone('many-deleted.example', owner);
  await sql`
    insert into deleted_zones (id, no, team_id, name, tree, state, default_ttl, denial, serial, ds, record_count,
      stored_bytes, secondary_nameservers, created_at, deleted_at, until)
    select 'zone_many' || i, 1000000 + i, ${owner.team}, 'many' || i || '.example', 'example many' || i, 'active', 3600, 'NSEC', 1,
      '{}', 0, 0, '{}', now(), now() - i * interval '1 second', now() + interval '1 hour' from generate_series(1, 1500) i`;
  expect((await service.request('DELETE', `/zones/${zone.id}`, undefined, owner.text)).status).toBe(204);
  const kept = await sql<{ id: string }[]>`
    select id from deleted_zones where team_id = ${owner.team} order by deleted_at desc`;
  expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([1_000, zone.id, 'zone_many999']);
  await sql`delete from deleted_zones where team_id = ${owner.team}`;
});

test('the key and the rows are deleted when the quarantine ends, and when the administrator releases the name', async () => {
  const [ending, released] = [await undoZone(service, 'ending.example'), await undoZone(service, 'released.example')];
  for (const zone of [ending, released]) {
    await zone.add('www', 'A', '192.0.2.1');
    await remove(zone.id);
  }
  await adminReleaseName(service.database.url, 'released.example', new Date());
  expect(refusal(await restore({ zoneName: 'released.example' }))).toBe('404 not_found');
  expect(await sql`select from deleted_zones where name = 'released.example'`).toHaveLength(0);
  const { db, close } = openDatabase(service.database.url, { max: 1, name: 'retention' });
  try {
    const settings = { historyMs: 400 * 86_400_000, historyBytes: 1e9, answersMs: 86_400_000 };
    const round = (ms: number) =>
      retentionRound({ db, settings, now: () => new Date(Date.now() + ms), pauseMs: 0 }, new AbortController().signal);
    await round(71 * 3_600_000);
    expect(await sql`select origin from deleted_zone_rows where zone_id = ${ending.id} order by origin`).toEqual([
      { origin: 'records' },
      { origin: 'zone_keys' },
    ]);
    await round(73 * 3_600_000);
    expect(await sql`select from deleted_zones where id = ${ending.id}`).toHaveLength(0);
    expect(await sql`select from deleted_zone_rows where zone_id = ${ending.id}`).toHaveLength(0);
  } finally {
    await close();
  }
  expect(refusal(await restore({ zoneName: 'ending.example' }))).toBe('404 not_found');
});

test('the deleted zones are listed for those who could bring them back, the last one first', async () => {
  const key = await service.key({ team: 'listing' });
  const create = async (zoneName: string) =>
    (await request('POST', '/zones', { zoneName, owner: `org:${key.team}` }, key.text)).body.id as string;
  const [first, second] = [await create('first.listing.example'), await create('second.listing.example')];
  await request('POST', `/zones/${second}/records`, { name: 'www', type: 'A', content: '192.0.2.1' }, key.text);
  const single = await service.key({
    team: 'listing',
    records: 'none',
    manageZones: 'none',
    grants: { [first]: 'write' },
  });
  const listed = async (by: typeof key) => {
    const { status, body } = await request('GET', '/zones:deleted', undefined, by.text);
    expect(status).toBe(200);
    return (body.zones as { zoneId: string }[]).map(({ zoneId }) => zoneId);
  };
  const allButFirst = { team: 'listing', records: 'read', grants: { [first]: 'none' } } as const;
  const denied = await service.key({ ...allButFirst, manageZones: 'none' });
  const manager = await service.key({ ...allButFirst, manageZones: 'read' });
  expect(await listed(key)).toEqual([]);
  for (const id of [first, second]) await request('DELETE', `/zones/${id}`, undefined, key.text);
  const { body } = await request('GET', '/zones:deleted', undefined, key.text);
  const preview = (await restore({ zoneName: 'second.listing.example', dryRun: true }, key)).body;
  expect(body.zones).toMatchObject([
    { zoneId: second, owner: `org:${key.team}`, records: 1, deletedAt: preview.deletedAt, until: preview.until },
    { zoneId: first, zoneName: 'first.listing.example', records: 0 },
  ]);
  expect(await listed(await service.key({ team: 'listing', records: 'read', manageZones: 'none' }))).toHaveLength(2);
  // As with zones that are not deleted: the right to manage zones shows all of them.
  expect([await listed(denied), await listed(manager)]).toEqual([[second], [second, first]]);
  for (const other of [single, await service.key({ team: 'second' })]) {
    const ids = await listed(other);
    expect([ids.includes(first), ids.includes(second)]).toEqual([false, false]);
  }
  await sql`update deleted_zones set until = now() where id = ${first}`;
  expect(await listed(key)).toEqual([second]);
  expect(refusal(await restore({ zoneName: 'first.listing.example' }, key))).toBe('404 not_found');
});

test('a repeated request with an Idempotency-Key has the first answer', async () => {
  const zone = await undoZone(service, 'once.example');
  await remove(zone.id);
  const headers = { 'idempotency-key': 'zone-restore-1' };
  const first = await restore({ zoneName: 'once.example' }, admin, headers);
  const again = await restore({ zoneName: 'once.example' }, admin, headers);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
});

test('several restores at once bring one zone back', async () => {
  const zone = await undoZone(service, 'race.example');
  await zone.add('www', 'A', '192.0.2.1');
  await remove(zone.id);
  const replies = await Promise.all(Array.from({ length: 5 }, () => restore({ zoneName: 'race.example' })));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const reply of replies) if (reply.status !== 201) expect(refusal(reply)).toMatch(/^(404|409|503) /);
  expect(await undoZoneAt(service, zone.id).records()).toEqual(['www A 3600 192.0.2.1']);
});
