// Brings the database to the schema of this version. Safe to run by every replica at once.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase, sqlFailure } from './database.ts';
import { migrate, sql } from './drizzle.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };

const FOLDER = new URL('./migrations', import.meta.url).pathname;
/** Any constant will do, as long as nothing else in this database takes it. */
const LOCK = 0x7a6f6e65;
/**
 * A migration that waits for a table lock blocks every writer behind it: it waits only this long, and then lets them
 * pass.
 */
const TABLE_LOCK_TIMEOUT = '500ms';
const LOCK_NOT_AVAILABLE = '55P03';
const TRIES = 120;
const RETRY_MS = 500;

/**
 * Applies the missing migrations, under an advisory lock, because drizzle's migrator takes none. Other processes may
 * continue to write: a lock that it cannot get within half a second is tried again, for two minutes.
 * @param folder the folder of the migrations. (Default: those of this version.)
 * @throws when a migration fails; the database is then unchanged, since all missing migrations are one transaction
 */
export async function migrateDatabase(url: string, folder = FOLDER): Promise<void> {
  // One connection: an advisory lock belongs to its session.
  const database = openDatabase(url, {
    max: 1,
    lockTimeoutMs: 60_000,
    statementTimeoutMs: 0,
    name: 'zonestead-migrate',
  });
  try {
    await database.db.build.execute(sql`select pg_advisory_lock(${LOCK})`);
    await database.db.build.execute(sql`set lock_timeout = ${sql.raw(`'${TABLE_LOCK_TIMEOUT}'`)}`);
    await patiently(() => applyMissing(database.db, folder));
    await patiently(() => settleForeignIds(database.db));
  } finally {
    await database.close();
  }
}

/** All missing migrations are one transaction. */
function applyMissing(db: Db, folder: string): Promise<void> {
  const apply = (statements: readonly string[]) =>
    db.transaction(async (tx) => {
      for (const text of statements) await tx.client.unsafe(text);
    });
  return migrate(db.build, apply, { migrationsFolder: folder });
}

async function patiently(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (sqlFailure(error)?.code !== LOCK_NOT_AVAILABLE || tries >= TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/**
 * A dump restored into another cluster brings transaction ids which that one has not come to: each look for changed
 * zones would show all of them again, for months. Such changes become changes of now.
 */
async function settleForeignIds(db: Db): Promise<void> {
  await db.build.execute(sql`
    update zones set changed_xid = pg_current_xact_id() where changed_xid >= pg_snapshot_xmax(pg_current_snapshot())`);
  await db.build.execute(sql`
    update service set changed_xid = pg_current_xact_id() where changed_xid >= pg_snapshot_xmax(pg_current_snapshot())`);
  // No cursor of another cluster can be continued here.
  await db.build.execute(sql`delete from feed_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())`);
  await db.build.execute(sql`delete from feed_positions where horizon > pg_snapshot_xmin(pg_current_snapshot())`);
}

/** Whether this version's last migration has been applied; false also when none ever was. */
export async function isMigrated(db: Db): Promise<boolean> {
  const lastMigration = Math.max(...journal.entries.map((entry) => entry.when));
  const exists = await db.build.execute(sql`select to_regclass('drizzle.__drizzle_migrations') is not null as yes`);
  if (exists[0]?.yes !== true) return false;
  const rows = await db.build.execute(
    sql`select max(created_at) >= ${lastMigration} as yes from drizzle.__drizzle_migrations`,
  );
  return rows[0]?.yes === true;
}
