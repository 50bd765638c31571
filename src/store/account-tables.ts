// The tables of teams and people; see tables.ts.

import { at, bytea, times } from './column-types.ts';
import { bigint, check, index, integer, pgTable, primaryKey, sql, text, unique, uniqueIndex } from './drizzle.ts';

export const TEAM_ROLES = ['owner', 'member'] as const;
export type Role = (typeof TEAM_ROLES)[number];

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
    // A person has one account at a provider: an address that the provider gives to another account opens no account.
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
    role: text('role').$type<Role>().notNull(),
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
    // The address need not belong to a person yet.
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
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

/**
 * The team that a team name in the rules of the OpenID provider stands for. A later name of the team changes nothing.
 */
export const teamBindings = pgTable('team_bindings', {
  ruleTeam: text('rule_team').primaryKey(),
  teamId: text('team_id')
    .notNull()
    .unique('team_bindings_team_key')
    .references(() => teams.id, { onDelete: 'cascade' }),
  createdAt: at('created_at').notNull().defaultNow(),
});
