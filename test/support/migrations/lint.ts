// Finds statements of a migration that break the previous version, or block writers while they run on a large table.
// The rules are those of docs/explanation/database-migrations.md. A statement that may break one of them says why, in a
// comment of its own: `-- lint: allow drop: no version since 0.3.0 reads this column`.
import { createdTables, locksOf, normalizeStatement } from '#store/statement-locks.ts';

/** Tables whose rows grow with records and their changes. */
const LARGE: ReadonlySet<string> = new Set(
  `records changes account_changes owned_sets record_owners feed_changes idempotency history_usage deleted_zone_rows
  alias_answers record_targets zones zone_uploads api_keys`.split(/\s+/),
);

interface Rule {
  name: string;
  /** Whether the first line `-- contract: <version>` of the migration allows it. */
  mayContract?: boolean;
  breaks(text: string, table: string | null): boolean;
  remedy: string;
}

const RULES: readonly Rule[] = [
  {
    name: 'drop',
    mayContract: true,
    breaks: (text) =>
      /^drop (table|view|function|type|sequence|trigger)|\bdrop (column|constraint)\b|\bdrop default\b/.test(text),
    remedy: 'the previous version may use it: drop it one version later, under `-- contract: <version>`',
  },
  {
    name: 'drop-exists',
    breaks: (text) =>
      /(^drop (table|view|function|type|sequence|trigger|index)|\bdrop (column|constraint)) (?!if exists)/.test(text),
    remedy: 'say `if exists`: a new database never had it',
  },
  {
    name: 'rename',
    breaks: (text) => /^alter .*\brename\b/.test(text),
    remedy: 'the previous version uses the old name: add the new one next to it',
  },
  {
    name: 'type',
    breaks: (text) => /\balter (column )?\S+ (set data )?type\b/.test(text),
    remedy:
      'it rewrites the table under its strongest lock: add a column, and move the values outside of the migration',
  },
  {
    name: 'not-null',
    breaks: (text) =>
      /\balter (column )?\S+ set not null/.test(text) ||
      (/\badd (column )?(if not exists )?\S+ .*\bnot null\b/.test(text) && !/\bdefault\b/.test(text)),
    remedy: 'the previous version may leave it out: give a default, or require it one version later',
  },
  {
    name: 'rewrite',
    breaks: (text) =>
      /\badd (column )?(if not exists )?\S+ .*(\bdefault (gen_random_uuid|clock_timestamp|random|nextval)\b|\bgenerated always\b|\bserial\b)/.test(
        text,
      ) || /^(vacuum|cluster|reindex)\b/.test(text),
    remedy: 'it rewrites the table under its strongest lock: add the column without a value, and fill it in later',
  },
  {
    name: 'index',
    breaks: (text, table) =>
      /^create (unique )?index (?!if not exists|concurrently)/.test(text) && table !== null && LARGE.has(table),
    remedy:
      'it blocks writers while it is built: say `if not exists`, so that it can be built before with `concurrently`, ' +
      'which no transaction allows',
  },
  {
    name: 'concurrently',
    breaks: (text) => /\bconcurrently\b/.test(text),
    remedy: 'all migrations are one transaction, in which Postgres refuses it',
  },
  {
    name: 'validate',
    breaks: (text) => /^alter table .*\badd (constraint \S+ )?(foreign key|check)\b(?!.*\bnot valid\b)/.test(text),
    remedy: 'it reads the whole table under a lock: say `not valid`, and validate it in a later version',
  },
  {
    name: 'unique',
    breaks: (text) => /^alter table .*\badd (constraint \S+ )?(unique|primary key)\b(?!.*\busing index\b)/.test(text),
    remedy: 'it builds an index under the strongest lock: build the index before, and say `using index`',
  },
  {
    name: 'rows',
    breaks: (text, table) => /^(update|delete from)\b/.test(text) && table !== null && LARGE.has(table),
    remedy:
      'it locks rows of a large table until all migrations end: move data in small steps outside of the migration',
  },
];

export interface Finding {
  rule: string;
  statement: string;
  remedy: string;
}

/** Nothing that a migration does to tables which it creates itself is a finding. */
export function lintMigration(sql: string): Finding[] {
  const statements = sql.split('--> statement-breakpoint').flatMap(splitStatements);
  const isContract = /^-- contract: \d+\.\d+\.\d+$/m.test(sql);
  const created = createdTables(statements);
  return statements.flatMap((statement) => lintStatement(statement, isContract, created));
}

function lintStatement(statement: string, isContract: boolean, created: ReadonlySet<string>): Finding[] {
  const text = normalizeStatement(statement);
  const table = locksOf(statement, new Set())[0]?.table ?? null;
  if (text === '' || (table !== null && created.has(table))) return [];
  return RULES.filter(({ breaks }) => breaks(text, table))
    .filter(({ mayContract, name }) => !(mayContract && isContract) && !isAllowed(statement, name))
    .map(({ name, remedy }) => ({ rule: name, statement: text, remedy }));
}

/** A reason of a few words is a reason; "ok" is none. */
function isAllowed(statement: string, rule: string): boolean {
  return new RegExp(`^\\s*-- lint: allow ${rule}: .{15,}$`, 'm').test(statement);
}

/** At semicolons outside of the bodies of functions and of comments. */
function splitStatements(text: string): string[] {
  const parts = text.match(/(?:\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|[^;])+/g) ?? [];
  return parts.filter((part) => part.trim() !== '');
}
