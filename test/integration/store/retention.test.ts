// The data that the service deletes after its retention time, and the data that it keeps: on a real Postgres, with the
// time as a parameter.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type RetentionSettings, retentionRound } from '#service/retention.ts';
import { openDatabase } from '#store/database.ts';
import { feedChangesSince, feedPosition } from '#store/feed-changes.ts';
import { countHistory } from '#store/retention.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';

const database = await cloneDatabase();
const { sql } = database;
const open = () => openDatabase(database.url, { max: 2, name: 'retention' });
const [one, two] = [open(), open()];
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  await database.close();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = new Date('2027-03-01T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const SETTINGS: RetentionSettings = { historyMs: 400 * DAY, historyBytes: 2 ** 30, answersMs: 24 * HOUR };
const { signal } = new AbortController();
const round = (settings: Partial<RetentionSettings> = {}, rows = 7, db = one.db) =>
  retentionRound({ db, settings: { ...SETTINGS, ...settings }, now: () => NOW, rows, pauseMs: 0 }, signal);

beforeEach(async () => {
  await sql`truncate changes, account_changes, idempotency, history_usage, history_totals, history_marks, quarantined_names, zones, teams cascade`;
  await sql`insert into teams (id, name) values ('team_a', 'a'), ('team_b', 'b')`;
  await sql`
    insert into api_keys (id, team_id, name, secret_hash, records, manage_zones)
    values ('k', 'team_a', 'k', '', 'write', 'write')`;
});

let serial = 0;
/** One row of history with a value that Postgres cannot make smaller. */
async function change(team: string, at: Date, action = 'record.update', octets = 0): Promise<void> {
  const { randomBytes } = await import('node:crypto');
  serial += 1;
  await sql`
    insert into changes (zone_id, zone_name, team_id, key_id, action, after, serial, request_id, at)
    values (${`zone_${team}`}, ${`${team}.example`}, ${team}, 'k', ${action},
      ${sql.json({ content: randomBytes(octets / 2).toString('hex') })}, ${serial}, ${`r${serial}`}, ${at})`;
}
const requests = async () => (await sql`select request_id from changes order by id`).map(({ request_id: id }) => id);

test('the first round leaves an earlier position of the feed usable', async () => {
  await sql`delete from feed_positions`;
  const position = await feedPosition(one.db);
  await sql`select pg_current_xact_id()`;
  await round();
  expect(await feedChangesSince(one.db, position)).not.toBeNull();
});

test('answers to an Idempotency-Key are deleted after 24 hours, and not a minute earlier', async () => {
  const keep = (token: string, at: Date) =>
    sql`insert into idempotency (key_id, token, request_hash, answer, created_at) values ('k', ${token}, '', '{}', ${at})`;
  // More than one step deletes.
  for (let i = 0; i < 20; i += 1) await keep(`old${i}`, ago(24 * HOUR + MINUTE + i));
  await keep('young', ago(24 * HOUR - MINUTE));
  await keep('new', ago(0));
  await round();
  expect((await sql`select token from idempotency order by token`).map(({ token }) => token)).toEqual(['new', 'young']);
});

test('answers of an owner beyond the limit are deleted, the oldest first, and those of others stay', async () => {
  const { randomBytes } = await import('node:crypto');
  await sql`
    insert into api_keys (id, team_id, name, secret_hash, records, manage_zones)
    values ('second', 'team_a', 's', '', 'write', 'write'), ('other', 'team_b', 'o', '', 'write', 'write')`;
  const keep = (key: string, token: string) => sql`
    insert into idempotency (key_id, token, request_hash, answer, created_at)
    values (${key}, ${token}, '', ${sql.json({ content: randomBytes(5_000).toString('hex') })}, ${ago(HOUR)})`;
  // Two keys of one team share its limit.
  for (let i = 0; i < 30; i += 1) await keep(i % 2 === 0 ? 'k' : 'second', `a${String(i).padStart(2, '0')}`);
  for (let i = 0; i < 5; i += 1) await keep('other', `b${i}`);
  await round({ historyBytes: 103_000 });
  const tokens = async () => (await sql`select token from idempotency order by id`).map(({ token }) => token);
  const others = ['b0', 'b1', 'b2', 'b3', 'b4'];
  /** Ten answers of the team stay: of each key its newest. */
  const expectNewest = async (first: number, last: number) => {
    const mine = (await tokens()).filter((token) => token.startsWith('a'));
    expect([mine.length, (await tokens()).length]).toEqual([10, 10 + others.length]);
    for (const odd of [0, 1]) {
      const kept = mine.map((token) => Number(token.slice(1))).filter((n) => n % 2 === odd);
      const all = Array.from({ length: last - first }, (_, i) => first + i).filter((n) => n % 2 === odd);
      expect(kept).toEqual(kept.length === 0 ? [] : all.slice(-kept.length));
    }
  };
  await expectNewest(0, 30);
  for (let i = 30; i < 36; i += 1) await keep(i % 2 === 0 ? 'k' : 'second', `a${i}`);
  await round({ historyBytes: 103_000 });
  await expectNewest(0, 36);
});

test('a key that fills the limit of its owner loses its own answers, and the other keys of the owner lose none', async () => {
  const { randomBytes } = await import('node:crypto');
  await sql`
    insert into api_keys (id, team_id, name, secret_hash, records, manage_zones)
    values ('loud', 'team_a', 'l', '', 'write', 'write')`;
  const keep = (key: string, token: string) => sql`
    insert into idempotency (key_id, token, request_hash, answer, created_at)
    values (${key}, ${token}, '', ${sql.json({ content: randomBytes(5_000).toString('hex') })}, ${ago(HOUR)})`;
  // The answers of the other key are the oldest ones.
  for (let i = 0; i < 3; i += 1) await keep('k', `calm${i}`);
  for (let i = 0; i < 30; i += 1) await keep('loud', `loud${String(i).padStart(2, '0')}`);
  await round({ historyBytes: 103_000 });
  const left = (await sql`select token from idempotency order by id`).map(({ token }) => token);
  expect(left).toEqual(['calm0', 'calm1', 'calm2', ...Array.from({ length: 7 }, (_, i) => `loud${23 + i}`)]);
});

test('quarantined names and uploads are deleted when their time is over', async () => {
  await sql`
      insert into quarantined_names (name, tree, team_id, until)
      values ('over.example', 'example over', 'team_a', ${ago(1)}), ('kept.example', 'example kept', 'team_a', ${ago(-1)})`;
  await sql`
      insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds, record_count, stored_bytes)
      select 'zone_' || i, 'team_a', 'u' || i || '.example', 'example u' || i, 'active', 60, 1, '{}', 0, 0
      from generate_series(1, 20) i`;
  await sql`
      insert into zone_uploads (zone_id, key_id, content, serial, created_at)
      select 'zone_' || i, 'k', '', 1, case when i > 1 then ${ago(HOUR + MINUTE)}::timestamptz else ${ago(HOUR - MINUTE)} end
      from generate_series(1, 20) i`;
  await round();
  expect(await sql`select name from quarantined_names`).toEqual([{ name: 'kept.example' }]);
  expect(await sql`select zone_id from zone_uploads`).toEqual([{ zone_id: 'zone_1' }]);
});

test('the history of changes is deleted after 400 days, that of deleted zones and of accounts too, in steps', async () => {
  for (let i = 0; i < 20; i += 1)
    await change('team_a', ago(400 * DAY + MINUTE - i), i === 3 ? 'zone.delete' : 'record.create');
  await change('team_a', ago(400 * DAY - MINUTE));
  await change('team_b', ago(0));
  await sql`
      insert into account_changes (action, subject, request_id, at) values
        ('key.mint', 'old', 'r', ${ago(400 * DAY + MINUTE)}), ('key.mint', 'young', 'r', ${ago(400 * DAY - MINUTE)})`;
  const kept = (await requests()).slice(-2);
  await round();
  expect(await requests()).toEqual(kept);
  expect((await sql`select subject from account_changes`).map(({ subject }) => subject)).toEqual(['young']);
});

test('the history of changes that exceeds the limit of a team is deleted, the oldest first, until the rest fits; others keep theirs', async () => {
  for (let i = 0; i < 30; i += 1) await change('team_a', ago(2 * DAY - i * MINUTE), 'record.update', 10_000);
  for (let i = 0; i < 5; i += 1) await change('team_b', ago(3 * DAY), 'record.update', 10_000);
  const all = await requests();
  await round({ historyBytes: 103_000 });
  const bytes = async (team: string) =>
    Number(
      (await sql`select sum(200 + pg_column_size(after)) as bytes from changes where team_id = ${team}`)[0]?.bytes,
    );
  expect(await bytes('team_a')).toBeLessThanOrEqual(103_000);
  // Not more was deleted than had to be: one row more would not fit.
  expect(await bytes('team_a')).toBeGreaterThan(103_000 - 10_300);
  expect(await requests()).toEqual([...all.slice(-5 - 10, -5), ...all.slice(-5)]);
  // Later additions are counted as well, once.
  for (let i = 0; i < 3; i += 1) await change('team_a', ago(HOUR), 'record.update', 10_000);
  await round({ historyBytes: 103_000 });
  await round({ historyBytes: 103_000 });
  const rows = await sql`select request_id from changes where team_id = 'team_a' order by id`;
  expect([rows.length, rows.at(-1)?.request_id]).toEqual([10, `r${serial}`]);
  const [usage] = await sql`select sum(bytes)::int as bytes from history_usage where owner = 'team_a'`;
  expect(usage?.bytes).toBe(await bytes('team_a'));
});

test('the history of changes that goes by its age is no longer counted', async () => {
  for (let i = 0; i < 10; i += 1) await change('team_a', ago(399 * DAY), 'record.update', 2_000);
  for (let i = 0; i < 5; i += 1) await change('team_a', ago(DAY), 'record.update', 2_000);
  await round();
  const young = (await requests()).slice(-5);
  await round({ historyMs: 300 * DAY, historyBytes: 12_000 });
  expect(await requests()).toEqual(young);
  const [usage] = await sql`select sum(bytes)::int as bytes from history_usage where owner = 'team_a'`;
  expect([usage?.bytes > 10_000, usage?.bytes < 12_000]).toEqual([true, true]);
});

test('the history of changes that a transaction under way may still precede is not counted yet', async () => {
  await change('team_a', ago(2 * MINUTE), 'record.update', 1_000);
  await change('team_a', ago(MINUTE / 2), 'record.update', 1_000);
  await change('team_a', ago(2 * MINUTE), 'record.update', 1_000);
  const counted = await one.db.transaction((tx) => countHistory(tx, 'zones', ago(MINUTE), 100));
  expect(counted).toBe(1);
});

test('the history of changes that belongs to a person is limited like that of a team', async () => {
  await sql`insert into changes (zone_id, zone_name, user_id, key_id, action, after, serial, request_id, at)
      select 'zone_p', 'p.example', 'user_p', 'k', 'record.update', to_jsonb(repeat(md5(i::text), 3)), i, 'p' || i, ${ago(DAY)}
      from generate_series(1, 50) i`;
  await round({ historyBytes: 3_000 });
  const [{ rows, newest } = { rows: 0, newest: '' }] = await sql`
      select count(*)::int as rows, max(serial)::text as newest from changes where user_id = 'user_p'`;
  expect([rows > 5 && rows < 15, newest]).toEqual([true, '50']);
});

test('the history of people without a team has one limit for all, so that sign-ins do not fill the database', async () => {
  await sql`insert into account_changes (key_id, action, subject, after, request_id, at)
    select 'key_' || i, 'key.mint', 's' || i, to_jsonb(repeat(md5(i::text), 3)), 'r', ${ago(DAY)} from generate_series(1, 50) i`;
  await round({ historyBytes: 3_000 });
  const [{ rows, newest } = { rows: 0, newest: false }] = await sql`
    select count(*)::int as rows, bool_or(subject = 's50') as newest from account_changes`;
  expect([rows > 5 && rows < 15, newest]).toEqual([true, true]);
});

test('one replica at a time deletes, and the other one does not wait for it', async () => {
  await change('team_a', ago(500 * DAY));
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = one.db.transaction(async (tx) => {
    const { lockRetention } = await import('#store/retention.ts');
    expect(await lockRetention(tx)).toBe(true);
    await held;
  });
  await expect.poll(async () => (await sql`select from pg_locks where locktype = 'advisory'`).length).toBe(1);
  await round({}, 7, two.db);
  expect(await requests()).toHaveLength(1);
  release();
  await holder;
  await round({}, 7, two.db);
  expect(await requests()).toHaveLength(0);
});

test('the deletion stops at the signal', async () => {
  await change('team_a', ago(500 * DAY));
  await retentionRound({ db: one.db, settings: SETTINGS, now: () => NOW }, AbortSignal.abort());
  expect(await requests()).toHaveLength(1);
});
