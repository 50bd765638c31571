// The tables of deleted zones as drizzle sees them: a zone with its rows stays until the quarantine of its name ends,
// so that it can be restored. The head of tables.ts describes how tables are written.

import { teams, users } from './account-tables.ts';
import { at, textArray, textC } from './column-types.ts';
import { bigint, check, index, integer, jsonb, pgTable, sql, text } from './drizzle.ts';

/** The columns have the meaning of those of zones. The serial is that of the deletion. */
export const deletedZones = pgTable(
  'deleted_zones',
  {
    id: text('id').primaryKey(),
    no: integer('no').notNull(),
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    name: textC('name').notNull(),
    tree: textC('tree').notNull(),
    state: text('state').notNull(),
    defaultTtl: integer('default_ttl').notNull(),
    denial: text('denial').notNull(),
    serial: bigint('serial', { mode: 'number' }).notNull(),
    ds: textArray('ds').notNull(),
    recordCount: bigint('record_count', { mode: 'number' }).notNull(),
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull(),
    managedBy: text('managed_by'),
    comment: text('comment'),
    secondaryNameservers: textArray('secondary_nameservers').notNull(),
    createdAt: at('created_at').notNull(),
    deletedAt: at('deleted_at').notNull(),
    // The end of the quarantine: the zone with its keys is deleted then.
    until: at('until').notNull(),
  },
  (t) => [
    index('deleted_zones_name_idx').on(t.name, t.deletedAt),
    index('deleted_zones_until_idx').on(t.until),
    index('deleted_zones_owner_idx').on(t.teamId, t.userId, t.deletedAt),
    check('deleted_zones_one_owner', sql`(${t.teamId} is null) <> (${t.userId} is null)`),
  ],
);

/**
 * The rows of a deleted zone in other tables, as JSON: `records`, `owned_sets`, `record_owners`, `key_zone_grants`,
 * `trust_zone_grants`, `zone_secondaries`, `zone_keys`.
 */
export const deletedZoneRows = pgTable(
  'deleted_zone_rows',
  {
    zoneId: text('zone_id')
      .notNull()
      .references(() => deletedZones.id, { onDelete: 'cascade' }),
    origin: text('origin').notNull(),
    row: jsonb('row').notNull(),
  },
  (t) => [index('deleted_zone_rows_zone_idx').on(t.zoneId, t.origin)],
);
