// A restore, and a creation with records, write their rows before they take the lock that all creations of zones need.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone, undoZoneAt } from '../../../support/service/undo.ts';

const service = await startTestService({ busyAfterMs: 5_000 });
const { request, sql, admin } = service;
const other = await service.key({ team: 'other' });
const create = (zoneName: string, key = other) =>
  request('POST', '/zones', { zoneName, owner: `org:${key.team}` }, key.text);

/** Keeps every transaction from writing records while `work` runs. */
async function withBlockedRecords<T>(work: () => Promise<T>): Promise<T> {
  const entered = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const blocking = sql.begin(async (tx) => {
    await tx`lock table records in exclusive mode`;
    entered.resolve();
    await end.promise;
  });
  await entered.promise;
  try {
    return await work();
  } finally {
    end.resolve();
    await blocking;
  }
}

/** Waits until a transaction waits for the table of records. */
const isBlocked = () =>
  expect
    .poll(async () => (await sql`select from pg_locks where not granted and relation = 'records'::regclass`).length, {
      timeout: 4_000,
    })
    .toBe(1);

test('other owners create zones while the rows of a restored zone are copied', async () => {
  const zone = await undoZone(service, 'slow.example');
  await zone.add('www', 'A', '192.0.2.1');
  await request('DELETE', zone.path);
  const [restored, beside, below] = await withBlockedRecords(async () => {
    const restoring = request('POST', '/zones:restore', { zoneName: 'slow.example' });
    await isBlocked();
    const creations = [await create('quick.example'), await create('below.slow.example')] as const;
    return [restoring, ...creations] as const;
  });
  expect(beside.status).toBe(200);
  // The name stays reserved until the zone is back.
  expect(refusal(below)).toBe('409 conflict');
  expect((await restored).status).toBe(201);
  expect(await undoZoneAt(service, zone.id).records()).toEqual(['www A 3600 192.0.2.1']);
});

test('other owners create zones while the records of a new zone are written', async () => {
  const file = '$ORIGIN first.example.\nwww 60 IN A 192.0.2.1\n';
  const headers = { 'x-api-key': admin.text, 'content-type': 'application/json' };
  const [made, beside] = await withBlockedRecords(async () => {
    const address = new URL('/api/v1/servers/localhost/zones', service.url);
    const body = JSON.stringify({ name: 'first.example.', kind: 'Native', nameservers: [], zone: file });
    const making = fetch(address, { method: 'POST', headers, body });
    await isBlocked();
    return [making, await create('second.example')] as const;
  });
  expect(beside.status).toBe(200);
  expect((await made).status).toBe(201);
});

test('a zone that the owner creates below meanwhile is not hidden: the restore is refused, and nothing stays behind', async () => {
  const zone = await undoZone(service, 'over.example');
  await zone.add('www.sub', 'A', '192.0.2.1');
  await request('DELETE', zone.path);
  const [restored, child] = await withBlockedRecords(async () => {
    const restoring = request('POST', '/zones:restore', { zoneName: 'over.example' });
    await isBlocked();
    return [restoring, await create('sub.over.example', admin)] as const;
  });
  expect(child.status).toBe(200);
  expect(refusal(await restored)).toMatch(/^(409 conflict|503 busy)$/);
  expect((await request('GET', zone.path)).status).toBe(404);
  expect(await sql`select from deleted_zones where id = ${zone.id}`).toHaveLength(1);
  expect(await sql`select from quarantined_names where name = 'over.example'`).toHaveLength(1);
});

test('a second creation of the name waits for the restore without the lock of the tree', async () => {
  const zone = await undoZone(service, 'same.example');
  await zone.add('www', 'A', '192.0.2.1');
  await request('DELETE', zone.path);
  const replica = await service.anotherApi();
  const [restored, same, beside] = await withBlockedRecords(async () => {
    const restoring = request('POST', '/zones:restore', { zoneName: 'same.example' });
    await isBlocked();
    const body = { zoneName: 'same.example', owner: `org:${admin.team}` };
    const again = replica.request('POST', '/zones', body, admin.text);
    await sleep(300);
    return [restoring, again, await create('beside.example')] as const;
  });
  expect(beside.status).toBe(200);
  expect((await restored).status).toBe(201);
  expect(refusal(await same)).toBe('409 conflict');
});
