// The table of reverse records that have to be looked at; see tables.ts. Triggers at the end of the migration write it.

import { textC, xid8 } from './column-types.ts';
import { bigint, index, pgTable, sql, text } from './drizzle.ts';

/**
 * Addresses whose PTR may have to change. The transaction that adds rows applies the first 200 when it commits, and a
 * round of the api those that are left (store/reverse.ts).
 */
export const reverseDue = pgTable(
  'reverse_due',
  {
    no: bigint('no', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    xid: xid8('xid').notNull().default(sql`pg_current_xact_id()`),
    // The team or person of the record.
    owner: textC('owner').notNull(),
    address: text('address').notNull(),
    // The zone whose history names the request, and the record that it changed. No foreign keys: the row outlives both.
    zoneId: text('zone_id').notNull(),
    recordId: text('record_id'),
  },
  (t) => [index('reverse_due_xid_idx').on(t.xid)],
);
