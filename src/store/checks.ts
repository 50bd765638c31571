// Rows of health checks, of a team or person. No right is known here.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

export interface CheckRow {
  /** Id of the team or person. */
  owner: string;
  name: string;
  /** As the contract has it. */
  definition: unknown;
  /** In ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

const time = (column: string) => `to_json(${column})#>>'{}'`;
const COLUMNS = `owner, name, definition, ${time('created_at')} as "createdAt", ${time('updated_at')} as "updatedAt"`;

const selectOf = statement<CheckRow>(
  `select ${COLUMNS} from checks where owner = any($1::text[]) and ($2::text is null or name = $2) order by name, owner`,
);

/** The checks of some owners, by name. @param name only those with this name; null: all */
export async function listChecks(
  on: Db | Tx,
  owners: readonly string[],
  name: string | null,
): Promise<readonly CheckRow[]> {
  return selectOf(on, owners, name);
}

const countOf = statement<{ count: number }>('select count(*)::integer as count from checks where owner = $1');

export async function countChecks(tx: Tx, owner: string): Promise<number> {
  return (await countOf(tx, owner))[0]?.count ?? 0;
}

// The join makes Postgres read the row before the update, which would hide it.
const put = statement<{ before: unknown }>(`
  with before as (select definition from checks where owner = $1 and name = $2 for update)
  insert into checks (owner, name, definition)
    select $1, $2, $3::jsonb from (select) one left join before on true
  on conflict (owner, name) do update set definition = excluded.definition, updated_at = now()
  returning (select definition from before) as before`);

/** Creates the check, or replaces it. @returns the definition before; null: there was none */
export async function writeCheck(tx: Tx, owner: string, name: string, definition: unknown): Promise<unknown> {
  return (await put(tx, owner, name, JSON.stringify(definition)))[0]?.before ?? null;
}

// The lock keeps new records with the check away until the transaction ends.
const lock = statement<{ definition: unknown }>(
  'select definition from checks where owner = $1 and name = $2 for update',
);
const countRecords = statement<{ count: number }>(`
  select count(*)::integer as count from (
    select from records r join zones z on z.no = r.zone_no
    where r.health ->> 'check' = $2 and r.health is not null and coalesce(z.team_id, z.user_id) = $1 limit 1000) used`);
const remove = statement('delete from checks where owner = $1 and name = $2');

/**
 * Deletes a check that no record has.
 * @returns the definition that it had, null if there was none; and how many records have it, 1000 for more
 */
export async function deleteCheckRow(
  tx: Tx,
  owner: string,
  name: string,
): Promise<{ before: unknown; records: number }> {
  const [row] = await lock(tx, owner, name);
  if (row === undefined) return { before: null, records: 0 };
  const records = (await countRecords(tx, owner, name))[0]?.count ?? 0;
  if (records === 0) await remove(tx, owner, name);
  return { before: row.definition, records };
}
