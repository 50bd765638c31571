// The table locks that the statements of a migration take, read from their text. `zonestead migrate --plan` prints
// them, and the lint of migrations uses the same reading. Source: PostgreSQL documentation, section 13.3.1, and the
// pages of the commands. It knows the forms that migrations have; any other statement counts as the strongest lock.

export type LockMode =
  | 'ROW EXCLUSIVE'
  | 'SHARE UPDATE EXCLUSIVE'
  | 'SHARE'
  | 'SHARE ROW EXCLUSIVE'
  | 'ACCESS EXCLUSIVE';

export interface TableLock {
  /** Null: the statement names no table. */
  table: string | null;
  mode: LockMode;
}

/** The effect of a lock on others, for people. */
export const LOCK_EFFECTS: Readonly<Record<LockMode, string>> = {
  'ROW EXCLUSIVE': 'blocks writers of the same rows',
  'SHARE UPDATE EXCLUSIVE': 'blocks no reader and no writer',
  SHARE: 'blocks writers',
  'SHARE ROW EXCLUSIVE': 'blocks writers',
  'ACCESS EXCLUSIVE': 'blocks readers and writers',
};

/** Without comments and bodies of functions, in lower case, with single spaces. */
export function normalizeStatement(text: string): string {
  return text
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$$$$')
    .replace(/--[^\n]*/g, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .toLowerCase()
    .replaceAll('"', '')
    .replace(/\bpublic\./g, '')
    .replace(/\s+/g, ' ')
    .replace(/;\s*$/, '')
    .trim();
}

const NAME = '([a-z_][a-z0-9_]*)';
const NO_LOCK =
  /^(create (or replace )?(function|view|type|sequence|schema|extension)|comment on|grant|revoke|select|set )/;

interface Form {
  pattern: RegExp;
  mode: LockMode;
}

// The first form that matches decides.
const FORMS: readonly Form[] = [
  {
    pattern: new RegExp(`^create (?:unique )?index concurrently .*?\\bon (?:only )?${NAME}`),
    mode: 'SHARE UPDATE EXCLUSIVE',
  },
  { pattern: new RegExp(`^create (?:unique )?index .*?\\bon (?:only )?${NAME}`), mode: 'SHARE' },
  {
    pattern: new RegExp(`^create (?:or replace )?(?:constraint )?trigger .*? on ${NAME}`),
    mode: 'SHARE ROW EXCLUSIVE',
  },
  { pattern: new RegExp(`^drop trigger .*? on ${NAME}`), mode: 'ACCESS EXCLUSIVE' },
  {
    pattern: new RegExp(
      `^alter table (?:if exists )?(?:only )?${NAME} (?:validate constraint|attach partition|set \\(|alter (?:column )?\\S+ set statistics)`,
    ),
    mode: 'SHARE UPDATE EXCLUSIVE',
  },
  {
    pattern: new RegExp(`^alter table (?:if exists )?(?:only )?${NAME} add (?:constraint \\S+ )?foreign key`),
    mode: 'SHARE ROW EXCLUSIVE',
  },
  { pattern: new RegExp(`^alter table (?:if exists )?(?:only )?${NAME}`), mode: 'ACCESS EXCLUSIVE' },
  {
    pattern: new RegExp(`^(?:drop table|truncate)(?: table)?(?: if exists)?(?: only)? ${NAME}`),
    mode: 'ACCESS EXCLUSIVE',
  },
  { pattern: new RegExp(`^(?:insert into|update|delete from)(?: only)? ${NAME}`), mode: 'ROW EXCLUSIVE' },
];

/** The tables that a migration creates: no other process uses them yet. */
export function createdTables(statements: readonly string[]): ReadonlySet<string> {
  const created = new Set<string>();
  for (const statement of statements) {
    const name = new RegExp(`^create table (?:if not exists )?${NAME}`).exec(normalizeStatement(statement))?.[1];
    if (name !== undefined) created.add(name);
  }
  return created;
}

/** The locks of one statement on tables that exist before its migration. Empty: it blocks no other process. */
export function locksOf(statement: string, created: ReadonlySet<string>): TableLock[] {
  const text = normalizeStatement(statement);
  if (text === '' || NO_LOCK.test(text)) return [];
  const locks: TableLock[] = [];
  const explicit = new RegExp(`^lock table ${NAME} in ([a-z ]+) mode`).exec(text);
  if (explicit?.[1] && explicit[2]) locks.push({ table: explicit[1], mode: explicit[2].toUpperCase() as LockMode });
  else if (!/^create table\b/.test(text)) locks.push(ownLock(text));
  // A foreign key also locks the table that it names.
  for (const [, table] of text.matchAll(new RegExp(`\\breferences ${NAME}`, 'g')))
    if (table !== undefined && !/^create (or replace )?(constraint )?trigger/.test(text))
      locks.push({ table, mode: 'SHARE ROW EXCLUSIVE' });
  return locks.filter(({ table }) => table === null || !created.has(table));
}

function ownLock(text: string): TableLock {
  for (const { pattern, mode } of FORMS) {
    const table = pattern.exec(text)?.[1];
    if (table !== undefined) return { table, mode };
  }
  return { table: null, mode: 'ACCESS EXCLUSIVE' };
}
