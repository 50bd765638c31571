// Zone rows: reading, locking, writing. Knows no rules and no rights.
import { and, asc, eq, gt, inArray, or, sql } from 'drizzle-orm';
import { type Db, isStorable, type Tx } from './database.ts';
import { service, zones } from './tables.ts';

export type ZoneState = 'active' | 'parked';

export interface ZoneRow {
  id: string;
  no: number;
  /** The owner is a team or a person: one of both is null. */
  teamId: string | null;
  userId: string | null;
  name: string;
  tree: string;
  state: ZoneState;
  defaultTtl: number;
  serial: number;
  cskPublic: string;
  ds: string[];
  createdAt: Date;
  updatedAt: Date;
}

// The private key is left out: only PowerDNS reads it.
const columns = {
  id: zones.id,
  no: zones.no,
  teamId: zones.teamId,
  userId: zones.userId,
  name: zones.name,
  tree: zones.tree,
  state: sql<ZoneState>`${zones.state}`,
  defaultTtl: zones.defaultTtl,
  serial: zones.serial,
  cskPublic: zones.cskPublic,
  ds: zones.ds,
  createdAt: zones.createdAt,
  updatedAt: zones.updatedAt,
};

export async function zoneById(db: Db | Tx, id: string): Promise<ZoneRow | null> {
  if (!isStorable(id)) return null;
  return (await db.select(columns).from(zones).where(eq(zones.id, id)))[0] ?? null;
}

/** The row, locked until the transaction ends. Fails with 55P03 when another holds it longer than the lock timeout. */
export async function lockZone(tx: Tx, id: string): Promise<ZoneRow | null> {
  if (!isStorable(id)) return null;
  return (await tx.select(columns).from(zones).where(eq(zones.id, id)).for('no key update'))[0] ?? null;
}

/** This transaction's patience for row locks from here on, in ms. */
export async function setLockTimeout(tx: Tx, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('lock_timeout', ${String(Math.max(1, Math.ceil(ms)))}, true)`);
}

/** The zones among `names`, longest first: the enclosing zones of a name when given its suffixes. One index probe each. */
export async function zonesNamed(db: Db | Tx, names: string[]): Promise<ZoneRow[]> {
  if (names.length === 0) return [];
  return db
    .select(columns)
    .from(zones)
    .where(sql`${zones.name} = any(${sql.param(names)}::text[])`)
    .orderBy(sql`length(${zones.name}) desc`);
}

/** Zones strictly below a name, by its tree form; at most `limit`. */
export async function zonesBelow(db: Db | Tx, tree: string, limit: number): Promise<ZoneRow[]> {
  return db
    .select(columns)
    .from(zones)
    .where(and(gt(zones.tree, `${tree} `), sql`${zones.tree} < ${`${tree}!`}`))
    .orderBy(asc(zones.tree))
    .limit(limit);
}

export interface ZoneFilter {
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
export async function listZones(db: Db, filter: ZoneFilter): Promise<ZoneRow[]> {
  const query = db
    .select(columns)
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

export type NewZone = typeof zones.$inferInsert;

export async function insertZone(tx: Tx, zone: NewZone): Promise<ZoneRow> {
  const rows = await tx.insert(zones).values(zone).returning(columns);
  return rows[0] as ZoneRow;
}

/** Sets the serial, marks the zone as changed for every name server, and writes what else is given. The row is locked. */
export async function touchZone(
  tx: Tx,
  id: string,
  set: { serial: number; state?: ZoneState; defaultTtl?: number },
  now: Date,
): Promise<ZoneRow> {
  const rows = await tx
    .update(zones)
    .set({ ...set, updatedAt: now, changedXid: sql`pg_current_xact_id()` })
    .where(eq(zones.id, id))
    .returning(columns);
  return rows[0] as ZoneRow;
}

/** Deletes the zone and, by cascade, its records and grants. */
export async function deleteZone(tx: Tx, id: string): Promise<void> {
  await tx.delete(zones).where(eq(zones.id, id));
}

/** One creation at a time: the overlap guard looks at other rows than the one it writes. */
export async function lockZoneTree(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x74726565})`);
}

/** What every zone's SOA and apex NS are made of. */
export async function setService(db: Db, settings: { nameservers: string[]; hostmaster: string }): Promise<void> {
  await db
    .insert(service)
    .values(settings)
    .onConflictDoUpdate({
      target: service.one,
      set: settings,
      // An unchanged row stays unwritten: every replica says this at its start.
      setWhere: sql`(${service.nameservers}, ${service.hostmaster}) is distinct from (excluded.nameservers, excluded.hostmaster)`,
    });
}

/** The RDATA of a zone's SOA, as the name servers serve it. */
export async function soaContent(tx: Tx, serial: number): Promise<string> {
  const rows = await tx.execute(sql`select pdns.soa_content(${serial}::bigint) as content`);
  return rows[0]?.content as string;
}

/** All that `work` reads belongs to one moment. It must not write. */
export async function inOneSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}
