// The tables of history as drizzle sees them: changes of zones and records, changes of teams, people and keys, and the
// octets that both take. The head of tables.ts describes how tables are written.

import { at, numberArray, textC } from './column-types.ts';
import { bigint, date, index, jsonb, pgTable, primaryKey, sql, text } from './drizzle.ts';

export type Action =
  | 'zone.create'
  | 'zone.change'
  | 'zone.delete'
  | 'zone.restore'
  | 'zone.park'
  | 'zone.unpark'
  | 'zone.keys'
  | 'record.create'
  | 'record.update'
  | 'record.delete';

/**
 * Partitioned by the month of `at`, in UTC: a month that is over is dropped and not deleted row by row. The functions
 * of migrations/ make the partitions, and `changes_default` takes the rows of months without one. A query that knows
 * the time of a change gives it next to the id, so that it reads one partition.
 */
export const changes = pgTable(
  'changes',
  {
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    // No foreign key: history outlives the zone.
    zoneId: text('zone_id').notNull(),
    zoneName: textC('zone_name').notNull(),
    // The zone's owner at that time, as in zones.
    teamId: text('team_id'),
    userId: text('user_id'),
    keyId: text('key_id').notNull(),
    action: text('action').$type<Action>().notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
    serial: bigint('serial', { mode: 'number' }).notNull(),
    requestId: text('request_id').notNull(),
    // The owner that applied or released the record; null: a change without an owner.
    owner: text('owner'),
    // The ids of the changes that this one undid, and the time that a restore put the record back to. Null: an ordinary
    // change.
    undoes: numberArray('undoes'),
    restoredTo: at('restored_to'),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [
    // The key of a partitioned table has the column of the partitions. The ids are unique by themselves.
    primaryKey({ name: 'changes_pkey', columns: [t.id, t.at] }),
    index('changes_zone_idx').on(t.zoneId, t.id),
    // The changes that an owner may have to repair. Owners themselves make most changes of a busy zone, and are not in
    // it.
    index('changes_unowned_idx')
      .on(sql`coalesce(${t.teamId}, ${t.userId})`, t.id)
      .where(sql`${t.owner} is null and ${t.action} in ('record.update', 'record.delete')`),
  ],
);

export type AccountAction =
  | 'user.create'
  | 'user.change'
  | 'user.link'
  | 'user.suspend'
  | 'user.resume'
  | 'user.remove'
  | 'team.create'
  | 'team.rename'
  | 'team.bind'
  | 'team.quota'
  | 'name.release'
  | 'check.put'
  | 'check.delete'
  | 'check.pin'
  | 'check.unpin'
  | 'check.signal'
  | 'cluster.drain'
  | 'cluster.restore'
  | 'cluster.release'
  | 'cluster.accept-older'
  | 'cluster.remove'
  | 'invitation.create'
  | 'invitation.revoke'
  | 'invitation.decline'
  | 'member.add'
  | 'member.change'
  | 'member.remove'
  | 'key.mint'
  | 'key.change'
  | 'key.revoke'
  | 'trust.create'
  | 'trust.change'
  | 'trust.revoke'
  | 'trust.accept';

/** The history of everything that is not a zone: teams, members, keys. It has no serial, and is asked for by team. */
export const accountChanges = pgTable(
  'account_changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    // No foreign keys: the history outlives the rows that it describes.
    teamId: text('team_id'),
    // Null: the command line, which needs no key.
    keyId: text('key_id'),
    action: text('action').$type<AccountAction>().notNull(),
    // The id of the team, person or key that was changed.
    subject: text('subject').notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
    requestId: text('request_id').notNull(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [
    index('account_changes_team_idx').on(t.teamId, t.id),
    // The endings that name servers remember; store/endings.ts.
    index('account_changes_endings_idx')
      .on(t.id)
      .where(
        sql`${t.action} in ('key.revoke', 'trust.revoke', 'member.remove', 'user.suspend', 'user.remove', 'cluster.drain', 'cluster.restore')`,
      ),
  ],
);

/**
 * The octets that history takes, by owner and by a range of ids (bucket). The retention counts each range once, so that
 * the oldest history of one owner is found without an index of its own. kind: `zones` for changes, `accounts` for
 * account_changes.
 */
export const historyUsage = pgTable(
  'history_usage',
  {
    kind: text('kind').notNull(),
    bucket: bigint('bucket', { mode: 'number' }).notNull(),
    owner: text('owner').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({ name: 'history_usage_pkey', columns: [t.kind, t.bucket, t.owner] }),
    // The oldest history of an owner.
    index('history_usage_owner_idx').on(t.kind, t.owner, t.bucket),
  ],
);

/** The sum of history_usage of an owner. It is kept with each change of it: a large installation has millions of rows. */
export const historyTotals = pgTable(
  'history_totals',
  {
    kind: text('kind').notNull(),
    owner: text('owner').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ name: 'history_totals_pkey', columns: [t.kind, t.owner] })],
);

/** How far history is counted: every id up to this one is in history_usage. */
export const historyMarks = pgTable('history_marks', {
  kind: text('kind').primaryKey(),
  countedTo: bigint('counted_to', { mode: 'number' }).notNull(),
});

/**
 * The time of the newest history that the retention deleted, by owner; the owner '' stands for all of them. No request
 * can tell what changed before it, so no zone is restored to an earlier time.
 */
export const historyPruned = pgTable(
  'history_pruned',
  {
    kind: text('kind').notNull(),
    owner: text('owner').notNull(),
    at: at('at').notNull(),
  },
  (t) => [primaryKey({ name: 'history_pruned_pkey', columns: [t.kind, t.owner] })],
);

/** The number of changes of zones and records by owner and day in UTC. Counted with history_usage. */
export const changeDays = pgTable(
  'change_days',
  {
    owner: text('owner').notNull(),
    day: date('day').notNull(),
    changes: bigint('changes', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ name: 'change_days_pkey', columns: [t.owner, t.day] })],
);
