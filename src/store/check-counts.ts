// How many addresses of each check are in each state.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

export interface CheckCounts {
  /** Id of the team or person. */
  owner: string;
  checkName: string;
  healthy: number;
  unhealthy: number;
  unknown: number;
  /** Another text after each change of an address, its state, its reason or its pin. */
  digest: string;
}

const count = (state: string) => `(count(*) filter (where t.state = '${state}'))::integer`;
const selectCounts = statement<CheckCounts>(`
  select t.owner, t.check_name as "checkName", ${count('Healthy')} as healthy, ${count('Unhealthy')} as unhealthy,
    ${count('Unknown')} as unknown, md5(string_agg(row(t.address, t.state, t.reason, t.since, t.pin, t.pin_reason,
      t.pinned_by, t.pin_until, t.pin_until > now())::text, '' order by t.address)) as digest
  from check_targets t where t.owner = any($1::text[]) and ($2::text is null or t.check_name = $2)
  group by t.owner, t.check_name`);

/** Checks without an address have no row. @param name only those with this name; null: all */
export async function countByCheck(
  db: Db,
  owners: readonly string[],
  name: string | null,
): Promise<readonly CheckCounts[]> {
  return selectCounts(db, owners, name);
}
