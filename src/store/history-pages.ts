// Pages of a history, the newest entry first, bounded in rows and octets: an entry may hold two contents of a quarter
// of a megabyte, and Postgres knows the length of a JSON value only when it has read it. So the rows are taken one by
// one, each by the index, and the page ends with the row that reaches the bound. No right is known here.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

interface HistoryPage<Row> {
  rows: readonly Row[];
  /** Whether older entries follow. */
  more: boolean;
}

/** Octets of `before` and `after` that end a page. */
const OCTETS = 1024 * 1024;

/**
 * @param table has id, before and after, and an index on the owner's column and id
 * @param columns the columns of the answer
 * @param ownerCondition the condition that selects the entries of the history $1, with the alias c
 * @returns a function that reads a page: its owner, the most rows, and the entry before which it begins
 */
export function historyPages<Row extends { id: string }>(
  table: 'changes' | 'account_changes',
  columns: string,
  ownerCondition: string,
): (db: Db, owner: string, limit: number, before: number | null) => Promise<HistoryPage<Row>> {
  const octets = `(coalesce(octet_length(c.before::text), 0) + coalesce(octet_length(c.after::text), 0))::bigint`;
  const page = statement<Row>(`
    with recursive page as (
      (select 1 as n, ${octets} as octets, c.* from ${table} c
        where ${ownerCondition} and ($2::bigint is null or c.id < $2) order by c.id desc limit 1)
      union all
      select page.n + 1, page.octets + ${octets}, c.* from page cross join lateral (
        select * from ${table} c where ${ownerCondition} and c.id < page.id order by c.id desc limit 1) c
      where page.n < $3::integer and page.octets < $4::bigint)
    select ${columns} from page order by n`);
  const older = statement<{ exists: boolean }>(
    `select exists (select from ${table} c where ${ownerCondition} and c.id < $2::bigint) as exists`,
  );
  return async (db, owner, limit, before) => {
    const rows = await page(db, owner, before, limit, OCTETS);
    const last = rows.at(-1);
    const [olderRow] = last === undefined ? [] : await older(db, owner, last.id);
    return { rows, more: olderRow?.exists ?? false };
  };
}
