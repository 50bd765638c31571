// The partitions of the history: made ahead, filled without a gap, and dropped with everything that was counted of
// them.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type RetentionSettings, retentionRound } from '#service/retention.ts';
import { listPastChanges } from '#store/changes.ts';
import { openDatabase } from '#store/database.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';

const database = await cloneDatabase();
const { sql } = database;
const { db, close } = openDatabase(database.url, { max: 2, name: 'months' });
afterAll(async () => {
  await close();
  await database.close();
});

const DAY = 24 * 60 * 60_000;
const NOW = new Date('2031-05-20T12:00:00Z');
const SETTINGS: RetentionSettings = { historyMs: 400 * DAY, historyBytes: 2 ** 30, answersMs: DAY };
const { signal } = new AbortController();
const round = (settings: Partial<RetentionSettings> = {}, now = NOW) =>
  retentionRound({ db, settings: { ...SETTINGS, ...settings }, now: () => now, rows: 1_000, pauseMs: 0 }, signal);

beforeEach(async () => {
  for (const part of await parts()) if (part !== 'changes_default') await sql`drop table ${sql(part)}`;
  await sql`truncate changes, history_usage, history_totals, history_marks, history_pruned restart identity`;
});

const parts = async () =>
  (
    await sql`select inhrelid::regclass::text as part from pg_inherits where inhparent = 'changes'::regclass order by 1`
  ).map(({ part }) => part as string);
const add = (month: string) => sql`select add_changes_month(${month}::date)`;

/** A change with a number of its own, which is its serial. */
async function change(id: number, at: string, team = 'team_a'): Promise<void> {
  await sql`
    insert into changes (id, zone_id, zone_name, team_id, key_id, action, after, serial, request_id, at)
      overriding system value
    values (${id}, 'zone_a', 'a.example', ${team}, 'k', 'record.update', '{"content": "192.0.2.1"}', ${id}, ${`r${id}`}, ${at})`;
}
const left = async () => (await sql`select id from changes order by id`).map(({ id }) => Number(id));
const place = async (id: number) =>
  (await sql`select tableoid::regclass::text as part from changes where id = ${id}`)[0]?.part;

/** Usage and totals equal the rows, by owner. */
async function expectCounted(): Promise<void> {
  const there = await sql`
    select team_id as owner, sum(200 + coalesce(pg_column_size(before), 0) + pg_column_size(after))::int as bytes
    from changes group by 1 order by 1`;
  const sums =
    await sql`select owner, sum(bytes)::int as bytes from history_usage group by 1 having sum(bytes) > 0 order by 1`;
  const totals = await sql`select owner, bytes::int from history_totals where bytes > 0 order by 1`;
  expect([[...sums], [...totals]]).toEqual([[...there], [...there]]);
}

test('a new database has the partitions of this month and the next two', async () => {
  const fresh = await cloneDatabase();
  const rows = await fresh.sql`
    select to_regclass('changes_' || to_char(now() at time zone 'UTC' + n * interval '1 month', 'YYYY_MM')) is not null as there
    from generate_series(0, 1) n`;
  await fresh.close();
  expect(rows.map(({ there }) => there)).toEqual([true, true]);
});

test('a round makes the months ahead, once, and moves rows that came before their month had a partition', async () => {
  await change(1, '2031-05-01T00:00:00Z');
  await change(2, '2031-04-30T23:59:59.999Z');
  await change(3, '2099-01-01T00:00:00Z');
  expect(await parts()).toEqual(['changes_default']);
  await round();
  await round();
  expect(await parts()).toEqual(['changes_2031_05', 'changes_2031_06', 'changes_2031_07', 'changes_default']);
  expect([await place(1), await place(2), await place(3)]).toEqual([
    'changes_2031_05',
    'changes_default',
    'changes_default',
  ]);
  await change(4, '2031-07-31T23:59:59.999Z');
  expect(await place(4)).toBe('changes_2031_07');
  const { changes } = await listPastChanges(db, 'zone_a', { zoneOnly: false, limit: 10 });
  expect(changes.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
});

test('the months do not depend on the time zone of the session', async () => {
  const session = database.connect();
  await session`set time zone 'Pacific/Kiritimati'`;
  await session`select add_changes_month('2031-02-14')`;
  await session.end();
  await change(1, '2031-02-01T00:00:00Z');
  await change(2, '2031-02-28T23:59:59Z');
  await change(3, '2031-01-31T23:59:59Z');
  expect([await place(1), await place(2), await place(3)]).toEqual([
    'changes_2031_02',
    'changes_2031_02',
    'changes_default',
  ]);
});

test('a month of which many rows came before its partition stays where it is, and nothing fails', async () => {
  await sql`
    insert into changes (zone_id, zone_name, team_id, key_id, action, serial, request_id, at)
    select 'zone_a', 'a.example', 'team_a', 'k', 'record.update', 1, 'r', '2031-05-02' from generate_series(1, 10001)`;
  await round();
  expect(await parts()).toEqual(['changes_2031_06', 'changes_2031_07', 'changes_default']);
  expect(await left()).toHaveLength(10_001);
});

test('a month is dropped when all of it is too old, with its part of the totals, and no other row is deleted', async () => {
  for (const month of ['2030-03-01', '2030-04-01', '2030-05-01']) await add(month);
  // Ids of 10,000 are counted together: the first bucket belongs to March alone, the next one to two months.
  await change(1, '2030-03-01T00:00:00Z');
  await change(2, '2030-03-10T00:00:00Z', 'team_b');
  await change(12_000, '2030-03-31T23:00:00Z');
  await change(12_001, '2030-03-31T23:59:00Z', 'team_b');
  await change(12_002, '2030-04-01T00:00:00Z');
  await change(25_000, '2030-05-30T00:00:00Z');
  // 400 days before: 15 April 2030.
  await round();
  expect(await parts()).not.toContain('changes_2030_03');
  expect(await left()).toEqual([12_002, 25_000]);
  await expectCounted();
  const [pruned] = await sql`select owner, at from history_pruned`;
  expect([pruned?.owner, pruned?.at]).toEqual(['', new Date('2030-04-01T00:00:00Z')]);
  // The first half of April is older than 400 days, and stays until all of April is.
  await round({}, new Date('2031-06-04T23:00:00Z'));
  expect(await left()).toEqual([12_002, 25_000]);
  await round({}, new Date('2031-06-06T01:00:00Z'));
  expect(await left()).toEqual([25_000]);
  await expectCounted();
});

test('rows of a month without a partition are deleted one by one, with their part of the totals', async () => {
  for (let id = 1; id <= 5; id += 1) await change(id, '2030-03-10T00:00:00Z', id % 2 === 0 ? 'team_a' : 'team_b');
  await change(6, '2031-05-19T00:00:00Z');
  await round();
  expect(await left()).toEqual([6]);
  await expectCounted();
});

test('a history of less than two months is deleted row by row, at its age', async () => {
  await add('2031-05-01');
  await change(1, '2031-05-10T00:00:00Z');
  await change(2, '2031-05-19T00:00:00Z');
  await round({ historyMs: 5 * DAY });
  expect(await left()).toEqual([2]);
  await expectCounted();
});

test('the limit of an owner takes its oldest rows out of their months, and the totals stay right', async () => {
  for (const month of ['2031-03-01', '2031-04-01', '2031-05-01']) await add(month);
  for (let id = 1; id <= 60; id += 1)
    await change(id * 500, `2031-0${3 + Math.floor((id - 1) / 20)}-10T00:00:00Z`, id % 2 === 0 ? 'team_a' : 'team_b');
  await round();
  await expectCounted();
  await round({ historyBytes: 2_400 });
  await expectCounted();
  const [row] = await sql`select max(bytes)::int as most, min(bytes)::int as least from history_totals`;
  expect([row?.most <= 2_400, row?.least > 2_000]).toEqual([true, true]);
  expect((await left()).at(-1)).toBe(30_000);
});

test('a month whose rows are not counted yet is not dropped', async () => {
  await add('2030-03-01');
  await change(1, '2030-03-10T00:00:00Z');
  await change(2, '2031-05-20T11:59:50Z');
  await change(3, '2030-03-11T00:00:00Z');
  await round();
  expect(await left()).toEqual([1, 2, 3]);
  await round({}, new Date(NOW.getTime() + 5 * 60_000));
  expect(await left()).toEqual([2]);
});

test('a month that another session reads is dropped by a later round, and this round continues', async () => {
  await add('2030-03-01');
  await change(1, '2030-03-10T00:00:00Z');
  await round({ historyMs: 1_000 * DAY });
  const reader = database.connect();
  let end: () => void = () => undefined;
  const reading = reader.begin(async (tx) => {
    await tx`select count(*) from changes`;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  await expect
    .poll(async () => (await sql`select from pg_locks where relation = 'changes'::regclass`).length)
    .toBeGreaterThan(0);
  const begin = performance.now();
  await round();
  expect(await left()).toEqual([1]);
  expect(performance.now() - begin).toBeLessThan(5_000);
  end();
  await reading;
  await reader.end();
  await round();
  expect(await left()).toEqual([]);
});
