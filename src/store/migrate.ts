// Brings the database to the schema of this version. Safe to run by every replica at once.

import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };
import { type Db, openDatabase, sqlFailure, type Tx } from './database.ts';
import { migrate, sql } from './drizzle.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };
import {
  missingSteps,
  newestVersion,
  oldestAfter,
  readSteps,
  refuseJump,
  type SchemaState,
  type SchemaStep,
} from './schema-steps.ts';

const FOLDER = new URL('./migrations', import.meta.url).pathname;
/** Any constant will do, as long as nothing else in this database takes it. */
const LOCK = 0x7a6f6e65;
/**
 * A migration that waits for a table lock blocks every writer behind it: it waits only this long, and then lets them
 * pass.
 */
const TABLE_LOCK_TIMEOUT = '500ms';
const LOCK_NOT_AVAILABLE = '55P03';
const CANCELLED = '57014';
const TRIES = 120;
const RETRY_MS = 500;
/** A writer waits 2 s for a lock, half a second of it perhaps before the migration has the lock. */
const MAX_HELD_MS = 1_500;

interface MigrateOptions {
  /** The folder of the migrations. (Default: those of this version.) */
  folder?: string;
  /** The version that migrates. (Default: this one.) */
  version?: string;
  /** How long the migration may hold its locks in a database that others use, in ms. (Default: 1500.) */
  maxHeldMs?: number;
}

export interface Migrated {
  /** The migrations that were applied now. */
  applied: readonly string[];
  /** How long their transaction took, in ms: no lock was held for longer. */
  heldMs: number;
}

/** A migration that does not run. Its message is for people, and the database is unchanged. */
export class MigrationRefused extends Error {
  readonly code = 'MIGRATION_REFUSED';
}

/**
 * Applies the missing migrations, under an advisory lock, because drizzle's migrator takes none. Other processes may
 * continue to write: a lock that it cannot get within half a second is tried again, for two minutes, and a transaction
 * that holds its locks for longer than `maxHeldMs` is undone.
 * @throws MigrationRefused if this version may not follow the one before, or if the locks would be held for too long;
 * any error leaves the database unchanged, since all missing migrations are one transaction
 */
export function migrateDatabase(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  const { folder = FOLDER, version = manifest.version, maxHeldMs = MAX_HELD_MS } = options;
  return withMigrator(url, async (db) => {
    await db.build.execute(sql`select pg_advisory_lock(${LOCK})`);
    await db.build.execute(sql`set lock_timeout = ${sql.raw(`'${TABLE_LOCK_TIMEOUT}'`)}`);
    const state = await readState(db);
    const missing = missingSteps(readSteps(folder), state);
    const refusal = refuseJump(version, missing, state);
    if (refusal !== null) throw new MigrationRefused(refusal);
    const limitMs = state.appliedUntil === null ? null : maxHeldMs;
    const heldMs = await patiently(() => applyMissing(db, folder, { missing, version, limitMs }));
    await patiently(() => settleForeignIds(db));
    return { applied: missing.map(({ tag }) => tag), heldMs };
  });
}

export interface MigrationPlan {
  steps: readonly SchemaStep[];
  /** Why the steps would not run; null: they would. */
  refusal: string | null;
  /** The estimated number of rows of each table that the steps lock. */
  rows: ReadonlyMap<string, number>;
}

/** The migrations that {@link migrateDatabase} would apply. Changes nothing. */
export function planMigration(url: string, { folder = FOLDER, version = manifest.version }: MigrateOptions = {}) {
  return withMigrator(url, async (db): Promise<MigrationPlan> => {
    const state = await readState(db);
    const steps = missingSteps(readSteps(folder), state);
    const tables = steps.flatMap((step) =>
      step.statements.flatMap(({ locks }) => locks.flatMap((lock) => lock.table ?? [])),
    );
    const counted = await db.build.execute<{ name: string; rows: number }>(sql`
      select c.relname as name, (select greatest(0, sum(p.reltuples)) from pg_class p
        where p.oid = c.oid or p.oid in (select inhrelid from pg_inherits where inhparent = c.oid))::float8 as rows
      from pg_class c where c.relnamespace = 'public'::regnamespace
        and c.relname in (select json_array_elements_text(${JSON.stringify(tables)}::json))`);
    const rows = new Map(counted.map((row) => [row.name, Number(row.rows)]));
    return { steps, refusal: refuseJump(version, steps, state), rows };
  });
}

/** One connection: an advisory lock belongs to its session. */
async function withMigrator<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const options = { max: 1, lockTimeoutMs: 60_000, statementTimeoutMs: 0, name: 'zonestead-migrate' };
  const database = openDatabase(url, options);
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

async function readState(db: Db): Promise<SchemaState> {
  const [tables] = await db.build.execute(sql`
    select to_regclass('drizzle.__drizzle_migrations') is not null as migrations,
      to_regclass('drizzle.installed_versions') is not null as versions`);
  const [last] =
    tables?.migrations === true
      ? await db.build.execute(sql`select max(created_at)::text as at from drizzle.__drizzle_migrations`)
      : [];
  const rows =
    tables?.versions === true
      ? await db.build.execute<{ version: string; oldest: string | null }>(
          sql`select version, oldest from drizzle.installed_versions`,
        )
      : [];
  return {
    appliedUntil: last?.at == null ? null : Number(last.at),
    versions: rows.map(({ version }) => version),
    oldestVersion: newestVersion(rows.flatMap(({ oldest }) => oldest ?? [])),
  };
}

/** All missing migrations are one transaction. @returns its time in ms */
async function applyMissing(
  db: Db,
  folder: string,
  { missing, version, limitMs }: { missing: readonly SchemaStep[]; version: string; limitMs: number | null },
): Promise<number> {
  let heldMs = 0;
  const apply = async (statements: readonly string[]) => {
    const begin = performance.now();
    await db.transaction(async (tx) => {
      for (const text of statements) {
        const leftMs = limitMs === null ? 0 : Math.max(1, Math.ceil(limitMs - (performance.now() - begin)));
        await tx.client.unsafe(`set local statement_timeout = ${leftMs}`);
        await tx.client.unsafe(text).catch((error) => {
          throw sqlFailure(error)?.code === CANCELLED ? heldTooLong(limitMs, text, missing) : error;
        });
      }
      await noteVersion(tx, version, oldestAfter(missing));
    });
    heldMs = performance.now() - begin;
  };
  await migrate(db.build, apply, { migrationsFolder: folder });
  return heldMs;
}

/** The versions that migrated the database, for the check of a later one. */
async function noteVersion(tx: Tx, version: string, oldest: string | null): Promise<void> {
  await tx.client.unsafe(`
    create table if not exists drizzle.installed_versions (
      version text primary key, oldest text, first_at timestamptz not null default now())`);
  await tx.client.unsafe(
    `insert into drizzle.installed_versions as i (version, oldest) values ($1, $2)
     on conflict (version) do update set oldest = excluded.oldest where excluded.oldest is not null`,
    [version, oldest],
  );
}

function heldTooLong(limitMs: number | null, text: string, missing: readonly SchemaStep[]): MigrationRefused {
  const step = missing.find(({ statements }) => statements.some((statement) => text.includes(statement.text)));
  return new MigrationRefused(
    `The migration ${step?.tag ?? ''} would block other programs for longer than ${limitMs} ms, and was undone. ` +
      'Build the indexes that `zonestead migrate --plan` lists first, or run `zonestead migrate --max-held <ms>` while ' +
      'no client writes.',
  );
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
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
