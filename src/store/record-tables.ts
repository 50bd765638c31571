// The tables of records, of their owners, and of the addresses of ALIAS targets; see tables.ts.

import type { RecordHealth } from '#dns/members.ts';
import type { ReverseScope } from '#dns/reverse.ts';
import { at, bytea, textArray, textC } from './column-types.ts';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
} from './drizzle.ts';
import { zones } from './zone-tables.ts';

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
    // Whether all owners of the record are withdrawn: it is served only if nothing else is at its name and type. The
    // database functions of migrations/ compute it.
    withdrawn: boolean('withdrawn').notNull().default(false),
    // Its check, its tier and what all failing records mean: RecordHealth in dns/members.ts. Null: none of it.
    health: jsonb('health').$type<RecordHealth>(),
    // The places where the writer of a record with `reverse` may write its PTR. Null: the record has no `reverse`.
    reverseScope: jsonb('reverse_scope').$type<ReverseScope>(),
    // The address that the service wrote this PTR record for. Null: every other record, also a PTR by hand.
    reverseOf: text('reverse_of'),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    unique('records_rdata_key').on(t.zoneNo, t.ordername, t.type, t.digest),
    uniqueIndex('records_one_cname_idx').on(t.zoneNo, t.ordername).where(sql`${t.type} = 'CNAME'`),
    // Which zones serve a target's addresses. Only ALIAS rows: a plain index on RDATA could not hold every value.
    index('records_alias_idx').on(t.rdata, t.zoneNo).where(sql`${t.type} = 'ALIAS'`),
    // The names that records point to: the last word of the RDATA. `store/record-targets.ts` has the same expression.
    index('records_target_idx')
      .on(sql`(substring(${t.rdata} from '[^ ]+$')) collate "C"`, t.zoneNo)
      .where(sql`${t.type} in ('ALIAS', 'CNAME', 'MX', 'NS', 'SRV')`),
    // The records of a check and an address, of which a zone has few.
    index('records_health_idx').on(sql`(${t.health} ->> 'check')`, t.rdata).where(sql`${t.health} is not null`),
    // The records of an address that want a PTR, and the PTRs of an address.
    index('records_reverse_idx').on(t.rdata, t.zoneNo).where(sql`(${t.health} -> 'reverse') is not null`),
    index('records_reverse_of_idx').on(t.reverseOf).where(sql`${t.reverseOf} is not null`),
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
    // An owner of the team accepted that objects of the cluster are older: the next generation counts, unless etcd was
    // restored once more. A write of the set ends it.
    acceptsOlder: boolean('accepts_older').notNull().default(false),
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
 * The addresses of ALIAS targets: one row for a target and an owner of zones, however many of its records share the
 * target. A trigger on records makes the rows.
 */
export const aliasAnswers = pgTable(
  'alias_answers',
  {
    // As in records.rdata: lower case, with final dot.
    target: textC('target').notNull(),
    // Team or person.
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
