// The tables as drizzle sees them; account-tables.ts has those of teams, people and keys, history-tables.ts those of history, and
// feed-tables.ts and node-tables.ts those of the feed for name server nodes and of the nodes. Columns and constraints are named by hand, so that the SQL in migrations/
// reads the same. Triggers, which drizzle cannot express, are in the hand-written migrations.
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { apiKeys, teams, trusts, users } from './account-tables.ts';
import { at, bytea, textArray, textC, times, xid8 } from './column-types.ts';
import { secondaries } from './secondary-tables.ts';

export * from './account-tables.ts';
export * from './cluster-tables.ts';
export * from './deleted-tables.ts';
export * from './feed-tables.ts';
export * from './history-tables.ts';
export * from './node-tables.ts';
export * from './secondary-tables.ts';

export const keyZoneGrants = pgTable(
  'key_zone_grants',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    zoneId: text('zone_id')
      .notNull()
      .references(() => zones.id, { onDelete: 'cascade' }),
    records: text('records').notNull(),
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
    records: text('records').notNull(),
  },
  (t) => [
    primaryKey({ name: 'trust_zone_grants_pkey', columns: [t.trustId, t.zoneId] }),
    index('trust_zone_grants_zone_idx').on(t.zoneId),
    check('trust_zone_grants_level', sql`${t.records} in ('none', 'read', 'write')`),
  ],
);

/** The zones that the installation declares for a trust, by name: the trust gets its right when its team creates the zone. */
export const trustZoneNames = pgTable(
  'trust_zone_names',
  {
    trustId: text('trust_id')
      .notNull()
      .references(() => trusts.id, { onDelete: 'cascade' }),
    zoneName: textC('zone_name').notNull(),
    records: text('records').notNull(),
  },
  (t) => [
    primaryKey({ name: 'trust_zone_names_pkey', columns: [t.trustId, t.zoneName] }),
    index('trust_zone_names_name_idx').on(t.zoneName),
    check('trust_zone_names_level', sql`${t.records} in ('none', 'read', 'write')`),
  ],
);

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
    state: text('state').notNull(),
    defaultTtl: integer('default_ttl').notNull(),
    serial: bigint('serial', { mode: 'number' }).notNull(),
    changedXid: xid8('changed_xid').notNull().default(sql`pg_current_xact_id()`),
    cskPrivate: text('csk_private').notNull(),
    cskPublic: text('csk_public').notNull(),
    // DS RDATA, SHA-256 first: a hosted parent zone serves it, computed at read time.
    ds: textArray('ds').notNull(),
    // The records of the zone and the octets of their names, contents and comments. Every change of the zone adds its own difference.
    recordCount: bigint('record_count', { mode: 'number' }).notNull().default(0),
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    // How far both may grow before the zone has to ask for more of its owner's quota. The rooms of an owner's zones together stay
    // within the quota, so that a change looks at this row alone.
    recordRoom: bigint('record_room', { mode: 'number' }).notNull().default(0),
    byteRoom: bigint('byte_room', { mode: 'number' }).notNull().default(0),
    // The rows of owned_sets in the zone.
    ownedSets: integer('owned_sets').notNull().default(0),
    // A change of owners or comments alone leaves the serial, and raises this number.
    ownersVersion: bigint('owners_version', { mode: 'number' }).notNull().default(0),
    // The object elsewhere that the zone was made for, as its writer said: `DNSZone namespace/name`. No right follows from it.
    managedBy: text('managed_by'),
    // For people: no name server gets it.
    comment: text('comment'),
    // The names that listed secondaries add to the NS records of the zone, without final dot.
    secondaryNameservers: textArray('secondary_nameservers').notNull().default([]),
    // The parent zone does not delegate the zone before every living node has this transaction, or this time comes; null: it does.
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
    check('zones_managed_by', sql`length(${t.managedBy}) between 1 and 400`),
    check('zones_comment', sql`length(${t.comment}) between 1 and 500`),
    check('zones_serial', sql`${t.serial} between 1 and 4294967295`),
  ],
);

/** The zones of secondaries that do not have all zones. The administrator and the owner of a zone each list it for themselves. */
export const zoneSecondaries = pgTable(
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

/** Deleted zones that nodes keep until every living node has this transaction, which ended their delegation, or until a time. */
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

export const records = pgTable(
  'records',
  {
    id: text('id').primaryKey(),
    zoneNo: integer('zone_no')
      .notNull()
      .references(() => zones.no, { onDelete: 'cascade' }),
    name: textC('name').notNull(),
    ordername: textC('ordername').notNull(),
    type: text('type').notNull(),
    content: text('content').notNull(),
    // The canonical text of the value, with absolute names. The content has the user's own spelling.
    rdata: text('rdata').notNull(),
    // SHA-256 of the canonical wire form: RDATA may be longer than an index row, and identity is the wire form.
    digest: bytea('digest').notNull(),
    ttl: integer('ttl'),
    priority: integer('priority'),
    // For people: no name server gets it.
    comment: text('comment'),
    // Whether all owners of the record are withdrawn: it is served only if nothing else is at its name and type. The database
    // functions of migrations/ compute it.
    withdrawn: boolean('withdrawn').notNull().default(false),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    unique('records_rdata_key').on(t.zoneNo, t.ordername, t.type, t.digest),
    uniqueIndex('records_one_cname_idx').on(t.zoneNo, t.ordername).where(sql`${t.type} = 'CNAME'`),
    // Which zones serve a target's addresses. Only ALIAS rows: a plain index on RDATA could not hold every value.
    index('records_alias_idx').on(t.rdata, t.zoneNo).where(sql`${t.type} = 'ALIAS'`),
    check('records_ttl', sql`${t.ttl} between 30 and 86400`),
    check('records_priority', sql`${t.priority} between 0 and 65535`),
    check('records_comment', sql`length(${t.comment}) between 1 and 500`),
  ],
);

/** The values that an owner applied at one name and type. The owner belongs to the team or person of the zone. */
export const ownedSets = pgTable(
  'owned_sets',
  {
    id: text('id').primaryKey(),
    zoneNo: integer('zone_no')
      .notNull()
      .references(() => zones.no, { onDelete: 'cascade' }),
    owner: textC('owner').notNull(),
    name: textC('name').notNull(),
    ordername: textC('ordername').notNull(),
    type: text('type').notNull(),
    // The version of the owner's object, as the owner counts it, and the object that it was counted by.
    generation: bigint('generation', { mode: 'number' }),
    instance: text('instance'),
    // SHA-256 of the TTL and the values as applied.
    digest: bytea('digest').notNull(),
    // The number of values as applied: fewer rows in record_owners mean that others deleted records.
    valueCount: integer('value_count').notNull(),
    // Null: the default of the zone. Each record has the lowest TTL of its owners.
    ttl: integer('ttl'),
    // As the owner applied it. The records have one each, which others may change.
    comment: text('comment'),
    share: boolean('share').notNull(),
    retain: boolean('retain').notNull(),
    drift: text('drift').notNull(),
    // Whether the set is withdrawn while its cluster is lost.
    whenClusterLost: text('when_cluster_lost').notNull().default('Keep'),
    // When the lease ends; null: never.
    expiresAt: at('expires_at'),
    // When the service releases the set: at the end of the lease, or later if a rule refused that.
    dueAt: at('due_at'),
    appliedAt: at('applied_at').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    // The owners of a zone in order, and those with a prefix.
    unique('owned_sets_key').on(t.zoneNo, t.owner, t.ordername, t.type),
    index('owned_sets_name_idx').on(t.zoneNo, t.ordername),
    // The owners of one cluster in all zones.
    index('owned_sets_owner_idx').on(t.owner, t.zoneNo),
    index('owned_sets_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    check('owned_sets_owner', sql`length(${t.owner}) between 1 and 400`),
    check('owned_sets_ttl', sql`${t.ttl} between 30 and 86400`),
    check('owned_sets_comment', sql`length(${t.comment}) between 1 and 500`),
    check('owned_sets_drift', sql`${t.drift} in ('Enforce', 'Report', 'Ignore')`),
    check('owned_sets_when_cluster_lost', sql`${t.whenClusterLost} in ('Keep', 'Withdraw')`),
  ],
);

/** The owners of records. A record that others change keeps its owners; one that they delete loses them. */
export const recordOwners = pgTable(
  'record_owners',
  {
    recordId: text('record_id')
      .notNull()
      .references(() => records.id, { onDelete: 'cascade' }),
    setId: text('set_id')
      .notNull()
      .references(() => ownedSets.id, { onDelete: 'cascade' }),
    // The digest of the value as applied: another one in the record means that others changed it.
    digest: bytea('digest').notNull(),
  },
  (t) => [
    primaryKey({ name: 'record_owners_pkey', columns: [t.recordId, t.setId] }),
    index('record_owners_set_idx').on(t.setId),
  ],
);

/**
 * The addresses of ALIAS targets: one row for a target and an owner of zones, however many of its records share the target. A
 * trigger on records makes the rows.
 */
export const aliasAnswers = pgTable(
  'alias_answers',
  {
    // As in records.rdata: lower case, with final dot.
    target: textC('target').notNull(),
    // Team or person. Empty in rows that a version before this column made.
    owner: textC('owner').notNull().default(''),
    ipv4: textArray('ipv4').notNull().default(sql`'{}'`),
    ipv6: textArray('ipv6').notNull().default(sql`'{}'`),
    // Seconds: the target's own within bounds, short while it cannot be resolved.
    ttl: integer('ttl').notNull().default(30),
    // When a resolution worked last; null: never.
    resolvedAt: at('resolved_at'),
    // When to resolve next. Taking a target in hand moves it ahead, so that no other replica takes it as well.
    dueAt: at('due_at').notNull().defaultNow(),
    // In a row; 0 after a success.
    failures: integer('failures').notNull().default(0),
    error: text('error'),
    // When the addresses or the TTL changed; null: all zones that serve them have been marked as changed since then.
    unmarkedSince: at('unmarked_since'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'alias_answers_pkey', columns: [t.target, t.owner] }),
    index('alias_answers_due_idx').on(t.dueAt),
    // Owners take turns: the due targets of each.
    index('alias_answers_owner_idx').on(t.owner, t.dueAt),
    check('alias_answers_ttl', sql`${t.ttl} between 30 and 3600`),
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

/** Zone files that somebody looks over before they are imported: one a zone and key, for an hour. */
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

/** One row: the values of every zone's SOA and apex NS. Written by the api at its start. */
export const service = pgTable(
  'service',
  {
    one: integer('one').primaryKey().default(1),
    nameservers: textArray('nameservers').notNull(),
    hostmaster: text('hostmaster').notNull(),
    // The names that secondaries with all zones add to the NS records of every zone, without final dot.
    secondaryNameservers: textArray('secondary_nameservers').notNull().default([]),
    // A trigger sets it when the values change.
    changedXid: xid8('changed_xid').notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [check('service_one_row', sql`${t.one} = 1`)],
);
