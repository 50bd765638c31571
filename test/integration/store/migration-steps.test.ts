// Migrations of made-up versions on a real database: the order of versions, the state after a refusal, and the
// time that a migration may block others.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { migrateDatabase, planMigration } from '#store/migrate.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const folder = await temporaryFolder('migration-steps');
const databases: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const database of databases) await database.close();
});

/** A folder of migrations, as a version has it. */
async function version(name: string, ...steps: string[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, 'meta'), { recursive: true });
  const entries = steps.map((_, idx) => ({
    idx,
    version: '7',
    when: (idx + 1) * 100,
    tag: `000${idx}_step`,
    breakpoints: true,
  }));
  await writeFile(join(path, 'meta/_journal.json'), JSON.stringify({ version: '7', dialect: 'postgresql', entries }));
  for (const [idx, sql] of steps.entries()) await writeFile(join(path, `000${idx}_step.sql`), sql);
  return path;
}

// The service settles transaction ids at each migration, so the first version has its tables.
const FIRST = `create table zones (changed_xid xid8); create table service (changed_xid xid8);
  create table feed_changes (xid xid8); create table feed_positions (horizon xid8); create table notes (old text)`;
const EXPAND = 'alter table notes add column new text';
const CONTRACT = '-- contract: 0.3.0\nalter table notes drop column if exists old';
const SLOW = 'lock table notes in access exclusive mode;\n--> statement-breakpoint\nselect pg_sleep(5)';

async function emptyDatabase() {
  const database = await cloneDatabase('template1');
  databases.push(database);
  const columns = async () =>
    (
      await database.sql`select column_name as name from information_schema.columns where table_name = 'notes' order by 1`
    ).map(({ name }) => name as string);
  return { ...database, columns };
}

test('a version that skips the one before is refused with its number, changes nothing, and follows it later', async () => {
  const { url, columns } = await emptyDatabase();
  const [one, two, four] = [
    await version('one', FIRST),
    await version('two', FIRST, EXPAND),
    await version('four', FIRST, EXPAND, CONTRACT),
  ];
  await migrateDatabase(url, { folder: one, version: '0.1.0' });
  const plan = await planMigration(url, { folder: four, version: '0.4.0' });
  expect(plan.refusal).toContain('Install version 0.3.0 first');
  await expect(migrateDatabase(url, { folder: four, version: '0.4.0' })).rejects.toThrow(
    /Install version 0\.3\.0 first/,
  );
  expect(await columns()).toEqual(['old']);

  expect((await migrateDatabase(url, { folder: two, version: '0.2.0' })).applied).toEqual(['0001_step']);
  // The third version has no migration, and the database remembers it nevertheless.
  expect((await migrateDatabase(url, { folder: two, version: '0.3.0' })).applied).toEqual([]);
  expect((await planMigration(url, { folder: four, version: '0.4.0' })).refusal).toBeNull();
  await migrateDatabase(url, { folder: four, version: '0.4.0' });
  expect(await columns()).toEqual(['new']);

  // A rollback by one version works, and one by two versions is told what it needs.
  await migrateDatabase(url, { folder: two, version: '0.3.0' });
  await expect(migrateDatabase(url, { folder: two, version: '0.2.0' })).rejects.toThrow(
    /version 0\.3\.0 and later ones/,
  );
});

test('a new database takes the newest version at once', async () => {
  const { url, columns } = await emptyDatabase();
  const four = await version('new-four', FIRST, EXPAND, CONTRACT);
  await migrateDatabase(url, { folder: four, version: '0.4.0' });
  await migrateDatabase(url, { folder: four, version: '0.4.0' });
  expect(await columns()).toEqual(['new']);
});

test('a migration that blocks others for too long is undone, and a longer limit lets it run', async () => {
  const { url, sql } = await emptyDatabase();
  await migrateDatabase(url, { folder: await version('held-one', FIRST), version: '0.1.0' });
  const slow = await version('held-two', FIRST, EXPAND, SLOW.replace('5', '0.8'));
  const begin = performance.now();
  const held = migrateDatabase(url, { folder: slow, version: '0.2.0', maxHeldMs: 300 });
  await expect(held).rejects.toThrow(/0002_step would block other programs for longer than 300 ms, and was undone/);
  expect(performance.now() - begin).toBeLessThan(700);
  const added = await sql`select from information_schema.columns where table_name = 'notes' and column_name = 'new'`;
  expect(added).toHaveLength(0);
  const { applied, heldMs } = await migrateDatabase(url, { folder: slow, version: '0.2.0', maxHeldMs: 5_000 });
  expect([applied, heldMs > 800, heldMs < 5_000]).toEqual([['0001_step', '0002_step'], true, true]);
});
