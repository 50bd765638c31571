// Finds zones by a pattern for their names, records of several zones by a pattern for their name or RDATA, and comments
// by a pattern for the name or their text. The database matches, because LIKE goes through each text once.
import { NS_TTL, SOA_TTL, soaRdata } from '#dns/own-records.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

export interface SearchedRecord {
  /** Relative to the zone. */
  name: string;
  type: RecordType | 'SOA';
  rdata: string;
  /** The effective TTL in seconds. */
  ttl: number;
  /** The name of the zone. */
  zone: string;
}

export interface FoundComment {
  /** Relative to the zone. */
  name: string;
  type: RecordType;
  comment: string;
  /** The name of the zone. */
  zone: string;
}

/**
 * Zones of these teams and of this person: only those with the ids of `only` (null: all), without those of `except`.
 */
export interface SearchedZones {
  teamIds: string[];
  userId: string | null;
  only: string[] | null;
  except: string[];
}

const SEARCHED = `from zones z where (z.team_id = any($1::text[]) or z.user_id = $2)
  and ($3::text[] is null or z.id = any($3::text[])) and z.id <> all($4::text[])`;
const findZones = statement<{ name: string }>(`select z.name ${SEARCHED} and z.name ilike $5 order by z.name limit $6`);
const findNos = statement<{ no: number }>(`select z.no ${SEARCHED}`);

/** @param pattern a LIKE pattern; upper and lower case are the same */
export async function searchZoneNames(
  db: Db | Tx,
  { teamIds, userId, only, except }: SearchedZones,
  pattern: string,
  limit: number,
): Promise<string[]> {
  return (await findZones(db, teamIds, userId, only, except, pattern, limit)).map(({ name }) => name);
}

export async function findZoneNos(db: Db | Tx, { teamIds, userId, only, except }: SearchedZones): Promise<number[]> {
  return (await findNos(db, teamIds, userId, only, except)).map(({ no }) => no);
}

export interface RecordSearch {
  zoneNos: readonly number[];
  /**
   * A LIKE pattern for the absolute name without its final dot, or for the RDATA or comment; upper and lower case are
   * the same.
   */
  pattern: string;
  /** Only records with one of these types, and with a name that one of these LIKE patterns matches; null: any. */
  only: { names: string[] | null; types: string[] | null };
  limit: number;
}

/** A final dot of the column need not be in the pattern. */
const MATCHING = (column: string, records = 'records') => `from ${records} r join zones z on z.no = r.zone_no
  where r.zone_no = any($1::int[])
    and (case r.name when '@' then z.name else r.name || '.' || z.name end ilike $2
      or ${column} ilike $2 or rtrim(${column}, '.') ilike $2)
    and ($3::text[] is null or r.name like any($3::text[]))
    and ($4::text[] is null or r.type = any($4::text[]))`;
/** The records of the apex that the service makes itself, in the columns that a search reads of `records`. */
const OWN = `(select z.no as zone_no, '@' as name, '' as ordername, own.type, own.rdata, own.ttl, '' as id
  from zones z cross join service s cross join lateral (
    select 'SOA' as type, format('${soaRdata('%1$s', '%2$s', '%3$s')}', s.nameservers[1], s.hostmaster, z.serial) as rdata,
      ${SOA_TTL} as ttl
    union select 'NS', host || '.', ${NS_TTL} from unnest(s.nameservers || z.secondary_nameservers) host) own
  where z.no = any($1::int[]))`;
const buildSearch = (records: string) => `(
  select r.name, r.type, r.rdata, coalesce(r.ttl, z.default_ttl) as ttl, z.name as zone, z.tree, r.ordername, r.id
  ${MATCHING('r.rdata', records)} order by z.tree, r.ordername, r.type, r.id limit $5)`;
const find = statement<SearchedRecord>(`
  select name, type, rdata, ttl, zone from (${buildSearch('records')} union all ${buildSearch(OWN)}) all_found
  order by tree, ordername, type, id, rdata limit $5`);
const findComments = statement<FoundComment>(`
  select distinct on (z.tree, r.ordername, r.type, r.comment) r.name, r.type, r.comment, z.name as zone
  ${MATCHING('r.comment')} and r.comment is not null order by z.tree, r.ordername, r.type, r.comment limit $5`);

/** Reads all records of the zones. */
export function searchRecords(db: Db | Tx, { zoneNos, pattern, only, limit }: RecordSearch) {
  return find(db, zoneNos, pattern, only.names, only.types, limit);
}

/** Reads all records of the zones. The records of one name and type that have the same comment are found once. */
export function searchComments(db: Db | Tx, { zoneNos, pattern, only, limit }: RecordSearch) {
  return findComments(db, zoneNos, pattern, only.names, only.types, limit);
}
