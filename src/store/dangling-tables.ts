// The tables of the search for dangling names: the names that records point to, and how far the search for new ones has
// come; see tables.ts.

import { at, textC } from './column-types.ts';
import { boolean, check, index, integer, pgTable, primaryKey, sql, text } from './drizzle.ts';

/**
 * The names that CNAME, MX, NS, SRV and ALIAS records point to: one row for a target and an owner of zones, however
 * many of its records share the target.
 */
export const recordTargets = pgTable(
  'record_targets',
  {
    // As in records.rdata: lower case, with final dot.
    target: textC('target').notNull(),
    // Team or person.
    owner: textC('owner').notNull(),
    // The registrable domain of the target: lookups are limited for each.
    domain: textC('domain').notNull(),
    // When to look it up next. Taking a target in hand moves it ahead, so that no other replica takes it as well.
    dueAt: at('due_at').notNull().defaultNow(),
    // When a lookup last told whether the target exists; null: never.
    checkedAt: at('checked_at'),
    // Lookups in a row in which the target did not exist. Lookups without a result leave the number.
    absences: integer('absences').notNull().default(0),
    // The time of the first of them; null: the last result is that the target exists, or there is none.
    absentSince: at('absent_since'),
    // The name that does not exist: the target, or the end of its CNAMEs.
    absentName: textC('absent_name'),
    // Whether its registrable domain does not exist either.
    isDomainAbsent: boolean('is_domain_absent').notNull().default(false),
    // Lookups without a result in a row, and the problem of the last one.
    failures: integer('failures').notNull().default(0),
    error: text('error'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'record_targets_pkey', columns: [t.target, t.owner] }),
    index('record_targets_due_idx').on(t.dueAt),
    // Owners take turns: the due targets of each.
    index('record_targets_owner_idx').on(t.owner, t.dueAt),
    index('record_targets_absent_idx').on(t.owner, t.target).where(sql`${t.absences} > 0`),
    check('record_targets_absent', sql`(${t.absences} > 0) = (${t.absentSince} is not null)`),
  ],
);

/** How far the walk through the targets of all records has come; one row. Any replica takes the next step. */
export const targetWalk = pgTable(
  'target_walk',
  {
    one: integer('one').primaryKey().default(1),
    // The last target and zone that were read.
    target: textC('target').notNull().default(''),
    zoneNo: integer('zone_no').notNull().default(0),
    // When the next step is due.
    dueAt: at('due_at').notNull().defaultNow(),
  },
  (t) => [check('target_walk_one', sql`${t.one} = 1`)],
);
