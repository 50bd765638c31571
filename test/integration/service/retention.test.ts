// The retention as the api runs it: the default times, its own rounds, and its recovery from errors.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({
  retentionEveryMs: 100,
  warnings: ['the retention failed to delete old rows'],
});
const { sql } = service;

const answer = (token: string, age: string) => sql`
  insert into idempotency (key_id, token, request_hash, answer, created_at)
  values (${service.admin.id}, ${token}, '', '{}', now() - ${age}::interval)`;
const entry = (requestId: string, age: string) => sql`
  insert into changes (zone_id, zone_name, team_id, key_id, action, serial, request_id, at)
  values ('zone_gone', 'gone.example', ${service.admin.team}, 'k', 'record.create', 1, ${requestId}, now() - ${age}::interval)`;
const accountEntry = (requestId: string, age: string) => sql`
  insert into account_changes (team_id, action, subject, request_id, at)
  values (${service.admin.team}, 'key.mint', 'k', ${requestId}, now() - ${age}::interval)`;
const left = async (table: string, column: string) =>
  (await sql`select ${sql(column)} as name from ${sql(table)} order by 1`).map(({ name }) => name);

test('by default answers are kept for 24 hours and history for 400 days', async () => {
  await answer('23 hours', '23 hours 55 minutes');
  await answer('24 hours', '24 hours 5 minutes');
  await entry('400 days', '400 days 5 minutes');
  await entry('399 days', '399 days 23 hours 55 minutes');
  await accountEntry('400 days', '400 days 5 minutes');
  await accountEntry('399 days', '399 days 23 hours 55 minutes');
  await expect.poll(() => left('idempotency', 'token'), { timeout: 60_000 }).toEqual(['23 hours']);
  await expect.poll(() => left('changes', 'request_id'), { timeout: 60_000 }).toEqual(['399 days']);
  await expect
    .poll(async () => (await left('account_changes', 'request_id')).filter((id) => String(id).endsWith('days')), {
      timeout: 60_000,
    })
    .toEqual(['399 days']);
});

test('other times are settings', async () => {
  await service.anotherApi({
    settings: { ZONESTEAD_HISTORY_DAYS: '30', ZONESTEAD_IDEMPOTENCY_HOURS: '2', ZONESTEAD_HISTORY_BYTES: '1Ki' },
  });
  await answer('1 hour', '1 hour 55 minutes');
  await answer('2 hours', '2 hours 5 minutes');
  await entry('30 days', '30 days 5 minutes');
  // About 200 octets each.
  for (let i = 10; i < 20; i += 1) await entry(`${i} hours`, `${40 - i} hours`);
  await expect.poll(() => left('idempotency', 'token'), { timeout: 60_000 }).toEqual(['1 hour']);
  await expect
    .poll(() => left('changes', 'request_id'), { timeout: 60_000 })
    .toEqual(['15 hours', '16 hours', '17 hours', '18 hours', '19 hours']);
});

test('a failure is logged as a warning, and a later round does the rest', async () => {
  await sql`alter table idempotency rename to away`;
  const warned = () => service.log.some((line) => line.includes('the retention failed to delete old rows'));
  await expect.poll(warned, { timeout: 60_000 }).toBe(true);
  const rounds = async (result: string) =>
    Number(
      new RegExp(`^zonestead_retention_rounds_total\\{result="${result}"\\} (.*)$`, 'm').exec(
        await service.metrics(),
      )?.[1],
    );
  // The other api may have logged it, and this one fails in its own next round.
  await expect.poll(() => rounds('failed'), { timeout: 60_000 }).toBeGreaterThan(0);
  const before = await rounds('ok');
  await sql`alter table away rename to idempotency`;
  await expect.poll(() => rounds('ok'), { timeout: 60_000 }).toBeGreaterThan(before);
  await answer('later', '3 days');
  await expect.poll(() => left('idempotency', 'token'), { timeout: 60_000 }).toEqual(['1 hour']);
});
