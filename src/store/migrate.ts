// Brings the database to the schema of this version. Safe to run by every replica at once.
import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { type Db, openDatabase } from './database.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };

const FOLDER = new URL('./migrations', import.meta.url).pathname;
/** Any constant will do, as long as nothing else in this database takes it. */
const LOCK = 0x7a6f6e65;

/**
 * Applies what is missing, under an advisory lock, because drizzle's migrator takes none.
 * @throws when a migration fails; the database is then as before, each migration being one transaction.
 */
export async function migrateDatabase(url: string): Promise<void> {
  // One connection: an advisory lock belongs to its session.
  const database = openDatabase(url, {
    max: 1,
    lockTimeoutMs: 60_000,
    statementTimeoutMs: 0,
    name: 'zonestead-migrate',
  });
  try {
    await database.db.execute(sql`select pg_advisory_lock(${LOCK})`);
    await migrate(database.db, { migrationsFolder: FOLDER });
  } finally {
    await database.close();
  }
}

/** Whether this version's last migration has been applied; false also when none ever was. */
export async function isMigrated(db: Db): Promise<boolean> {
  const wanted = Math.max(...journal.entries.map((entry) => entry.when));
  const exists = await db.execute(sql`select to_regclass('drizzle.__drizzle_migrations') is not null as yes`);
  if (exists[0]?.yes !== true) return false;
  const rows = await db.execute(sql`select max(created_at) >= ${wanted} as yes from drizzle.__drizzle_migrations`);
  return rows[0]?.yes === true;
}
