// The tables of API keys and of trusts, which have the same rights; see tables.ts.

import type { KeySource } from '#base/key-source.ts';
import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { teams, users } from './account-tables.ts';
import { at, bytea, cidrs, textArray, textC } from './column-types.ts';
import { boolean, check, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from './drizzle.ts';

export type Level = 'none' | 'read' | 'write';
/** The right to send heartbeats of clusters, and to see them. */
export type ClusterRight = 'none' | 'write';

/** The claims that a token must have: patterns, or objects of them. */
export interface ClaimMatch {
  [claim: string]: string | ClaimMatch;
}

/** The rights of a key or a trust, their limits and their end. A function, because a column belongs to one table. */
const rightColumns = () => ({
  records: text('records').$type<Level>().notNull(),
  manageZones: text('manage_zones').$type<Level>().notNull(),
  clusters: text('clusters').$type<ClusterRight>().notNull().default('none'),
  // When rights were changed last. Null: never.
  rightsChangedAt: at('rights_changed_at'),
  // Names and patterns of the checks that signals may be sent for.
  signals: textArray('signals').notNull().default([]),
  onlyNames: textArray('only_names'),
  onlyTypes: textArray('only_types'),
  networks: cidrs('networks'),
  zoneWrites: integer('zone_writes'),
  recordWrites: integer('record_writes'),
  expiresAt: at('expires_at'),
  revokedAt: at('revoked_at'),
});

/**
 * A trust gives the holders of an issuer's tokens (RFC 7519) rights on the zones of a team. Its `only_names` may have
 * templates that are filled from the claims of the token.
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
    keySource: jsonb('key_source').$type<KeySource>().notNull(),
    // Certificates, as PEM, that the server with the keys is verified by; null: those of the system.
    ca: text('ca'),
    privateAddresses: boolean('private_addresses').notNull().default(false),
    // The claims that a token must have: an object of patterns.
    match: jsonb('match').$type<ClaimMatch>().notNull(),
    // The claims among them that have one value only, as `path=value`: the look-up of a token leaves other trusts out.
    facts: textArray('facts').notNull(),
    // The ids of the keys, if they are pinned and all have one; the look-up uses them in the same way. Null: unknown.
    kids: textArray('kids'),
    maxTokenAgeS: integer('max_token_age_s').notNull(),
    pinSubjects: boolean('pin_subjects').notNull(),
    ...rightColumns(),
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
    ...rightColumns(),
    lastUsedAt: at('last_used_at'),
    // The name of the caller: the User-Agent of the last use.
    lastUsedBy: text('last_used_by'),
    // The person who created an app key; null for keys that the command line or the installation created.
    createdBy: text('created_by').references(() => users.id),
    createdAt: at('created_at').notNull().defaultNow(),
    // A subject of a trust has a row without secret and without rights: its rights come from the trust with every
    // request. History, write limits and last use belong to this row.
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
 * The TSIG key (RFC 8945) with which the holder of an app key signs DNS updates and queries. Its rights, networks and
 * end are those of the app key.
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
    algorithm: text('algorithm').$type<TsigKeyAlgorithm>().notNull(),
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
