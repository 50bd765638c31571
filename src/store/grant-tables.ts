// The tables of rights on single zones, and of the requests of keys; see tables.ts.

import { at, bytea, textC, times } from './column-types.ts';
import { bigint, check, index, jsonb, pgTable, primaryKey, sql, text } from './drizzle.ts';
import { apiKeys, type Level, trusts } from './key-tables.ts';
import { zones } from './zone-tables.ts';

export const keyZoneGrants = pgTable(
  'key_zone_grants',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    zoneId: text('zone_id')
      .notNull()
      .references(() => zones.id, { onDelete: 'cascade' }),
    records: text('records').$type<Level>().notNull(),
  },
  (t) => [
    primaryKey({ name: 'key_zone_grants_pkey', columns: [t.keyId, t.zoneId] }),
    check('key_zone_grants_level', sql`${t.records} in ('none', 'read', 'write')`),
  ],
);

export const trustZoneGrants = pgTable(
  'trust_zone_grants',
  {
    trustId: text('trust_id')
      .notNull()
      .references(() => trusts.id, { onDelete: 'cascade' }),
    zoneId: text('zone_id')
      .notNull()
      .references(() => zones.id, { onDelete: 'cascade' }),
    records: text('records').$type<Level>().notNull(),
  },
  (t) => [
    primaryKey({ name: 'trust_zone_grants_pkey', columns: [t.trustId, t.zoneId] }),
    index('trust_zone_grants_zone_idx').on(t.zoneId),
    check('trust_zone_grants_level', sql`${t.records} in ('none', 'read', 'write')`),
  ],
);

/**
 * The zones that the installation declares for a trust, by name: the trust gets its right when its team creates the
 * zone.
 */
export const trustZoneNames = pgTable(
  'trust_zone_names',
  {
    trustId: text('trust_id')
      .notNull()
      .references(() => trusts.id, { onDelete: 'cascade' }),
    zoneName: textC('zone_name').notNull(),
    records: text('records').$type<Level>().notNull(),
  },
  (t) => [
    primaryKey({ name: 'trust_zone_names_pkey', columns: [t.trustId, t.zoneName] }),
    index('trust_zone_names_name_idx').on(t.zoneName),
    check('trust_zone_names_level', sql`${t.records} in ('none', 'read', 'write')`),
  ],
);

export const writeWindows = pgTable(
  'write_windows',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    bucket: text('bucket').notNull(),
    times: times('times').notNull(),
  },
  (t) => [primaryKey({ name: 'write_windows_pkey', columns: [t.keyId, t.bucket] })],
);

export const idempotency = pgTable(
  'idempotency',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    token: text('token').notNull(),
    requestHash: bytea('request_hash').notNull(),
    answer: jsonb('answer').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
    /** In the order of their insertion: the retention counts and deletes answers as it does history. */
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  },
  (t) => [primaryKey({ name: 'idempotency_pkey', columns: [t.keyId, t.token] }), index('idempotency_id_idx').on(t.id)],
);
