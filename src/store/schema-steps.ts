// The migrations of this version as data: the steps that a database lacks, their locks, and whether this version may
// follow the versions that the database knows. Pure but for reading the files.
//
// A migration that removes a part that an older version uses begins with `-- contract: 0.3.0`: programs older than
// 0.3.0 cannot use the schema that it leaves. A database on which no version from 0.3.0 on has run may still have such
// a program, or data that only 0.3.0 moves, so the migration is refused there.
import { readFileSync } from 'node:fs';
import { compareVersions } from '#base/versions.ts';
import { createdTables, locksOf, type TableLock } from './statement-locks.ts';

export interface SchemaStep {
  /** The name of its file, without `.sql`. */
  tag: string;
  /** When it was written, in ms since the Unix epoch. A database applies only later ones. */
  when: number;
  /** The oldest version that works with the schema after this step. Null: it takes nothing away. */
  contract: string | null;
  statements: readonly { text: string; locks: readonly TableLock[] }[];
}

/** The migrations and versions that a database has seen. */
export interface SchemaState {
  /** `when` of the last migration that was applied; null: it is new. */
  appliedUntil: number | null;
  /** The versions that migrated it, in any order. */
  versions: readonly string[];
  /** The oldest version that works with its schema; null: every version. */
  oldestVersion: string | null;
}

const BREAK = '--> statement-breakpoint';

/** @param folder the folder of the migrations */
export function readSteps(folder: string): SchemaStep[] {
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
  return journal.entries.map(({ tag, when }) => toStep(tag, when, readFileSync(`${folder}/${tag}.sql`, 'utf8')));
}

export function toStep(tag: string, when: number, sql: string): SchemaStep {
  const statements = sql.split(BREAK).map((text) => text.trim());
  const created = createdTables(statements);
  return {
    tag,
    when,
    contract: /^-- contract: (\S+)$/m.exec(sql)?.[1] ?? null,
    statements: statements.map((text) => ({ text, locks: locksOf(text, created) })),
  };
}

/** The steps that a database lacks, in their order. */
export function missingSteps(steps: readonly SchemaStep[], { appliedUntil }: SchemaState): SchemaStep[] {
  return steps.filter(({ when }) => appliedUntil === null || when > appliedUntil);
}

/**
 * Whether `version` may migrate and use this database.
 * @param missing its steps that the database lacks
 * @returns null, or a sentence that says which version to install first
 */
export function refuseJump(version: string, missing: readonly SchemaStep[], state: SchemaState): string | null {
  const { oldestVersion, versions, appliedUntil } = state;
  if (oldestVersion !== null && compareVersions(version, oldestVersion) < 0)
    return (
      `The schema of the database is too new for version ${version}: it works with version ${oldestVersion} and later ` +
      `ones. Install version ${oldestVersion} or a later one.`
    );
  if (appliedUntil === null) return null;
  const newest = newestVersion(versions);
  const unmet = missing
    .flatMap(({ contract }) => contract ?? [])
    .filter((contract) => newest === null || compareVersions(newest, contract) < 0);
  const path = [...new Set(unmet)].sort(compareVersions);
  if (path.length === 0) return null;
  return (
    `Version ${version} cannot follow ${newest === null ? 'an unknown version' : `version ${newest}`} directly. ` +
    `Install version ${path.join(', then version ')} first, and wait each time until all replicas of the api have it. ` +
    'The database is unchanged.'
  );
}

/** The oldest version that works with the schema after these steps; null: the steps take nothing away. */
export function oldestAfter(steps: readonly SchemaStep[]): string | null {
  return newestVersion(steps.flatMap(({ contract }) => contract ?? []));
}

/** Null: there are none. */
export function newestVersion(versions: readonly string[]): string | null {
  return [...versions].sort(compareVersions).at(-1) ?? null;
}

/** The indexes of a step on tables that exist: a person builds them before, and the step then does nothing. */
export function indexesToBuild({ statements }: SchemaStep): { table: string; statement: string }[] {
  return statements.flatMap(({ text, locks }) => {
    const [lock] = locks;
    const create = /create (unique )?index (concurrently )?if not exists [\s\S]*/i.exec(text)?.[0];
    if (create === undefined || lock === undefined || lock.table === null) return [];
    const statement = create
      .replace(/^create (unique )?index (concurrently )?/i, (_, unique) => `create ${unique ?? ''}index concurrently `)
      .replace(/\s+/g, ' ')
      .replace(/;?\s*$/, '');
    return [{ table: lock.table, statement }];
  });
}
