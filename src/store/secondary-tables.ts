// The tables of secondaries, and of the node that they transfer zones from; see tables.ts.

import { teams } from './account-tables.ts';
import { at, pgSnapshot, textArray, textC } from './column-types.ts';
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, sql, text } from './drizzle.ts';

/** Third-party name servers that get zones from the nodes by zone transfer. */
export const secondaries = pgTable(
  'secondaries',
  {
    name: textC('name').primaryKey(),
    // [{address, port}]: where it gets NOTIFY, and is asked for its serials.
    addresses: jsonb('addresses').$type<{ address: string; port: number }[]>().notNull(),
    // Further addresses that may transfer.
    transfersFrom: textArray('transfers_from').notNull(),
    tsigName: text('tsig_name').notNull().unique('secondaries_tsig_name_key'),
    tsigAlgorithm: text('tsig_algorithm').notNull(),
    // Secret. Nodes need the text itself.
    tsigSecret: text('tsig_secret').notNull(),
    // The host names that it adds to the NS records of its zones, without final dot.
    nameservers: textArray('nameservers').notNull(),
    allZones: boolean('all_zones').notNull(),
    catalog: boolean('catalog').notNull(),
    notify: boolean('notify').notNull(),
    // Whether it may transfer over TLS only, and the pins of its certificates (dns/secondaries/pin.ts).
    requireTls: boolean('require_tls').notNull().default(false),
    pins: textArray('pins').notNull().default([]),
    // Whether the owner of any zone may choose it; secondary_offers has the offers to some.
    offeredToAll: boolean('offered_to_all').notNull().default(false),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [check('secondaries_name', sql`length(${t.name}) between 1 and 32`)],
);

/** The teams that may choose a secondary for their zones. */
export const secondaryOffers = pgTable(
  'secondary_offers',
  {
    secondary: textC('secondary')
      .notNull()
      .references(() => secondaries.name, { onDelete: 'cascade' }),
    teamId: text('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    // Empty: every zone of the team. Otherwise the zones of this Kubernetes namespace; the operator, whose key the team
    // has, checks it.
    namespace: textC('namespace').notNull().default(''),
  },
  (t) => [
    primaryKey({ name: 'secondary_offers_pkey', columns: [t.secondary, t.teamId, t.namespace] }),
    index('secondary_offers_team_idx').on(t.teamId),
    check('secondary_offers_namespace', sql`length(${t.namespace}) <= 63`),
  ],
);

/** One row. A transaction that changes the answer to nodes about transfers locks it, and gives it another version. */
export const transferPlanRow = pgTable(
  'transfer_plan',
  {
    one: integer('one').primaryKey().default(1),
    version: bigint('version', { mode: 'number' }).notNull().default(1),
    // The node that secondaries transfer from; null: none was chosen yet.
    source: textC('source'),
    // Counts the changes of the source.
    generation: integer('generation').notNull().default(0),
  },
  (t) => [check('transfer_plan_one_row', sql`${t.one} = 1`)],
);

/** A node keeps its slot as long as it is remembered: two nodes never make the same serials. */
export const transferSlots = pgTable(
  'transfer_slots',
  {
    node: textC('node').primaryKey(),
    slot: integer('slot').notNull().unique('transfer_slots_slot_key'),
  },
  (t) => [check('transfer_slots_slot', sql`${t.slot} between 0 and 3`)],
);

/** The state of each secondary when the source last asked it. */
export const secondaryReports = pgTable('secondary_reports', {
  secondary: textC('secondary')
    .primaryKey()
    .references(() => secondaries.name, { onDelete: 'cascade' }),
  node: textC('node').notNull(),
  zones: integer('zones').notNull(),
  current: integer('current').notNull(),
  // Why it does not answer; null: it answers.
  silent: text('silent'),
  // [{zone, state, serial?, reason?, since}], not all of them if there are many.
  behind: jsonb('behind').$type<SecondaryBehind[]>().notNull(),
  // The transactions that the source had applied when it compared the serials. Null: the source did not say.
  position: pgSnapshot('position'),
  at: at('at').notNull().defaultNow(),
});

export interface SecondaryBehind {
  /** The id of the zone. */
  zone: string;
  state: 'behind' | 'ahead' | 'absent';
  serial?: number | undefined;
  reason?: string | undefined;
  /** ISO 8601. */
  since: string;
}
