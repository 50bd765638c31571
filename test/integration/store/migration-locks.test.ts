// How long the newest migrations hold their locks on large tables: a million records and five million changes in CI, a
// tenth of that elsewhere. While there is one migration, which creates all tables, made-up ones of every form that the
// lint allows take its place, and one that it refuses shows that the test measures.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateDatabase, planMigration } from '#store/migrate.ts';
import { indexesToBuild } from '#store/schema-steps.ts';
import { lintMigration } from '../../support/migrations/lint.ts';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.ts';
import { fillHistory, fillRecords } from '../../support/postgres/large.ts';
import { effort } from '../../support/runner/seed.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const MIGRATIONS = new URL('../../../src/store/migrations', import.meta.url).pathname;
/** A third of the limit of the service (store/migrate.ts), because the machine of a test has other work. */
const MAX_HELD_MS = 500;
const TEAMS = 100;
const RECORDS = effort(1_000_000, 100_000);
const CHANGES = effort(5_000_000, 500_000);

const ALLOWED = `
alter table records add column lint_remark text;
--> statement-breakpoint
alter table records add column lint_flag boolean not null default false;
--> statement-breakpoint
alter table changes add column lint_remark text;
--> statement-breakpoint
alter table records add constraint lint_check check (length(lint_remark) < 10) not valid;
--> statement-breakpoint
create table lint_notes (id bigint primary key, record_id text);
--> statement-breakpoint
alter table lint_notes add constraint lint_key foreign key (record_id) references records (id) not valid;
--> statement-breakpoint
create function lint_nothing() returns trigger language plpgsql as $$ begin return null; end $$;
--> statement-breakpoint
create trigger lint_trigger after insert on records for each row execute function lint_nothing();
--> statement-breakpoint
create index if not exists lint_records_idx on records (created_at);
`;
const REFUSED = 'alter table records add constraint lint_unique unique (zone_no, id);';

const folder = await temporaryFolder('migration-locks');
let database: TestDatabase;

interface Journal {
  entries: { idx: number; when: number; tag: string }[];
}
async function journal(path: string, change: (journal: Journal) => Journal['entries']): Promise<void> {
  const file = join(path, 'meta/_journal.json');
  const before = JSON.parse(await readFile(file, 'utf8')) as Journal;
  await writeFile(file, JSON.stringify({ ...before, entries: change(before) }));
}

/** The migrations of the checkout and one more. */
async function withMigration(name: string, ...steps: string[]): Promise<string> {
  const path = join(folder, name);
  await cp(MIGRATIONS, path, { recursive: true });
  await journal(path, ({ entries }) => {
    const last = entries.at(-1) as Journal['entries'][number];
    return [
      ...entries,
      ...steps.map((_, i) => ({ ...last, idx: last.idx + i + 1, when: last.when + i + 1, tag: `9${i}_next` })),
    ];
  });
  for (const [i, sql] of steps.entries()) await writeFile(join(path, `9${i}_next.sql`), sql);
  return path;
}

beforeAll(async () => {
  // The first migration alone is applied to empty tables, all later ones to large ones.
  database = await cloneDatabase('template1');
  const first = join(folder, 'first');
  await cp(MIGRATIONS, first, { recursive: true });
  await journal(first, ({ entries }) => entries.slice(0, 1));
  await migrateDatabase(database.url, { folder: first });
  const now = new Date();
  await fillRecords(database.sql, { teams: TEAMS, records: RECORDS });
  const from = new Date(now.getTime() - 300 * 24 * 60 * 60_000);
  await fillHistory(database.sql, { teams: TEAMS, changes: CHANGES, from, until: now });
}, 20 * 60_000);
afterAll(() => database?.close());

test('the migrations after the first one hold their locks on large tables for less than 500 ms, once their indexes are built', async () => {
  // As `zonestead migrate --plan` says.
  const { steps } = await planMigration(database.url);
  for (const { statement } of steps.flatMap(indexesToBuild)) await database.sql.unsafe(statement);
  const { heldMs } = await migrateDatabase(database.url, { maxHeldMs: 60_000 });
  expect(heldMs).toBeLessThan(MAX_HELD_MS);
});

test('the forms that the lint allows hold their locks for less than 500 ms, once their indexes are built', {
  timeout: 300_000,
}, async () => {
  expect(lintMigration(ALLOWED)).toEqual([]);
  // As `zonestead migrate --plan` says.
  await database.sql.unsafe('create index concurrently if not exists lint_records_idx on records (created_at)');
  const next = await withMigration('allowed', ALLOWED);
  const { applied, heldMs } = await migrateDatabase(database.url, { folder: next, maxHeldMs: 60_000 });
  expect(applied).toContain('90_next');
  expect(heldMs).toBeLessThan(MAX_HELD_MS);
});

test('a form that the lint refuses holds its lock for longer, and is undone at the limit', {
  timeout: 300_000,
}, async () => {
  expect(lintMigration(REFUSED)).not.toEqual([]);
  const next = await withMigration('refused', ALLOWED, REFUSED);
  await expect(migrateDatabase(database.url, { folder: next, maxHeldMs: 50 })).rejects.toThrow(/91_next would block/);
  const { heldMs } = await migrateDatabase(database.url, { folder: next, maxHeldMs: 60_000 });
  expect(heldMs).toBeGreaterThan(50);
});
