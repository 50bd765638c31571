// The versions of the parts of an installation, and the faults that an upgrade would meet, as the database shows them.
import type { Program } from '#base/versions.ts';
import type { Db } from './database.ts';
import { sql } from './drizzle.ts';
import { countStoredKeys } from './encryption.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };
import { allNodes, type NodeRow } from './nodes.ts';

export interface UpgradeRow {
  /** Migrations of this version that the database lacks, by name. */
  readonly pendingMigrations: readonly string[];
  /** Migrations that this version does not know: a newer version has run. */
  readonly laterMigrations: number;
  /** Indexes that a build has left unusable. */
  readonly invalidIndexes: readonly string[];
  /** The private keys of zones that are in clear. */
  readonly clearKeys: number;
  /** Each replica of the api with a connection, by its address. */
  readonly apis: readonly Program[];
  /** The operators whose clusters sent a heartbeat within a day, by cluster. */
  readonly operators: readonly Program[];
  readonly nodes: readonly NodeRow[];
  /** Null: the server archives no WAL. The age of the last archived file in seconds; null: none was archived yet. */
  readonly archive: { readonly lastAgeSeconds: number | null; readonly isFailing: boolean } | null;
}

/** Reads one connection's view of the installation. The database must be migrated once. */
export async function readUpgrade(db: Db): Promise<UpgradeRow> {
  const applied = await db.build.execute(sql`select created_at::text as at from drizzle.__drizzle_migrations`);
  const appliedTimes = new Set(applied.map(({ at }) => Number(at)));
  const knownTimes = new Set(journal.entries.map(({ when }) => when));
  const indexes = await db.build.execute(sql`
    select indexrelid::regclass::text as name from pg_index where not indisvalid order by 1`);
  const apis = await db.build.execute(sql`
    select distinct coalesce(host(client_addr), 'local') as name, nullif(split_part(application_name, '/', 2), '') as version
    from pg_stat_activity where datname = current_database() and application_name like 'zonestead-api%' order by 1, 2`);
  const operators = await db.build.execute(sql`
    select distinct c.name, nullif(split_part(k.last_used_by, '/', 2), '') as version
    from clusters c left join api_keys k on k.id = c.held_by
    where c.heartbeat_at > now() - interval '1 day' order by 1, 2`);
  const [archiver] = await db.build.execute(sql`
    select current_setting('archive_mode') <> 'off' as on,
      extract(epoch from now() - last_archived_time)::float8 as age,
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing
    from pg_stat_archiver`);
  return {
    pendingMigrations: journal.entries.filter(({ when }) => !appliedTimes.has(when)).map(({ tag }) => tag),
    laterMigrations: [...appliedTimes].filter((at) => !knownTimes.has(at)).length,
    invalidIndexes: indexes.map(({ name }) => String(name)),
    clearKeys: (await countStoredKeys(db)).find(({ name }) => name === null)?.count ?? 0,
    apis: apis.map(toProgram),
    operators: operators.map(toProgram),
    nodes: await allNodes(db),
    archive:
      archiver?.on === true
        ? { lastAgeSeconds: archiver.age === null ? null : Number(archiver.age), isFailing: archiver.failing === true }
        : null,
  };
}

function toProgram({ name, version }: Record<string, unknown>): Program {
  return { name: String(name), version: version === null ? null : String(version) };
}
