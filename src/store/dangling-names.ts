// The records that point to names which do not exist, as pages. They are found from the targets that lookups have
// confirmed, so a record that was changed or deleted is not listed any more.
import type { RecordType } from '#dns/types/index.ts';
import type { Db } from './database.ts';
import type { SearchedZones } from './record-search.ts';
import { CONFIRMATIONS, HAS_TARGET, TARGET_OF } from './record-targets.ts';
import { statement } from './statement.ts';

export interface DanglingName {
  zoneId: string;
  zoneNo: number;
  zoneName: string;
  recordId: string;
  /** Relative to the zone. */
  name: string;
  type: RecordType;
  /** Absolute, lower case, with final dot. */
  target: string;
  /** The name that does not exist: the target, or the end of its CNAMEs. Without final dot. */
  absentName: string;
  isDomainAbsent: boolean;
  /** When a lookup first told it, and when the last one did. */
  since: string;
  checkedAt: string;
}

/** The place of a row in the order of the list. */
export type DanglingCursor = Pick<DanglingName, 'target' | 'zoneNo' | 'recordId'>;

export interface DanglingQuery {
  zones: SearchedZones;
  /** The number of a zone; null: all. */
  zoneNo: number | null;
  /** Only records with one of these types, and with a name that one of these LIKE patterns matches; null: any. */
  only: { names: string[] | null; types: string[] | null };
  after: DanglingCursor | null;
  limit: number;
}

/**
 * The target of such a CNAME exists only while a certificate is being issued. It is dangling if its domain does not
 * exist: a person who registers that gets certificates for the name.
 */
const IS_CHALLENGE = `(r.type = 'CNAME' and r.name ~ '(^|\\.)_acme-challenge(\\.|$)')`;

const list = (zone: string) =>
  statement<DanglingName>(`
  select z.id as "zoneId", z.no as "zoneNo", z.name as "zoneName", r.id as "recordId", r.name, r.type, t.target,
    t.absent_name as "absentName", t.is_domain_absent as "isDomainAbsent", t.absent_since as since, t.checked_at as "checkedAt"
  from record_targets t join records r on ${TARGET_OF} = t.target and ${HAS_TARGET}
    join zones z on z.no = r.zone_no
  where t.absences >= ${CONFIRMATIONS} and t.owner = any(array_append($1::text[], $2::text)) and coalesce(z.team_id, z.user_id) = t.owner
    and ($3::text[] is null or z.id = any($3::text[])) and z.id <> all($4::text[])
    and ($5::text[] is null or r.name like any($5::text[])) and ($6::text[] is null or r.type = any($6::text[]))
    and (t.is_domain_absent or not ${IS_CHALLENGE})
    and t.target >= $7::text and (t.target, r.zone_no, r.id) > ($7::text collate "C", $8::integer, $9::text) ${zone}
  order by t.target, r.zone_no, r.id limit $10::integer`);
const listAll = list('');
const listZone = list('and r.zone_no = $11::integer');

/** In the order of the targets. */
export async function danglingPage(
  db: Db,
  { zones, zoneNo, only, after, limit }: DanglingQuery,
): Promise<readonly DanglingName[]> {
  const { teamIds, userId, only: zoneIds, except } = zones;
  const { target, zoneNo: lastZone, recordId } = after ?? { target: '', zoneNo: 0, recordId: '' };
  const parameters = [teamIds, userId, zoneIds, except, only.names, only.types, target, lastZone, recordId, limit];
  return zoneNo === null ? listAll(db, ...parameters) : listZone(db, ...parameters, zoneNo);
}
