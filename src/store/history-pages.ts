// Pages of a history, the newest entry first, bounded in rows and octets: an entry may hold two contents of a quarter
// of a megabyte, and Postgres knows the length of a JSON value only when it has read it. So the places of the rows come
// from the index, the rows are read one by one, and the page ends with the row that reaches the bound. No right is
// known here.
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
  // The time next to the id: the entry is then in one partition of the table, and not looked for in each.
  const entry = `cross join lateral (select * from ${table} e where e.id = p.id and e.at = p.at offset 0) c`;
  const page = statement<Row>(`
    with recursive places as materialized (
      select id, at, row_number() over (order by id desc) as n from (
        select c.id, c.at from ${table} c where ${ownerCondition} and ($2::bigint is null or c.id < $2)
        order by c.id desc limit $3::integer) newest),
    page as (
      (select p.n, ${octets} as octets, c.* from places p ${entry} where p.n = 1)
      union all
      select p.n, page.octets + ${octets}, c.* from page join places p on p.n = page.n + 1 ${entry}
      where page.octets < $4::bigint)
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
