// Changes that come between the plan of an undo or a restore and its writing: the plan is made again, and nothing is
// lost.
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone } from '../../../support/service/undo.ts';

const service = await startTestService({ nameserver: false, busyAfterMs: 60_000 });
const { request, sql } = service;
const WEB = 'k8s:prod/shop/web';

async function waiters(): Promise<number> {
  const rows = await sql`select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return rows[0]?.count;
}

/**
 * Sends requests while another transaction holds a lock: the first one waits for the lock, and the others wait behind
 * it. Before the lock is released, `ready` shows that they were planned.
 */
async function whileHeld(
  statement: string,
  asks: readonly (() => Promise<Reply>)[],
  ready: () => Promise<unknown>,
): Promise<Reply[]> {
  const holder = service.database.connect();
  const replies: Promise<Reply>[] = [];
  try {
    await holder.begin(async (tx) => {
      await tx.unsafe(statement);
      for (const ask of asks) {
        replies.push(ask());
        await expect.poll(waiters).toBeGreaterThan(0);
      }
      await ready();
    });
  } finally {
    await holder.end();
  }
  return Promise.all(replies);
}

/**
 * A zone with the record www, which was changed once: the id of the record, and the id and time of its creation and its
 * change.
 */
async function changedZone() {
  const zone = await undoZone(service);
  const id = await zone.add('www', 'A', '192.0.2.1');
  const [created] = await zone.changes();
  await expect
    .poll(async () => (await sql`select now() as now`)[0]?.now.toISOString() > String(created?.at))
    .toBe(true);
  const put = (content: string) => () =>
    request('PUT', `${zone.path}/records/${id}`, { name: 'www', type: 'A', content });
  await put('192.0.2.2')();
  const [change] = await zone.ids();
  const lock = `select from zones where id = '${zone.id}' for update`;
  // A preview needs no lock, and is planned after the requests before it.
  const ready = () => zone.undone({ changes: [change], dryRun: true });
  // Changes nothing, and waits for the lock.
  const unpark = () => request('POST', `${zone.path}/unpark`);
  return { zone, put, unpark, change, at: created?.at, lock, ready };
}

test('a change that was written after the plan prevents an undo', async () => {
  const { zone, put, change, lock, ready } = await changedZone();
  const [later, undo] = await whileHeld(lock, [put('192.0.2.3'), () => zone.undo({ changes: [change] })], ready);
  expect([later?.status, undo && refusal(undo)]).toEqual([200, '409 conflict']);
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.3']);
});

test('a change that is written in the same transaction prevents an undo', async () => {
  const { zone, put, unpark, change, lock, ready } = await changedZone();
  // The requests behind the first one are judged together.
  const asks = [unpark, put('192.0.2.3'), () => zone.undo({ changes: [change] })];
  const [same, later, undo] = await whileHeld(lock, asks, ready);
  expect([same?.status, later?.status, undo && refusal(undo)]).toEqual([200, 200, '409 conflict']);
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.3']);
});

test('an owner that took the records after the plan prevents an undo', async () => {
  const { zone, unpark, change, lock, ready } = await changedZone();
  const set = { owner: WEB, name: 'www', type: 'A', values: [{ content: '192.0.2.2' }], adopt: 'IfIdentical' };
  const adopt = () => request('POST', `${zone.path}/records:apply`, { sets: [set], atomic: true });
  for (const asks of [[adopt], [unpark, adopt]]) {
    const replies = await whileHeld(lock, [...asks, () => zone.undo({ changes: [change] })], ready);
    const undo = replies.pop();
    expect(replies.map(({ status }) => status)).toEqual(asks.map(() => 200));
    expect([undo && refusal(undo), undo?.body.message]).toEqual(['409 conflict', expect.stringContaining('shop/web')]);
    expect(await zone.records()).toEqual(['www A 3600 192.0.2.2']);
    await request('POST', `${zone.path}/records:apply`, { sets: [{ owner: WEB, release: true, retain: true }] });
  }
});

test('a change that was written after the plan is restored with the others', async () => {
  const { zone, at, lock, ready } = await changedZone();
  const add = () => request('POST', `${zone.path}/records`, { name: 'late', type: 'A', content: '192.0.2.4' });
  const [later, restore] = await whileHeld(lock, [add, () => zone.restore({ at })], ready);
  expect([later?.status, restore?.status]).toEqual([201, 200]);
  expect(restore?.body.total).toEqual({ differences: 2, conflicts: 0, owned: 0 });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1']);
});

test('an owner that took the records after the plan keeps them', async () => {
  const { zone, at, lock, ready } = await changedZone();
  const adopt = async () => {
    const set = { owner: WEB, name: 'www', type: 'A', values: [{ content: '192.0.2.2' }], adopt: 'IfIdentical' };
    return request('POST', `${zone.path}/records:apply`, { sets: [set], atomic: true });
  };
  const [taken, restore] = await whileHeld(lock, [adopt, () => zone.restore({ at })], ready);
  expect([taken?.status, restore?.status]).toEqual([200, 200]);
  expect(restore?.body.total).toEqual({ differences: 0, conflicts: 0, owned: 1 });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.2']);
});

test('a key that is revoked while the restore of a zone waits brings nothing back', async () => {
  const { id } = await service.zone('waiting.example');
  expect((await request('DELETE', `/zones/${id}`)).status).toBe(204);
  const key = await service.key();
  const [restore] = await whileHeld(
    // The lock that all creations of zones share.
    'select pg_advisory_xact_lock(1953654117)',
    [() => request('POST', '/zones:restore', { zoneName: 'waiting.example' }, key.text)],
    () => sql`update api_keys set revoked_at = now() where id = ${key.id}`,
  );
  expect(restore && refusal(restore)).toBe('401 unauthorized');
  expect((await request('GET', `/zones/${id}`)).status).toBe(404);
});
