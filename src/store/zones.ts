// Zone rows: reading, locking, writing. Knows no rules and no rights.
import { and, asc, eq, gt, inArray, or, sql } from 'drizzle-orm';
import { type Db, isStorable, type Tx } from './database.ts';
import { statement } from './statement.ts';
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
  /** The object elsewhere that the zone was made for, as its writer said: `DNSZone namespace/name`. */
  managedBy: string | null;
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
  managedBy: zones.managedBy,
  createdAt: zones.createdAt,
  updatedAt: zones.updatedAt,
};

/** The same columns for statements with a fixed text. */
const COLUMNS = `id, no, team_id as "teamId", user_id as "userId", name, tree, state, default_ttl as "defaultTtl", serial,
  csk_public as "cskPublic", ds, managed_by as "managedBy", created_at as "createdAt", updated_at as "updatedAt"`;

type Plain = Omit<ZoneRow, 'serial' | 'createdAt' | 'updatedAt'> & Record<'serial' | 'createdAt' | 'updatedAt', string>;

function zoneRow(row: Plain): ZoneRow {
  return {
    ...row,
    serial: Number(row.serial),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  };
}

const selectZone = statement<Plain>(`select ${COLUMNS} from zones where id = $1`);

export async function zoneById(db: Db | Tx, id: string): Promise<ZoneRow | null> {
  if (!isStorable(id)) return null;
  const [row] = await selectZone(db, id);
  return row ? zoneRow(row) : null;
}

/** Teams, and perhaps a person. */
export interface Owners {
  teamIds: string[];
  userId: string | null;
}

/**
 * The row, locked until the transaction ends. Fails with 55P03 when another holds it longer than the lock timeout.
 * @param owners a zone of anybody else is not found, and neither locked nor waited for. (Default: all.)
 */
export async function lockZone(tx: Tx, id: string, owners?: Owners): Promise<ZoneRow | null> {
  if (!isStorable(id)) return null;
  const [row] = owners ? await selectOwnLocked(tx, id, owners.teamIds, owners.userId) : await selectLocked(tx, id);
  return row ? zoneRow(row) : null;
}

const selectLocked = statement<Plain>(`select ${COLUMNS} from zones where id = $1 for no key update`);
const selectOwnLocked = statement<Plain>(
  `select ${COLUMNS} from zones where id = $1 and (team_id = any($2::text[]) or user_id = $3) for no key update`,
);

/** This transaction's patience for row locks from here on, in ms. */
export async function setLockTimeout(tx: Tx, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('lock_timeout', ${String(Math.max(1, Math.ceil(ms)))}, true)`);
}

/** The zones among `names`, longest first: the enclosing zones of a name when given its suffixes. One index probe each. */
export async function zonesNamed(db: Db | Tx, names: string[]): Promise<ZoneRow[]> {
  if (names.length === 0) return [];
  return (await selectZonesNamed(db, names)).map(zoneRow);
}

const selectZonesNamed = statement<Plain>(
  `select ${COLUMNS} from zones where name = any($1::text[]) order by length(name) desc`,
);

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
  /** Only zones with this text in their name. */
  text?: string;
  state?: ZoneState;
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
        filter.text === undefined ? undefined : sql`strpos(${zones.name}, ${filter.text.toLowerCase()}) > 0`,
        filter.state === undefined ? undefined : eq(zones.state, filter.state),
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
  const [row] = await updateZone(tx, id, set.serial, now.toISOString(), set.state ?? null, set.defaultTtl ?? null);
  return zoneRow(row as Plain);
}

const updateZone = statement<Plain>(`
  update zones set serial = $2, updated_at = $3, changed_xid = pg_current_xact_id(), state = coalesce($4, state),
    default_ttl = coalesce($5, default_ttl)
  where id = $1 returning ${COLUMNS}`);

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
