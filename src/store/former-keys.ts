// The DNSSEC keys of deleted zones, which a zone gets back when its owner creates it again. The private key stays in
// the database: no statement returns it.
import type { Tx } from './database.ts';
import { statement } from './statement.ts';
import { type PlainZone, ZONE_COLUMNS, type ZoneRow, zoneRow } from './zones.ts';

/** The deleted zone whose key is the newest of a name. */
export interface FormerZone {
  id: string;
  /** The serial of its deletion. */
  serial: number;
  /** DS RDATA, SHA-256 first. */
  ds: string[];
}

const selectFormer = statement<{ id: string; serial: string; ds: string[] }>(`
  select id, serial, ds from deleted_zones
  where name = $1 and team_id is not distinct from $2 and user_id is not distinct from $3 and until > $4::timestamptz
    and csk_private <> ''
  order by deleted_at desc, id limit 1`);

/** The zone with this name that an owner deleted last and whose key is still kept; null: there is none. */
export async function formerZone(
  tx: Tx,
  name: string,
  { teamId, userId }: { teamId: string | null; userId: string | null },
  now: Date,
): Promise<FormerZone | null> {
  const [row] = await selectFormer(tx, name, teamId, userId, now.toISOString());
  return row === undefined ? null : { ...row, serial: Number(row.serial) };
}

const returnKey = statement<PlainZone>(`
  update zones set (csk_private, csk_public, ds) = (select csk_private, csk_public, ds from deleted_zones where id = $2)
  where id = $1 and exists (select from deleted_zones where id = $2 and csk_private <> '') returning ${ZONE_COLUMNS}`);

/**
 * Gives a zone, which this transaction inserted, the key of a former one.
 * @returns the zone with that key; null: the key is no longer kept, and the zone stays as it is
 */
export async function takeFormerKey(
  tx: Tx,
  zone: { id: string },
  earlierZone: { id: string },
): Promise<ZoneRow | null> {
  const [row] = await returnKey(tx, zone.id, earlierZone.id);
  return row === undefined ? null : zoneRow(row);
}
