// The tables of the feed for name server nodes; see tables.ts. Triggers write the rows of feed_changes for zones that
// are created or deleted, and for changes that come without their names.

import { at, textArray, textC, xid8 } from './column-types.ts';
import { bigint, check, pgTable, primaryKey, sql, text } from './drizzle.ts';

/** The names that a transaction changed, one row for each zone. Nodes read them in any order of commits. */
export const feedChanges = pgTable(
  'feed_changes',
  {
    xid: xid8('xid').notNull().default(sql`pg_current_xact_id()`),
    no: bigint('no', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    // `changed`: these names of the zone; `gone`: the zone was deleted; `all`: every zone, because the service's
    // settings changed.
    kind: text('kind').notNull(),
    // No foreign key: the row outlives the zone.
    zoneId: text('zone_id'),
    // Only if the zone is gone: its name can no longer be looked up.
    zoneName: textC('zone_name'),
    // Relative to the zone, as in records. Null: the whole zone.
    names: textArray('names'),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'feed_changes_pkey', columns: [t.xid, t.no] }),
    check(
      'feed_changes_kind',
      sql`case ${t.kind} when 'all' then ${t.zoneId} is null when 'changed' then ${t.zoneId} is not null
        when 'gone' then ${t.zoneId} is not null and ${t.zoneName} is not null else false end`,
    ),
  ],
);

/**
 * Positions of the past, one a minute: every transaction below `horizon` had ended by `at`. Rows of feed_changes below
 * the oldest position may be gone, so an older cursor cannot be continued.
 */
export const feedPositions = pgTable('feed_positions', {
  horizon: xid8('horizon').primaryKey(),
  at: at('at').notNull().defaultNow(),
});
