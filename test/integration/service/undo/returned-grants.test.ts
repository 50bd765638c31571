// A restored zone gives keys and trusts their grants back, unless a transaction that the restore cannot see yet changes
// their rights.
import { expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone } from '../../../support/service/undo.ts';

const service = await startTestService({ nameserver: false, busyAfterMs: 60_000 });
const { request, sql } = service;

test('a grant does not come back if a change of the rights of its key is committed during the restore', async () => {
  const zone = await undoZone(service, 'returned.example');
  const none = { records: 'none', manageZones: 'none', grants: { [zone.id]: 'write' } } as const;
  const [changed, untouched] = [await service.key(none), await service.key(none)];
  expect((await request('DELETE', `/zones/${zone.id}`)).status).toBe(204);
  let restored: Promise<{ status: number }> | undefined;
  await sql.begin(async (change) => {
    await change`update api_keys set rights_changed_at = now() + interval '1 minute' where id = ${changed.id}`;
    restored = request('POST', '/zones:restore', { zoneName: 'returned.example' });
    const waiting = () => sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting()).length, { timeout: 30_000 }).toBeGreaterThan(0);
  });
  expect((await restored)?.status).toBe(201);
  const keys = await sql<{ keyId: string }[]>`select key_id as "keyId" from key_zone_grants where zone_id = ${zone.id}`;
  expect(keys.map(({ keyId }) => keyId)).toEqual([untouched.id]);
  const told = await sql<{ subject: string }[]>`
    select subject from account_changes where action = 'key.change' and after::text like ${`%${zone.id}%`}`;
  expect(told.map(({ subject }) => subject)).toEqual([untouched.id]);
});
