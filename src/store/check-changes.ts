// The last changes of the states of checked addresses. A trigger on the addresses writes them.
import type { TargetKey, TargetState } from './check-targets.ts';
import type { Db } from './database.ts';
import { statement } from './statement.ts';
import { epochMs } from './times.ts';

export interface CheckChange extends Pick<TargetKey, 'address'> {
  /** In ms since 1970. */
  at: number;
  before: TargetState;
  state: TargetState;
  reason: string | null;
}

const selectNewest = statement<CheckChange>(`
  select c.address, ${epochMs('c.at')} as at, c.before, c.state, c.reason from check_changes c
  where c.owner = $1 and c.check_name = $2 order by c.at desc, c.no desc limit $3::integer`);

/** The newest changes of the addresses of a check, the newest first. The table has at most a hundred of an address. */
export async function listCheckChanges(
  db: Db,
  { owner, checkName }: Pick<TargetKey, 'owner' | 'checkName'>,
  limit: number,
): Promise<readonly CheckChange[]> {
  return selectNewest(db, owner, checkName, limit);
}
