// The tables of name server nodes: their keys, and what they report; see tables.ts.

import { at, bytea, cidrs, pgSnapshot, textArray, textC } from './column-types.ts';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
} from './drizzle.ts';

/** A node key reads all zones with their private keys and reports. It belongs to no team and has no other right. */
export const nodeKeys = pgTable('node_keys', {
  id: text('id').primaryKey(),
  // The name of the node, or of the nodes that share the key.
  name: text('name').notNull(),
  secretHash: bytea('secret_hash').notNull(),
  networks: cidrs('networks'),
  expiresAt: at('expires_at'),
  revokedAt: at('revoked_at'),
  lastUsedAt: at('last_used_at'),
  lastUsedBy: text('last_used_by'),
  createdAt: at('created_at').notNull().defaultNow(),
});

/**
 * The last report of each instance of a node. An instance ends with the state of its node, so a node without a volume
 * has a new one after each restart.
 */
export const nodes = pgTable(
  'nodes',
  {
    name: textC('name').notNull(),
    instance: text('instance').notNull(),
    keyId: text('key_id')
      .notNull()
      .references(() => nodeKeys.id, { onDelete: 'cascade' }),
    version: text('version').notNull(),
    engine: text('engine').notNull(),
    // The position that the node has applied, as it says; null before its first list. The next two columns are its
    // parts.
    cursor: text('cursor'),
    epoch: text('epoch'),
    position: pgSnapshot('position'),
    zones: integer('zones').notNull(),
    failingCount: integer('failing_count').notNull(),
    // [{id, error}], not all of them if there are many.
    failing: jsonb('failing').notNull(),
    startedAt: at('started_at').notNull(),
    // When the instance began to report, without a pause of 30 s since then.
    firstAt: at('first_at').notNull(),
    reportedAt: at('reported_at').notNull(),
    // When its process ended in an orderly way; null since it reports again.
    leftAt: at('left_at'),
    // {noerror, nxdomain, …}: the answers that the name server has given since it started. Null: the node does not say.
    answers: jsonb('answers'),
    // {count, zones: [{name, since}], more: [name]}: zones that the list lacks and the node keeps.
    held: jsonb('held'),
    // The changes of zones that the instance has applied, and the sum of the seconds from each change to its report.
    applied: bigint('applied', { mode: 'number' }).notNull().default(0),
    appliedSeconds: doublePrecision('applied_seconds').notNull().default(0),
  },
  (t) => [
    primaryKey({ name: 'nodes_pkey', columns: [t.name, t.instance] }),
    check('nodes_position', sql`(${t.cursor} is null) = (${t.position} is null)`),
  ],
);

/** The counters of a node at one minute. The overview of the console draws their differences. */
export const nodeSamples = pgTable(
  'node_samples',
  {
    node: textC('node').notNull(),
    instance: text('instance').notNull(),
    at: at('at').notNull(),
    // As in nodes.
    answers: jsonb('answers'),
    applied: bigint('applied', { mode: 'number' }).notNull(),
    appliedSeconds: doublePrecision('applied_seconds').notNull(),
  },
  (t) => [
    primaryKey({ name: 'node_samples_pkey', columns: [t.node, t.instance, t.at] }),
    index('node_samples_at_idx').on(t.at),
  ],
);

/** One row: nodes compare all zones with the api once for each token. */
export const nodeComparisons = pgTable(
  'node_comparisons',
  {
    one: integer('one').primaryKey().default(1),
    token: text('token').notNull(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [check('node_comparisons_one_row', sql`${t.one} = 1`)],
);

/**
 * One row: nodes remove the zones that they hold and that a list of this epoch lacks. Another epoch is another
 * database: a restore does not accept anything, because its row has the epoch of the time of the backup.
 */
export const acceptedRemovals = pgTable(
  'accepted_removals',
  {
    one: integer('one').primaryKey().default(1),
    epoch: text('epoch').notNull(),
    at: at('at').notNull(),
  },
  (t) => [check('accepted_removals_one_row', sql`${t.one} = 1`)],
);

/** Name servers that are planned to be down: proofs do not wait for them until the time has ended. */
export const nameserverCordons = pgTable('nameserver_cordons', {
  // The name of a name server, one of its addresses, or the name of a node.
  name: textC('name').primaryKey(),
  until: at('until').notNull(),
  reason: text('reason'),
  createdAt: at('created_at').notNull().defaultNow(),
});

/**
 * One row while an administrator brings back zones from name servers: the zones that nodes send. Reports of nodes are
 * answered with it.
 */
export const salvageRequests = pgTable(
  'salvage_requests',
  {
    one: integer('one').primaryKey().default(1),
    token: text('token').notNull(),
    // Zone names. A node sends those that it holds.
    zones: textArray('zones').notNull(),
    // Whether nodes also send the endings that they remember.
    endings: boolean('endings').notNull().default(false),
    // Whether they send only private keys, also of zones that the database has.
    keysOnly: boolean('keys_only').notNull().default(false),
    // The end of the request if the command does not end it.
    until: at('until').notNull(),
  },
  (t) => [check('salvage_requests_one_row', sql`${t.one} = 1`)],
);

/**
 * The parts that nodes sent for the request, until the command has read them. Part 0 of a zone comes last, and has
 * its key; the zone '' stands for the endings.
 */
export const salvageParts = pgTable(
  'salvage_parts',
  {
    instance: text('instance').notNull(),
    zone: textC('zone').notNull(),
    part: integer('part').notNull(),
    node: textC('node').notNull(),
    content: jsonb('content').notNull(),
  },
  (t) => [primaryKey({ name: 'salvage_parts_pkey', columns: [t.instance, t.zone, t.part] })],
);
