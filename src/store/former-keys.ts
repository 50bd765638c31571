// The DNSSEC keys of deleted zones, which a zone gets back when its owner creates it again. The private key stays in
// the database: no statement returns it.
import type { Tx } from './database.ts';
import { statement } from './statement.ts';
import { type PlainZone, ZONE_COLUMNS, type ZoneRow, zoneRow } from './zones.ts';

/** The deleted zone whose keys are the newest of a name. */
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
    and exists (select from deleted_zone_rows r where r.zone_id = deleted_zones.id and r.origin = 'zone_keys')
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

// A roll continues with the new zone.
const returnKeys = statement<PlainZone>(`
  with former as (select row from deleted_zone_rows where zone_id = $2 and origin = 'zone_keys'),
  gone as (delete from zone_keys where zone_id = $1 and exists (select from former)),
  back as (insert into zone_keys (zone_id, algorithm, public_key, private_key, state, since, look_at, created_at,
      roll_cancelled_at)
    select $1, r.algorithm, r.public_key, r.private_key, r.state, $3::timestamptz,
      case when r.look_at is not null then $3::timestamptz end, r.created_at, r.roll_cancelled_at
    from former cross join lateral jsonb_populate_record(null::zone_keys, former.row) r order by r.id)
  update zones set ds = (select ds from deleted_zones where id = $2)
  where id = $1 and exists (select from former) returning ${ZONE_COLUMNS}`);

/**
 * Gives a zone, which this transaction inserted, the keys of a former one in place of its own.
 * @returns the zone with these keys; null: they are no longer kept, and the zone stays as it is
 */
export async function takeFormerKey(
  tx: Tx,
  zone: { id: string },
  earlierZone: { id: string },
  now: Date,
): Promise<ZoneRow | null> {
  const [row] = await returnKeys(tx, zone.id, earlierZone.id, now.toISOString());
  return row === undefined ? null : zoneRow(row);
}
