// Reverse records: their states, and the addresses that large changes left to be looked at. Functions at the end of the
// migration decide and write (`reverse_plan`, `apply_reverse`).
import type { ReverseState } from '#dns/reverse.ts';
import type { Db } from './database.ts';
import type { RecordRow } from './records.ts';
import { statement } from './statement.ts';

/** The marks of a record in a list: the first for a record that wants a PTR, the second for the PTR itself. */
export interface ReverseMark {
  reverseState?: ReverseState;
  reverseOf?: string;
}

const selectStates = statement<{ id: string; state: ReverseState }>(`
  select p.record_id as id, p.state from (
      select coalesce(z.team_id, z.user_id) as owner, array_agg(distinct r.rdata) as addresses
      from records r join zones z on z.no = r.zone_no where r.id = any($1::text[]) group by 1) o
    cross join lateral reverse_plan(o.owner, o.addresses) p
  where p.record_id = any($1::text[])`);
const selectAddresses = statement<{ id: string; address: string }>(
  'select id, reverse_of as address from records where id = any($1::text[]) and reverse_of is not null',
);

/** By the id of the record. Records without `reverse` that are not PTRs of the service are missing. */
export async function reverseOfRecords(
  db: Db,
  rows: readonly Pick<RecordRow, 'id' | 'type' | 'health'>[],
): Promise<ReadonlyMap<string, ReverseMark>> {
  const marks = new Map<string, ReverseMark>();
  const wanting = rows.filter(({ health }) => health?.reverse === true).map(({ id }) => id);
  const pointers = rows.filter(({ type }) => type === 'PTR').map(({ id }) => id);
  const states = wanting.length === 0 ? [] : await selectStates(db, wanting);
  const addresses = pointers.length === 0 ? [] : await selectAddresses(db, pointers);
  for (const { id, state } of states) marks.set(id, { reverseState: state });
  for (const { id, address } of addresses) marks.set(id, { reverseOf: address });
  return marks;
}

const applyDue = statement<{ applied: number }>('select apply_reverse_due($1::integer, true) as applied');

/**
 * Applies addresses that a large change left behind, in one transaction. Another process may do the same.
 * @returns how many there were, at most `limit`
 * @throws SQLSTATE 55P03 or 40P01 if a reverse zone stays locked
 */
export async function applyReverseDue(db: Db, limit: number): Promise<number> {
  const [row] = await applyDue(db, limit);
  return row?.applied ?? 0;
}
