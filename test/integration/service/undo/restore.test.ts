// POST /zones/{id}:restore: the records of a zone become as they were at a time, all or nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { fillWithLargeRecords } from '../../../support/service/hostile-files.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { startTestService } from '../../../support/service/service.ts';
import { type UndoZone, undoZone } from '../../../support/service/undo.ts';

const service = await startTestService({ nameserver: false });
const { request, sql } = service;

/** A time after all changes so far and before all later ones, by the clock of the database. */
async function moment(): Promise<string> {
  await sleep(3);
  const [row] = await sql<{ now: Date | string }[]>`select now() as now`;
  await sleep(3);
  return new Date(row?.now ?? 0).toISOString();
}

/** Changes of every kind. */
async function mess(zone: UndoZone, ids: readonly string[]): Promise<void> {
  const [updated = '', deleted = '', exchangedA = '', exchangedB = ''] = ids;
  await zone.put(updated, { name: 'www', type: 'A', content: '192.0.2.99', ttl: 60, comment: 'changed' });
  await zone.drop(deleted);
  // One record gets the value that the other one had.
  await zone.put(exchangedA, { name: 'pair', type: 'A', content: '192.0.2.30' });
  await zone.put(exchangedB, { name: 'pair', type: 'A', content: '192.0.2.10' });
  await zone.add('new', 'CNAME', 'elsewhere.example.');
  const passing = await zone.add('passing', 'TXT', '"came and went"');
  await zone.drop(passing);
}

async function filled(): Promise<{ zone: UndoZone; ids: string[] }> {
  const zone = await undoZone(service);
  const ids = [
    await zone.add('www', 'A', '192.0.2.1', { comment: 'the front door' }),
    await zone.add('@', 'MX', 'mail.example.net.', { priority: 5, ttl: 120 }),
    await zone.add('pair', 'A', '192.0.2.10'),
    await zone.add('pair', 'A', '192.0.2.20'),
    await zone.add('same', 'TXT', '"stays"'),
  ];
  return { zone, ids };
}

test('all records become as they were, with their ids, TTLs and comments, and the history says so', async () => {
  const { zone, ids } = await filled();
  const before = await zone.records();
  const at = await moment();
  await mess(zone, ids);
  const after = await zone.records();
  const preview = await zone.restored({ at, dryRun: true });
  expect(preview.differences.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
    '@ MX',
    'new CNAME',
    'pair A',
    'www A',
  ]);
  expect([preview.conflicts, await zone.records(), preview.serial]).toEqual([[], after, await zone.serial()]);
  const answer = await zone.restored({ at });
  expect(answer).toEqual({ ...preview, dryRun: false, serial: await zone.serial() });
  expect(await zone.records()).toEqual(before);
  const [change] = await zone.changes();
  expect(change).toMatchObject({ restoredTo: at, serial: answer.serial });
  const rows = (await request('GET', `${zone.path}/records`)).body.records as { id: string }[];
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('a restore is undone by a restore to the time before it', async () => {
  const { zone, ids } = await filled();
  const at = await moment();
  await mess(zone, ids);
  const [after, later] = [await zone.records(), await moment()];
  await zone.restored({ at });
  await zone.restored({ at: later });
  expect(await zone.records()).toEqual(after);
  const [change] = await zone.changes();
  expect(change).toMatchObject({ restoredTo: later });
});

test('a restore to the same time again writes nothing', async () => {
  const { zone, ids } = await filled();
  const at = await moment();
  await mess(zone, ids);
  const { serial } = await zone.restored({ at });
  const count = (await zone.ids()).length;
  expect(await zone.restored({ at })).toMatchObject({ serial, differences: [], total: { differences: 0 } });
  expect([await zone.serial(), (await zone.ids()).length]).toEqual([serial, count]);
});

test('the time that the history shows for a change is the time after it', async () => {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  const [created] = await zone.changes();
  await moment();
  await zone.drop(id);
  await zone.restored({ at: created?.at });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1']);
});

test('the zone itself stays as it is: state, default TTL and comment', async () => {
  const zone = await undoZone(service);
  await zone.drop(await zone.add('www', 'A', '192.0.2.1'));
  const keep = await zone.add('keep', 'A', '192.0.2.2');
  const at = await moment();
  await request('PATCH', zone.path, { defaultTtl: 300, comment: 'mine' });
  await zone.drop(keep);
  await request('POST', `${zone.path}/park`);
  await zone.restored({ at });
  expect(await zone.records()).toEqual(['keep A 300 192.0.2.2']);
  expect((await request('GET', zone.path)).body).toMatchObject({ state: 'parked', defaultTtl: 300, comment: 'mine' });
});

test('a name that a zone below has taken since then is a conflict', async () => {
  const zone = await undoZone(service, 'parent-of-restored.example');
  const id = await zone.add('www.sub', 'A', '192.0.2.1');
  const at = await moment();
  await zone.drop(id);
  await service.zone('sub.parent-of-restored.example');
  const { conflicts } = await zone.restored({ at, dryRun: true });
  expect(conflicts).toMatchObject([{ name: 'www.sub', message: expect.stringContaining('sub.parent-of-restored') }]);
  expect(refusal(await zone.restore({ at }))).toBe('409 conflict');
});

test('a restore needs the right to write all records', async () => {
  const zone = await undoZone(service);
  const at = await moment();
  for (const dryRun of [true, false]) {
    const body = { at, dryRun };
    expect(refusal(await zone.restore(body, await service.key({ onlyTypes: ['TXT'] })))).toBe('403 forbidden');
    expect(refusal(await zone.restore(body, await service.key({ records: 'read' })))).toBe('403 forbidden');
    expect(refusal(await zone.restore(body, await service.key({ team: 'second' })))).toBe('404 no_zone');
  }
});

test('a restore refuses times that are wrong, in the future, before the zone, or beyond the history', async () => {
  const zone = await undoZone(service);
  const refused = async (at: unknown) => {
    const reply = await zone.restore({ at });
    return `${refusal(reply)} ${reply.body.message}`;
  };
  expect(await refused('yesterday')).toContain('400 bad_request at: must be a time in ISO 8601');
  expect(await refused(undefined)).toContain('400 bad_request at:');
  expect(await refused(new Date(Date.now() + 60_000).toISOString())).toMatch(/^400 bad_request at: .*later than now/);
  expect(await refused('2020-01-01T00:00:00Z')).toMatch(/^400 bad_request at: .*the zone was created at/);
  const early = await moment();
  const late = await moment();
  await sql`delete from changes where zone_id = ${zone.id}`;
  await sql`insert into history_pruned (kind, owner, at) values ('zones', ${service.admin.team}, ${early}::timestamptz)`;
  expect(await refused(early)).toMatch(/^400 bad_request at: .*complete only after .*ZONESTEAD_HISTORY_DAYS/);
  expect((await zone.restore({ at: late, dryRun: true })).status).toBe(200);
  const since = { keyId: service.admin.id, since: early };
  expect(refusal(await zone.undo(since))).toBe('400 bad_request');
  await sql`delete from history_pruned`;
});

test('a repeated request with an Idempotency-Key has the first answer', async () => {
  const { zone, ids } = await filled();
  const at = await moment();
  await mess(zone, ids);
  const headers = { 'idempotency-key': 'restore-1' };
  const first = await zone.restore({ at }, undefined, headers);
  await zone.add('later', 'A', '192.0.2.50');
  const again = await zone.restore({ at }, undefined, headers);
  expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  expect(await zone.records()).toContain('later A 3600 192.0.2.50');
});

test('two requests at once with one Idempotency-Key restore once, and have the same answer', async () => {
  const { zone, ids } = await filled();
  const [at, before] = [await moment(), await zone.records()];
  await mess(zone, ids);
  const entries = (await zone.changes()).length;
  const headers = { 'idempotency-key': 'restore-twice' };
  const both = () => zone.restore({ at }, undefined, headers);
  const replies = await Promise.all([both(), both()]);
  // The second one may be refused while the first one runs, and has its answer then.
  for (const { status } of replies) expect([200, 409, 503]).toContain(status);
  const done = replies.find(({ status }) => status === 200);
  expect((await both()).body).toEqual(done?.body);
  for (const reply of replies) if (reply.status === 200) expect(reply.body).toEqual(done?.body);
  expect(await zone.records()).toEqual(before);
  const made = (await zone.changes()).slice(0, -entries);
  expect(new Set(made.map(({ requestId }) => requestId)).size).toBe(1);
});

test('a restore whose records are larger than the limit is refused with a sentence, and writes nothing', {
  timeout: 120_000,
}, async () => {
  const { zone } = await filled();
  const at = await moment();
  // 280 contents of 255,000 characters are more than 64 MiB.
  await fillWithLargeRecords(sql, zone.id, 280);
  const refused = await zone.restore({ at, dryRun: true });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/larger than 64 MiB/)]);
  expect(refusal(await zone.restore({ at }))).toBe('400 bad_request');
  const removed = await sql`delete from records where id like ${`${zone.id}_%`} returning id`;
  expect(removed).toHaveLength(280);
  await sql`delete from changes where zone_id = ${zone.id} and key_id = 'bench'`;
});

test('each record that changes counts as a write, up to half of the limit, and a preview as one', async () => {
  const { zone, ids } = await filled();
  const at = await moment();
  for (const id of ids) await zone.drop(id);
  const left = async (body: object, key: TestKey) => {
    const { status, headers } = await zone.restore(body, key);
    return [status, /r=(\d+)/.exec(String(headers.ratelimit))?.[1]];
  };
  const before = await moment();
  const enough = await service.key({ recordWrites: 10 });
  expect(await left({ at, dryRun: true }, enough)).toEqual([200, '9']);
  expect(await left({ at }, enough)).toEqual([200, '4']);
  // Half of the limit at most, because a restore cannot be split.
  const poor = await service.key({ recordWrites: 4 });
  expect((await zone.restore({ at: before, dryRun: true }, poor)).body.cost).toEqual({ writes: 2, limit: 4 });
  expect(await left({ at: before }, poor)).toEqual([200, '1']);
  expect(await zone.records()).toEqual([]);
  expect(refusal(await zone.restore({ at }, poor))).toBe('429 rate_limited');
});
