// The tables of zones, and of the data that belongs to a zone as a whole; see tables.ts.

import type { SigningAlgorithm } from '#dns/dnssec/algorithms.ts';
import type { Denial } from '#dns/dnssec/denial.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import { teams, users } from './account-tables.ts';
import { at, bytea, textArray, textC, xid8 } from './column-types.ts';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
} from './drizzle.ts';
import { apiKeys } from './key-tables.ts';
import { secondaries } from './secondary-tables.ts';

export type ZoneState = 'active' | 'parked';

export const zones = pgTable(
  'zones',
  {
    id: text('id').primaryKey(),
    // Every record has it, and every index of records: four octets instead of the text id.
    no: integer('no').notNull().generatedAlwaysAsIdentity().unique('zones_no_key'),
    // A zone belongs to a team or, being personal, to a person.
    teamId: text('team_id').references(() => teams.id),
    userId: text('user_id').references(() => users.id),
    name: textC('name').notNull().unique('zones_name_key'),
    // The name's labels reversed: children and ancestors are one index range (overlap guard, hosted child zones).
    tree: textC('tree').notNull(),
    state: text('state').$type<ZoneState>().notNull(),
    defaultTtl: integer('default_ttl').notNull(),
    denial: text('denial').$type<Denial>().notNull().default('NSEC'),
    serial: bigint('serial', { mode: 'number' }).notNull(),
    changedXid: xid8('changed_xid').notNull().default(sql`pg_current_xact_id()`),
    // The RDATA of the DS records that the parent zone should have, SHA-256 first. A hosted parent serves them.
    ds: textArray('ds').notNull(),
    // The records of the zone and the octets of their names, contents and comments. Every change of the zone adds its
    // own difference.
    recordCount: bigint('record_count', { mode: 'number' }).notNull().default(0),
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    // How far both may grow before the zone has to ask for more of its owner's quota. The rooms of an owner's zones
    // together stay within the quota, so that a change looks at this row alone.
    recordRoom: bigint('record_room', { mode: 'number' }).notNull().default(0),
    byteRoom: bigint('byte_room', { mode: 'number' }).notNull().default(0),
    // The rows of owned_sets in the zone.
    ownedSets: integer('owned_sets').notNull().default(0),
    // A change of owners or comments alone leaves the serial, and raises this number.
    ownersVersion: bigint('owners_version', { mode: 'number' }).notNull().default(0),
    // The object elsewhere that the zone was made for, as its writer said: `DNSZone namespace/name`. No right follows
    // from it.
    managedBy: text('managed_by'),
    // For people: no name server gets it.
    comment: text('comment'),
    // The names that listed secondaries add to the NS records of the zone, without final dot.
    secondaryNameservers: textArray('secondary_nameservers').notNull().default([]),
    // The parent zone does not delegate the zone before every living node has this transaction, or this time comes;
    // null: it does.
    delegationXid: xid8('delegation_xid'),
    delegationDue: at('delegation_due'),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('zones_tree_idx').on(t.tree),
    index('zones_delegation_idx').on(t.delegationDue).where(sql`${t.delegationDue} is not null`),
    check('zones_delegation', sql`(${t.delegationXid} is null) = (${t.delegationDue} is null)`),
    index('zones_team_idx').on(t.teamId, t.name),
    index('zones_user_idx').on(t.userId, t.name).where(sql`${t.userId} is not null`),
    check('zones_one_owner', sql`(${t.teamId} is null) <> (${t.userId} is null)`),
    check('zones_state', sql`${t.state} in ('active', 'parked')`),
    check('zones_default_ttl', sql`${t.defaultTtl} between 30 and 86400`),
    check('zones_denial', sql`${t.denial} in ('NSEC', 'NSEC3')`),
    check('zones_managed_by', sql`length(${t.managedBy}) between 1 and 400`),
    check('zones_comment', sql`length(${t.comment}) between 1 and 500`),
    check('zones_serial', sql`${t.serial} between 1 and 4294967295`),
  ],
);

/**
 * The DNSSEC keys of zones. A roll is a key with `look_at`: the one that comes, or afterwards the one that goes. A
 * step of it is taken when the servers have shown the step before for long enough.
 */
export const zoneKeys = pgTable(
  'zone_keys',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    zoneId: text('zone_id')
      .notNull()
      .references(() => zones.id, { onDelete: 'cascade' }),
    algorithm: integer('algorithm').$type<SigningAlgorithm>().notNull(),
    // As in the DNSKEY record: base64.
    publicKey: text('public_key').notNull(),
    // PEM (PKCS#8). Secret.
    privateKey: text('private_key').notNull(),
    state: text('state').$type<KeyState>().notNull(),
    // The transaction and the time of the step.
    xid: xid8('xid').notNull().default(sql`pg_current_xact_id()`),
    since: at('since').notNull(),
    // Since when all servers have shown the step; null: not all of them did at the last look.
    shownSince: at('shown_since'),
    // How long resolvers may keep answers of before the step, in seconds; null: not known yet.
    holdS: integer('hold_s'),
    // The server and the value that the step waits for, in words.
    waitsFor: text('waits_for'),
    // The next look at the servers. Null: the key takes no step.
    lookAt: at('look_at'),
    createdAt: at('created_at').notNull().defaultNow(),
    // When a roll that would have replaced the key was cancelled last; null: none was.
    rollCancelledAt: at('roll_cancelled_at'),
  },
  (t) => [
    uniqueIndex('zone_keys_zone_idx').on(t.zoneId, t.publicKey),
    // Not unique: a deleted zone may come back although another zone got its key meanwhile.
    index('zone_keys_public_key_idx').on(t.publicKey),
    uniqueIndex('zone_keys_roll_idx').on(t.zoneId).where(sql`${t.lookAt} is not null`),
    index('zone_keys_look_idx').on(t.lookAt).where(sql`${t.lookAt} is not null`),
    check(
      'zone_keys_state',
      sql`${t.state} in ('presigning', 'published', 'ready', 'withdrawn', 'active', 'retired', 'postsigning')`,
    ),
    check('zone_keys_algorithm', sql`${t.algorithm} in (8, 13, 14, 15)`),
    check('zone_keys_hold', sql`${t.holdS} >= 0`),
  ],
);

/**
 * The zones of secondaries that do not have all zones. The administrator and the owner of a zone each list it for
 * themselves.
 */
export const secondaryZones = pgTable(
  'zone_secondaries',
  {
    zoneId: text('zone_id')
      .notNull()
      .references(() => zones.id, { onDelete: 'cascade' }),
    secondary: textC('secondary')
      .notNull()
      .references(() => secondaries.name, { onDelete: 'cascade' }),
    byAdministrator: boolean('by_administrator').notNull().default(true),
    byOwner: boolean('by_owner').notNull().default(false),
    listedAt: at('listed_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'zone_secondaries_pkey', columns: [t.zoneId, t.secondary] }),
    index('zone_secondaries_secondary_idx').on(t.secondary),
  ],
);

/** Settings that clients of other protocols keep at a zone and read again. The service does nothing by them. */
export const zoneClientSettings = pgTable('zone_client_settings', {
  zoneId: text('zone_id')
    .primaryKey()
    .references(() => zones.id, { onDelete: 'cascade' }),
  settings: jsonb('settings').notNull(),
});

/** Zone files that a person looks over before they are imported: one a zone and key, for an hour. */
export const zoneUploads = pgTable(
  'zone_uploads',
  {
    zoneId: text('zone_id')
      .notNull()
      .references(() => zones.id, { onDelete: 'cascade' }),
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    content: text('content').notNull(),
    // The serial of the zone when the file was previewed.
    serial: bigint('serial', { mode: 'number' }).notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'zone_uploads_pkey', columns: [t.zoneId, t.keyId] }),
    index('zone_uploads_created_idx').on(t.createdAt),
  ],
);

/**
 * Deleted zones that nodes keep until every living node has this transaction, which ended their delegation, or until a
 * time.
 */
export const departingZones = pgTable(
  'departing_zones',
  {
    zoneId: text('zone_id').primaryKey(),
    zoneName: textC('zone_name').notNull(),
    xid: xid8('xid').notNull().default(sql`pg_current_xact_id()`),
    due: at('due').notNull(),
  },
  (t) => [index('departing_zones_due_idx').on(t.due), index('departing_zones_name_idx').on(t.zoneName)],
);

/** Names of deleted zones, which for some time only their former owner can use again. */
export const quarantinedNames = pgTable(
  'quarantined_names',
  {
    name: textC('name').primaryKey(),
    // As in zones: the index finds the names above and below a name.
    tree: textC('tree').notNull(),
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    until: at('until').notNull(),
  },
  (t) => [
    uniqueIndex('quarantined_names_tree_idx').on(t.tree),
    index('quarantined_names_until_idx').on(t.until),
    index('quarantined_names_owner_idx').on(t.teamId, t.userId, t.until),
  ],
);

/** One row: the values of every zone's SOA and apex NS. Written by the api at its start. */
export const service = pgTable(
  'service',
  {
    one: integer('one').primaryKey().default(1),
    nameservers: textArray('nameservers').notNull(),
    hostmaster: text('hostmaster').notNull(),
    // The names that secondaries with all zones add to the NS records of every zone, without final dot.
    secondaryNameservers: textArray('secondary_nameservers').notNull().default([]),
    // Seals what name servers keep for a restored database; service/nodes/seal.ts. Two random UUIDs have 244 random
    // bits.
    sealSecret: bytea('seal_secret')
      .notNull()
      .default(sql`sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))`),
    // A trigger sets it when the values change.
    changedXid: xid8('changed_xid').notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [check('service_one_row', sql`${t.one} = 1`)],
);
