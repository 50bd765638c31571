// The tables of teams, people and keys; see tables.ts.
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
import { at, bytea, cidrs, textArray, textC, times } from './column-types.ts';

export const teams = pgTable('teams', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique('teams_name_key'),
  // The team's own quota; null: the service's.
  quotaZones: integer('quota_zones'),
  quotaRecords: bigint('quota_records', { mode: 'number' }),
  quotaBytes: bigint('quota_bytes', { mode: 'number' }),
  quotaKeys: integer('quota_keys'),
  quotaMembers: integer('quota_members'),
  createdAt: at('created_at').notNull().defaultNow(),
});

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull().unique('users_email_key'),
    name: text('name').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
    // No key and no session of the person is valid from then on. Null: they are.
    suspendedAt: at('suspended_at'),
    // The row stays for the history, with an address that belongs to no person.
    removedAt: at('removed_at'),
  },
  // One person is one address, however it is capitalised.
  (t) => [check('users_email_lower', sql`${t.email} = lower(${t.email})`)],
);

/**
 * The identity of a person at an OpenID provider: `subject` is unique there and stays when the address changes (OIDC
 * Core section 2).
 */
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
    // A person has one account at a provider: an address that the provider gives to another account brings nobody in.
    uniqueIndex('identities_issuer_user_key').on(t.issuer, t.userId),
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

/** The sliding windows of a person, with all keys and sessions together; see write_windows. */
export const personWindows = pgTable(
  'person_windows',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    bucket: text('bucket').notNull(),
    times: times('times').notNull(),
  },
  (t) => [primaryKey({ name: 'person_windows_pkey', columns: [t.userId, t.bucket] })],
);

/** Digests of the states of sign-ins that came back from the OpenID provider: each is used once. */
export const usedSignIns = pgTable(
  'used_sign_ins',
  {
    digest: bytea('digest').primaryKey(),
    usedAt: at('used_at').notNull(),
  },
  (t) => [index('used_sign_ins_used_idx').on(t.usedAt)],
);

/** An offer to a person to become a member, which that person accepts or declines. The row goes when the offer ends. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    teamId: text('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    // The address need not belong to anybody yet.
    email: text('email').notNull(),
    role: text('role').notNull(),
    invitedBy: text('invited_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: at('created_at').notNull().defaultNow(),
    expiresAt: at('expires_at').notNull(),
  },
  (t) => [
    unique('invitations_team_email_key').on(t.teamId, t.email),
    index('invitations_email_idx').on(t.email, t.createdAt),
    index('invitations_invited_by_idx').on(t.invitedBy),
    check('invitations_email_lower', sql`${t.email} = lower(${t.email})`),
    check('invitations_role', sql`${t.role} in ('owner', 'member')`),
  ],
);

/** The team that a team name in the rules of the OpenID provider stands for. A later name of the team changes nothing. */
export const teamBindings = pgTable('team_bindings', {
  ruleTeam: text('rule_team').primaryKey(),
  teamId: text('team_id')
    .notNull()
    .unique('team_bindings_team_key')
    .references(() => teams.id, { onDelete: 'cascade' }),
  createdAt: at('created_at').notNull().defaultNow(),
});

/**
 * A trust gives the holders of an issuer's tokens (RFC 7519) rights on the zones of a team. The columns of the rights are those of
 * api_keys; `only_names` may have templates that are filled from the claims of the token.
 */
export const trusts = pgTable(
  'trusts',
  {
    id: text('id').primaryKey(),
    teamId: text('team_id')
      .notNull()
      .references(() => teams.id),
    name: text('name').notNull(),
    issuer: textC('issuer').notNull(),
    audience: text('audience').notNull(),
    // Where the keys of the issuer come from: KeySource in service/trusts/ports.ts.
    keySource: jsonb('key_source').notNull(),
    // Certificates, as PEM, that the server with the keys is verified by; null: those of the system.
    ca: text('ca'),
    privateAddresses: boolean('private_addresses').notNull().default(false),
    // The claims that a token must have: an object of patterns.
    match: jsonb('match').notNull(),
    // The claims among them that have one value only, as `path=value`: the look-up of a token leaves other trusts out.
    facts: textArray('facts').notNull(),
    // The ids of the keys, if they are pinned and all have one; the look-up uses them in the same way. Null: unknown.
    kids: textArray('kids'),
    maxTokenAgeS: integer('max_token_age_s').notNull(),
    pinSubjects: boolean('pin_subjects').notNull(),
    records: text('records').notNull(),
    manageZones: text('manage_zones').notNull(),
    clusters: text('clusters').notNull().default('none'),
    // When rights were changed last. Null: never.
    rightsChangedAt: at('rights_changed_at'),
    onlyNames: textArray('only_names'),
    onlyTypes: textArray('only_types'),
    networks: cidrs('networks'),
    zoneWrites: integer('zone_writes'),
    recordWrites: integer('record_writes'),
    expiresAt: at('expires_at'),
    revokedAt: at('revoked_at'),
    // The person who created it; null: the command line or the installation.
    createdBy: text('created_by').references(() => users.id),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('trusts_issuer_idx').on(t.issuer),
    index('trusts_team_idx').on(t.teamId),
    check('trusts_records_level', sql`${t.records} in ('none', 'read', 'write')`),
    check('trusts_manage_zones_level', sql`${t.manageZones} in ('none', 'read', 'write')`),
    check('trusts_clusters_right', sql`${t.clusters} in ('none', 'write')`),
    check('trusts_max_token_age', sql`${t.maxTokenAgeS} between 60 and 3600`),
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
    clusters: text('clusters').notNull().default('none'),
    // When rights were changed last. Null: never.
    rightsChangedAt: at('rights_changed_at'),
    onlyNames: textArray('only_names'),
    onlyTypes: textArray('only_types'),
    networks: cidrs('networks'),
    zoneWrites: integer('zone_writes'),
    recordWrites: integer('record_writes'),
    expiresAt: at('expires_at'),
    revokedAt: at('revoked_at'),
    lastUsedAt: at('last_used_at'),
    // The name of the caller: the User-Agent of the last use.
    lastUsedBy: text('last_used_by'),
    // The person who created an app key; null for keys that the command line or the installation created.
    createdBy: text('created_by').references(() => users.id),
    createdAt: at('created_at').notNull().defaultNow(),
    // A subject of a trust has a row without secret and without rights: its rights come from the trust with every request. History,
    // write limits and last use belong to this row.
    trustId: text('trust_id').references(() => trusts.id, { onDelete: 'cascade' }),
    subject: textC('subject'),
    // The UID of the service account at its first request, if the trust pins its subjects.
    pinnedUid: text('pinned_uid'),
  },
  (t) => [
    index('api_keys_team_idx').on(t.teamId),
    uniqueIndex('api_keys_subject_key').on(t.trustId, t.subject).where(sql`${t.trustId} is not null`),
    check('api_keys_subject', sql`(${t.trustId} is null) = (${t.subject} is null)`),
    index('api_keys_user_idx').on(t.userId).where(sql`${t.userId} is not null`),
    check('api_keys_one_holder', sql`(${t.teamId} is null) <> (${t.userId} is null)`),
    // A person creates keys for its teams, so a person's key with fewer rights than the person would not be a
    // restriction.
    check(
      'api_keys_person_whole',
      sql`${t.userId} is null or (${t.records} = 'write' and ${t.manageZones} = 'write' and ${t.onlyNames} is null and ${t.onlyTypes} is null)`,
    ),
    check('api_keys_records_level', sql`${t.records} in ('none', 'read', 'write')`),
    check('api_keys_manage_zones_level', sql`${t.manageZones} in ('none', 'read', 'write')`),
    check('api_keys_clusters_right', sql`${t.clusters} in ('none', 'write')`),
  ],
);

/**
 * The TSIG key (RFC 8945) with which the holder of an app key signs DNS updates and queries. Its rights, networks and end are those of
 * the app key.
 */
export const tsigKeys = pgTable(
  'tsig_keys',
  {
    // In lower case, without final dot.
    name: textC('name').primaryKey(),
    keyId: text('key_id')
      .notNull()
      .unique('tsig_keys_key_id_key')
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    algorithm: text('algorithm').notNull(),
    // Secret, in base64. Both sides of TSIG compute the MAC with the text itself, so a hash of it would not do.
    secret: text('secret').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    check('tsig_keys_name', sql`length(${t.name}) between 1 and 253`),
    check(
      'tsig_keys_algorithm',
      sql`${t.algorithm} in ('hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512')`,
    ),
  ],
);
