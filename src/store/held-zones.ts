// The zones that name servers hold although this database lacks them, as the reports say: a restored database may not
// know them.
import type { Tx } from './database.ts';
import { EPOCH } from './feed-changes.ts';
import { LIVING_NODES } from './nodes.ts';
import { statement } from './statement.ts';

export interface HeldAround {
  epoch: string;
  /**
   * Nodes have reported before, and none of them has applied a list of this database as it runs now. Then it is
   * not known which zones they hold.
   */
  isUnknown: boolean;
  /** A node holds so many zones that it does not name them all, and no administrator accepts the removals. */
  isUnnamed: boolean;
  /**
   * A held zone with this name, above it or below it. Null: there is none, or an administrator accepts the removals.
   */
  held: string | null;
}

const selectHeld = statement<HeldAround>(`
  with here as materialized (select ${EPOCH} as epoch),
    holders as materialized (
      select n.held from (${LIVING_NODES}) n cross join here where n.held is not null and n.epoch = here.epoch
        and not exists (select from accepted_removals a where a.epoch = here.epoch)),
    names as (
      select z->>'name' as name from holders, jsonb_array_elements(held->'zones') z
      union all select jsonb_array_elements_text(held->'more') from holders where held ? 'more')
  select here.epoch,
    exists (select from nodes where position is not null)
      and not exists (select from nodes n where n.epoch = here.epoch) as "isUnknown",
    exists (
      select from holders where (held->>'count')::integer > jsonb_array_length(held->'zones')
        + coalesce(jsonb_array_length(held->'more'), 0)) as "isUnnamed",
    (select name from names where name = any($2::text[]) or right(name, length($1) + 1) = '.' || $1 limit 1) as held
  from here`);

/** @param suffixes the name and all names above it */
export async function heldAround(tx: Tx, name: string, suffixes: readonly string[]): Promise<HeldAround> {
  return (await selectHeld(tx, name, suffixes))[0] as HeldAround;
}
