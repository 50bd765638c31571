// The tables of health checks: their definitions, their addresses, the name servers that probe, and the lease of the
// probing process; see tables.ts.
import { at, textC } from './column-types.ts';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
} from './drizzle.ts';
import { nodeKeys } from './node-tables.ts';

/** A check belongs to a team or person, and is used by the records of their zones. */
export const checks = pgTable(
  'checks',
  {
    // The id of the team or person.
    owner: textC('owner').notNull(),
    name: textC('name').notNull(),
    // As the contract has it, with all defaults.
    definition: jsonb('definition').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'checks_pkey', columns: [t.owner, t.name] }),
    check('checks_name', sql`length(${t.name}) between 1 and 63`),
  ],
);

/**
 * The state of an address that records with the check have: one row for any number of records. A trigger on records
 * makes the rows; store/check-targets.ts removes those that no record needs.
 */
export const checkTargets = pgTable(
  'check_targets',
  {
    owner: textC('owner').notNull(),
    checkName: textC('check_name').notNull(),
    // As in records.rdata.
    address: textC('address').notNull(),
    state: text('state').notNull().default('Unknown'),
    // Why it is in this state; null: nothing is known yet.
    reason: text('reason'),
    since: at('since').notNull().defaultNow(),
    // A person decided for the probes until then.
    pin: text('pin'),
    pinReason: text('pin_reason'),
    pinnedBy: text('pinned_by'),
    pinUntil: at('pin_until'),
    // Whether records with this address are served only if no others are: the pin if there is one, else the state.
    down: boolean('down').notNull().default(false),
    // When `down` changed; null: all zones that serve the address have been marked as changed since then.
    unmarkedSince: at('unmarked_since'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'check_targets_pkey', columns: [t.owner, t.checkName, t.address] }),
    // The name begins as those of constraints on records do: a record whose check does not exist is refused by it.
    foreignKey({
      name: 'records_check_exists',
      columns: [t.owner, t.checkName],
      foreignColumns: [checks.owner, checks.name],
    }).onDelete('cascade'),
    index('check_targets_unmarked_idx').on(t.unmarkedSince).where(sql`${t.unmarkedSince} is not null`),
    check('check_targets_state', sql`${t.state} in ('Unknown', 'Healthy', 'Unhealthy')`),
    check('check_targets_pin', sql`${t.pin} in ('Healthy', 'Unhealthy')`),
  ],
);

/** The last changes of the state of each address. A trigger writes them, and keeps the newest hundred of an address. */
export const checkChanges = pgTable(
  'check_changes',
  {
    no: bigint('no', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    owner: textC('owner').notNull(),
    checkName: textC('check_name').notNull(),
    address: textC('address').notNull(),
    at: at('at').notNull(),
    before: text('before').notNull(),
    state: text('state').notNull(),
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ name: 'check_changes_pkey', columns: [t.owner, t.checkName, t.address, t.no] }),
    foreignKey({
      name: 'check_changes_target',
      columns: [t.owner, t.checkName, t.address],
      foreignColumns: [checkTargets.owner, checkTargets.checkName, checkTargets.address],
    }).onDelete('cascade'),
    index('check_changes_newest_idx').on(t.owner, t.checkName, t.at),
  ],
);

/** The signals of monitors, for checks of the type `signal`: at most one row for a check and address. */
export const checkSignals = pgTable(
  'check_signals',
  {
    owner: textC('owner').notNull(),
    checkName: textC('check_name').notNull(),
    // As in check_targets; empty: all addresses of the check that have no row of their own.
    address: textC('address').notNull(),
    state: text('state').notNull(),
    reason: text('reason').notNull(),
    // The signal counts until then.
    until: at('until').notNull(),
  },
  (t) => [
    primaryKey({ name: 'check_signals_pkey', columns: [t.owner, t.checkName, t.address] }),
    foreignKey({
      name: 'check_signals_check',
      columns: [t.owner, t.checkName],
      foreignColumns: [checks.owner, checks.name],
    }).onDelete('cascade'),
    check('check_signals_state', sql`${t.state} in ('Healthy', 'Unhealthy')`),
  ],
);

/** The name servers that can probe. One row for a node key, so a key has one vote, however many nodes use it. */
export const checkVantages = pgTable('check_vantages', {
  keyId: text('key_id')
    .primaryKey()
    .references(() => nodeKeys.id, { onDelete: 'cascade' }),
  node: textC('node').notNull(),
  // Made by the node when it begins to vote: its votes of another session do not exist any more.
  session: text('session').notNull(),
  // Counts the parts of votes of the session that were stored.
  part: integer('part').notNull(),
  // The oldest vantage points probe, and others wait.
  since: at('since').notNull(),
  reportedAt: at('reported_at').notNull(),
});

/** The vote of each name server about an address. A row counts for as long as its name server reports. */
export const checkVotes = pgTable(
  'check_votes',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => checkVantages.keyId, { onDelete: 'cascade' }),
    owner: textC('owner').notNull(),
    checkName: textC('check_name').notNull(),
    address: textC('address').notNull(),
    // The definition that was probed; a vote about another one does not count.
    probe: text('probe').notNull(),
    // Unknown: the name server takes its vote back.
    state: text('state').notNull(),
    reason: text('reason'),
    // The part that it came in.
    part: integer('part').notNull(),
  },
  (t) => [
    primaryKey({ name: 'check_votes_pkey', columns: [t.keyId, t.owner, t.checkName, t.address] }),
    foreignKey({
      name: 'check_votes_target',
      columns: [t.owner, t.checkName, t.address],
      foreignColumns: [checkTargets.owner, checkTargets.checkName, checkTargets.address],
    }).onDelete('cascade'),
    index('check_votes_target_idx').on(t.owner, t.checkName, t.address),
    index('check_votes_part_idx').on(t.keyId, t.part),
    check('check_votes_state', sql`${t.state} in ('Unknown', 'Healthy', 'Unhealthy')`),
  ],
);

/** One row: the process that probes, and until when no other one may. */
export const checkLease = pgTable(
  'check_lease',
  {
    one: boolean('one').primaryKey().default(true),
    holder: text('holder').notNull(),
    until: at('until').notNull(),
  },
  (t) => [check('check_lease_one', sql`${t.one}`)],
);
