// The tables as drizzle sees them. Columns and constraints are named by hand so that the SQL in migrations/ reads the
// same. What drizzle cannot say (triggers, schema pdns, roles) stands in the hand-written migrations; read it there.
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });
/** Byte order, whatever the database's locale: DNSSEC's canonical order is by bytes (RFC 4034 6.1). */
const textC = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });
const cidrs = customType<{ data: string[] }>({ dataType: () => 'cidr[]' });
const times = customType<{ data: Date[] }>({ dataType: () => 'timestamptz[]' });
const textArray = customType<{ data: string[] }>({ dataType: () => 'text[]' });
const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const teams = pgTable('teams', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique('teams_name_key'),
  createdAt: at('created_at').notNull().defaultNow(),
});

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull().unique('users_email_key'),
    name: text('name').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  // One person is one address, however it is capitalised.
  (t) => [check('users_email_lower', sql`${t.email} = lower(${t.email})`)],
);

/** Who a person is at an OpenID provider: `subject` is unique there and stays when the address changes (OIDC Core section 2). */
export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'identities_pkey', columns: [t.issuer, t.subject] }),
    index('identities_user_idx').on(t.userId),
  ],
);

export const memberships = pgTable(
  'memberships',
  {
    teamId: text('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'memberships_pkey', columns: [t.teamId, t.userId] }),
    index('memberships_user_idx').on(t.userId),
    check('memberships_role', sql`${t.role} in ('owner', 'member')`),
  ],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    // A key is an app account's (team_id) or a person's (user_id).
    teamId: text('team_id').references(() => teams.id),
    userId: text('user_id').references(() => users.id),
    name: text('name').notNull(),
    secretHash: bytea('secret_hash').notNull(),
    records: text('records').notNull(),
    manageZones: text('manage_zones').notNull(),
    onlyNames: textArray('only_names'),
    onlyTypes: textArray('only_types'),
    networks: cidrs('networks'),
    zoneWrites: integer('zone_writes'),
    recordWrites: integer('record_writes'),
    expiresAt: at('expires_at'),
    revokedAt: at('revoked_at'),
    lastUsedAt: at('last_used_at'),
    // What said it was calling: the User-Agent of the last use.
    lastUsedBy: text('last_used_by'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('api_keys_team_idx').on(t.teamId),
    index('api_keys_user_idx').on(t.userId).where(sql`${t.userId} is not null`),
    check('api_keys_one_holder', sql`(${t.teamId} is null) <> (${t.userId} is null)`),
    // A person mints keys for its teams, so a person's key with less than the person's rights would be no restriction.
    check(
      'api_keys_person_whole',
      sql`${t.userId} is null or (${t.records} = 'write' and ${t.manageZones} = 'write' and ${t.onlyNames} is null and ${t.onlyTypes} is null)`,
    ),
    check('api_keys_records_level', sql`${t.records} in ('none', 'read', 'write')`),
    check('api_keys_manage_zones_level', sql`${t.manageZones} in ('none', 'read', 'write')`),
  ],
);

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

export const zones = pgTable(
  'zones',
  {
    id: text('id').primaryKey(),
    // PowerDNS keeps a domain id as int4, so a zone needs a number beside its text id.
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
    // The object elsewhere that the zone was made for, as its writer said: `DNSZone namespace/name`. No right follows from it.
    managedBy: text('managed_by'),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('zones_tree_idx').on(t.tree),
    index('zones_changed_xid_idx').on(t.changedXid),
    index('zones_team_idx').on(t.teamId, t.name),
    index('zones_user_idx').on(t.userId, t.name).where(sql`${t.userId} is not null`),
    check('zones_one_owner', sql`(${t.teamId} is null) <> (${t.userId} is null)`),
    check('zones_state', sql`${t.state} in ('active', 'parked')`),
    check('zones_default_ttl', sql`${t.defaultTtl} between 30 and 86400`),
    check('zones_managed_by', sql`length(${t.managedBy}) between 1 and 400`),
    check('zones_serial', sql`${t.serial} between 1 and 4294967295`),
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
    // What PowerDNS serves; the user's own spelling can be one that PowerDNS answers with SERVFAIL for the whole name.
    rdata: text('rdata').notNull(),
    // SHA-256 of the canonical wire form: RDATA may be longer than an index row, and identity is the wire form.
    digest: bytea('digest').notNull(),
    ttl: integer('ttl'),
    priority: integer('priority'),
    // As in zones: `DNSRecord namespace/name`.
    managedBy: text('managed_by'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    unique('records_rdata_key').on(t.zoneNo, t.ordername, t.type, t.digest),
    uniqueIndex('records_one_cname_idx').on(t.zoneNo, t.ordername).where(sql`${t.type} = 'CNAME'`),
    index('records_cuts_idx').on(t.zoneNo, t.ordername).where(sql`${t.type} = 'NS'`),
    // Which zones serve a target's addresses. Only ALIAS rows: a plain index on RDATA could not hold every value.
    index('records_alias_idx').on(t.rdata, t.zoneNo).where(sql`${t.type} = 'ALIAS'`),
    check('records_ttl', sql`${t.ttl} between 30 and 86400`),
    check('records_managed_by', sql`length(${t.managedBy}) between 1 and 400`),
    check('records_priority', sql`${t.priority} between 0 and 65535`),
  ],
);

/** What ALIAS targets resolve to, one row a target however many records share it. Rows are made by a trigger on records. */
export const aliasAnswers = pgTable(
  'alias_answers',
  {
    // As in records.rdata: lower case, with final dot.
    target: textC('target').primaryKey(),
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
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [index('alias_answers_due_idx').on(t.dueAt), check('alias_answers_ttl', sql`${t.ttl} between 30 and 3600`)],
);

export const changes = pgTable(
  'changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    // No foreign key: history outlives the zone.
    zoneId: text('zone_id').notNull(),
    zoneName: textC('zone_name').notNull(),
    // The zone's owner at that time, as in zones.
    teamId: text('team_id'),
    userId: text('user_id'),
    keyId: text('key_id').notNull(),
    action: text('action').notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
    serial: bigint('serial', { mode: 'number' }).notNull(),
    requestId: text('request_id').notNull(),
    xid: xid8('xid').notNull().default(sql`pg_current_xact_id()`),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [
    index('changes_zone_idx').on(t.zoneId, t.id),
    // A deleted zone has no row left to carry changed_xid: name servers find it here.
    index('changes_deleted_zone_idx').on(t.xid).where(sql`${t.action} = 'zone.delete'`),
  ],
);

/** The history of everything that is no zone: teams, members, keys. It has no serial, and is asked for by team. */
export const accountChanges = pgTable(
  'account_changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    // No foreign keys: history outlives what it tells of.
    teamId: text('team_id'),
    // Null: the command line, which needs no key.
    keyId: text('key_id'),
    action: text('action').notNull(),
    // The id of the team, person or key that was changed.
    subject: text('subject').notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
    requestId: text('request_id').notNull(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [index('account_changes_team_idx').on(t.teamId, t.id)],
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
  },
  (t) => [
    primaryKey({ name: 'idempotency_pkey', columns: [t.keyId, t.token] }),
    index('idempotency_created_idx').on(t.createdAt),
  ],
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
    // Of the zone when the file was looked over.
    serial: bigint('serial', { mode: 'number' }).notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'zone_uploads_pkey', columns: [t.zoneId, t.keyId] }),
    index('zone_uploads_created_idx').on(t.createdAt),
  ],
);

/** One row: what every zone's SOA and apex NS are made of. Written by the api at its start, read by schema pdns. */
export const service = pgTable(
  'service',
  {
    one: integer('one').primaryKey().default(1),
    nameservers: textArray('nameservers').notNull(),
    hostmaster: text('hostmaster').notNull(),
  },
  (t) => [check('service_one_row', sql`${t.one} = 1`)],
);
