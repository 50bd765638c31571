// Zone rows: reading, locking, writing.

import type { Denial } from '#dns/dnssec/denial.ts';
import { soaRdata } from '#dns/own-records.ts';
import { columns, keysWithout, type Plain } from './column-lists.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { and, asc, eq, gt, inArray, lt, or, sql } from './drizzle.ts';
import { announcedNames } from './feed-changes.ts';
import { statement } from './statement.ts';
import { service, zones } from './tables.ts';
import type { ZoneState } from './zone-tables.ts';

export type { ZoneState } from './zone-tables.ts';

/** The names of the secondaries with all zones, and those of the zone. */
const SECONDARY_NAMESERVERS = '(select x.secondary_nameservers from service x) || secondary_nameservers';

const OMITTED = ['changedXid', 'delegationXid', 'delegationDue'] as const;

/** zone-tables.ts describes the columns. `secondaryNameservers` includes those of all zones. */
export type ZoneRow = Omit<typeof zones.$inferSelect, (typeof OMITTED)[number]>;

const zoneColumns = columns(zones, keysWithout(zones, OMITTED), {
  computed: { secondaryNameservers: SECONDARY_NAMESERVERS },
});

/** The row as the driver reads it. */
export type PlainZone = Plain<ZoneRow>;

export const ZONE_COLUMNS = zoneColumns.list;

export function zoneRow(row: PlainZone): ZoneRow {
  return zoneColumns.read(row);
}

const selectZone = statement<PlainZone>(`select ${ZONE_COLUMNS} from zones where id = $1`);

export async function zoneById(db: Db | Tx, id: string): Promise<ZoneRow | null> {
  if (!isStorable(id)) return null;
  const [row] = await selectZone(db, id);
  return row ? zoneRow(row) : null;
}

/** Teams and persons. */
export interface Owners {
  teamIds: readonly string[];
  userIds: readonly string[];
}

/**
 * The row, locked until the transaction ends. Fails with 55P03 when another holds it longer than the lock timeout.
 * @param owners a zone of another owner is not found, and neither locked nor waited for. Absent: all.
 */
export async function lockZone(tx: Tx, id: string, owners?: Owners): Promise<ZoneRow | null> {
  if (!isStorable(id)) return null;
  const [row] = owners ? await selectOwnLocked(tx, id, owners.teamIds, owners.userIds) : await selectLocked(tx, id);
  return row ? zoneRow(row) : null;
}

const selectLocked = statement<PlainZone>(`select ${ZONE_COLUMNS} from zones where id = $1 for no key update`);
const selectOwnLocked = statement<PlainZone>(
  `select ${ZONE_COLUMNS} from zones where id = $1 and (team_id = any($2::text[]) or user_id = any($3::text[])) for no key update`,
);

/** The time that this transaction waits for a lock from here on, in ms. */
export async function setLockTimeout(tx: Tx, ms: number): Promise<void> {
  await setTimeoutOfLocks(tx, String(Math.max(1, Math.ceil(ms))));
}

const setTimeoutOfLocks = statement(`select set_config('lock_timeout', $1, true)`);

/**
 * The zones among `names`, longest first: the enclosing zones of a name when given its suffixes. One index probe each.
 */
export async function zonesNamed(db: Db | Tx, names: string[]): Promise<ZoneRow[]> {
  if (names.length === 0) return [];
  return (await selectZonesNamed(db, names)).map(zoneRow);
}

const selectZonesNamed = statement<PlainZone>(
  `select ${ZONE_COLUMNS} from zones where name = any($1::text[]) order by length(name) desc`,
);

/** Zones strictly below a name, by its tree form; at most `limit`. */
export async function zonesBelow(db: Db | Tx, tree: string, limit: number): Promise<ZoneRow[]> {
  return db.build
    .select(zoneColumns.fields)
    .from(zones)
    .where(and(gt(zones.tree, `${tree} `), lt(zones.tree, `${tree}!`)))
    .orderBy(asc(zones.tree))
    .limit(limit);
}

/**
 * Whether a zone of another owner lies strictly below a name (in its tree form). The statement reads the index of the
 * tree and stops at the first such zone; the zones of the same owner before it, which the owner's quota bounds, are all
 * that it passes.
 */
export async function foreignZoneBelow(
  tx: Tx,
  tree: string,
  owner: { teamId: string | null; userId: string | null },
): Promise<boolean> {
  const [row] = await selectForeignBelow(tx, `${tree} `, `${tree}!`, owner.teamId, owner.userId);
  return row?.found === true;
}

const selectForeignBelow = statement<{ found: boolean }>(`
  select exists (select from zones where tree > $1 and tree < $2
    and (team_id is distinct from $3 or user_id is distinct from $4)) as found`);

interface ZoneFilter {
  /** Zones of these teams, and of this person. */
  teamIds: string[];
  userId: string | null;
  /** Only these ids; null: all of the owners. */
  ids: string[] | null;
  name?: string;
  after?: string;
  limit?: number;
}

/** The zones of some owners in the order of their names. */
export async function listOwnedZones(db: Db | Tx, filter: ZoneFilter): Promise<ZoneRow[]> {
  const query = db.build
    .select(zoneColumns.fields)
    .from(zones)
    .where(
      and(
        or(inArray(zones.teamId, filter.teamIds), filter.userId === null ? undefined : eq(zones.userId, filter.userId)),
        filter.ids === null ? undefined : inArray(zones.id, filter.ids),
        filter.name === undefined ? undefined : eq(zones.name, filter.name),
        filter.after === undefined ? undefined : gt(zones.name, filter.after),
      ),
    )
    .orderBy(asc(zones.name));
  return filter.limit === undefined ? query : query.limit(filter.limit);
}

type NewZone = typeof zones.$inferInsert;

export async function insertZone(tx: Tx, values: NewZone): Promise<ZoneRow> {
  const rows = await tx.build.insert(zones).values(values).returning(zoneColumns.fields);
  return rows[0] as ZoneRow;
}

/** A difference of a zone's usage. */
export interface Growth {
  records: number;
  /** Octets of names, contents and comments. */
  bytes: number;
}

const NO_GROWTH: Growth = { records: 0, bytes: 0 };

/** The properties of a zone that its answers depend on. */
export interface ServedProperties {
  state?: ZoneState;
  /** In seconds. */
  defaultTtl?: number;
  /** The RDATA of the DS records that the parent should have. */
  ds?: readonly string[];
  denial?: Denial;
}

/** All properties of a zone that its answers do not depend on. A change of them leaves the serial. */
export interface UnservedProperties {
  /** Null: none. */
  comment: string | null;
}

/**
 * Sets the serial, marks the zone as changed for every name server, adds the growth to its counters, and writes the
 * properties that are given. The row is locked.
 * @param set.changedNames the names whose records change, relative to the zone; null: the whole zone
 */
export async function touchZone(
  tx: Tx,
  id: string,
  set: ServedProperties & { serial: number; changedNames: readonly string[] | null; growth?: Growth },
  now: Date,
): Promise<ZoneRow> {
  const { serial, state = null, defaultTtl = null, denial = null, ds = null, growth = NO_GROWTH } = set;
  const names = announcedNames(set.changedNames);
  const { records, bytes } = growth;
  const [row] = await updateZone(
    tx,
    id,
    serial,
    now.toISOString(),
    state,
    defaultTtl,
    records,
    bytes,
    names,
    denial,
    ds,
  );
  return zoneRow(row as PlainZone);
}

const updateZone = statement<PlainZone>(`
  with touched as (
    update zones set serial = $2, updated_at = $3, changed_xid = pg_current_xact_id(), state = coalesce($4, state),
      default_ttl = coalesce($5, default_ttl), denial = coalesce($9, denial), ds = coalesce($10::text[], ds),
      record_count = record_count + $6::bigint, stored_bytes = stored_bytes + $7::bigint
    where id = $1 returning ${ZONE_COLUMNS}
  ), announced as (insert into feed_changes (kind, zone_id, names) select 'changed', id, $8::text[] from touched)
  select * from touched`);

/** Writes properties of a zone, which is locked, that its answers do not depend on. */
export async function writeUnserved(tx: Tx, id: string, { comment }: UnservedProperties, now: Date): Promise<ZoneRow> {
  const [row] = await updateComment(tx, id, comment, now.toISOString());
  return zoneRow(row as PlainZone);
}

const updateComment = statement<PlainZone>(
  `update zones set comment = $2, updated_at = $3, owners_version = owners_version + 1 where id = $1 returning ${ZONE_COLUMNS}`,
);

/** Deletes the zone and, by cascade, its records and grants. */
export async function deleteZoneRow(tx: Tx, id: string): Promise<void> {
  await tx.build.delete(zones).where(eq(zones.id, id));
}

const lockTree = statement(`select pg_advisory_xact_lock(${0x74726565})`);

/** One creation at a time: the overlap guard looks at other rows than the one it writes. */
export async function lockZoneTree(tx: Tx): Promise<void> {
  await lockTree(tx);
}

/**
 * One creation of a name at a time: a second one would wait for the row of the first while it holds the lock of the
 * tree.
 */
export async function lockZoneName(tx: Tx, name: string): Promise<void> {
  await lockName(tx, name);
}

const lockName = statement(`select pg_advisory_xact_lock(${0x6e616d65}, hashtext($1))`);

/** The values of every zone's SOA and apex NS. */
export async function setService(db: Db, settings: { nameservers: string[]; hostmaster: string }): Promise<void> {
  await db.build
    .insert(service)
    .values(settings)
    .onConflictDoUpdate({
      target: service.one,
      set: settings,
      // An unchanged row stays unwritten: every replica says this at its start.
      setWhere: sql`(${service.nameservers}, ${service.hostmaster}) is distinct from (excluded.nameservers, excluded.hostmaster)`,
    });
}

/** The RDATA of a zone's SOA. @throws Error before the first {@link setService} */
export async function soaContent(tx: Db | Tx, serial: number): Promise<string> {
  const [row] = await tx.build
    .select({ nameservers: service.nameservers, hostmaster: service.hostmaster })
    .from(service);
  if (row === undefined) throw new Error('the name servers are not in the database: no api has started with it');
  return soaRdata(row.nameservers[0] ?? '', row.hostmaster, serial);
}

/** All that `work` reads belongs to one moment. It must not write. */
export async function inOneSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.snapshot(work);
}
