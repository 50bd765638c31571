// The latest changes of records without an owner, and the sets of owners at their places. No right is known here.
import type { RecordType } from '#dns/types/index.ts';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

/** A change of a record by a client that did not act as an owner. */
export interface UnownedChange {
  id: number;
  zoneId: string;
  keyId: string;
  /** The name and type of the record. */
  name: string;
  type: RecordType;
}

/**
 * The changes that are looked at, and their age. A heartbeat comes every ten seconds, and an owner is told again of
 * none.
 */
const MAX_CHANGES = 100;
const MAX_AGE_SECONDS = 60;

// The rows are bounded before their contents are read, because a record may be large. The index has only such changes.
const select = statement<UnownedChange & { id: string }>(`
  select id, zone_id as "zoneId", key_id as "keyId", before ->> 'name' as name, before ->> 'type' as type
  from (select * from changes
    where coalesce(team_id, user_id) = $1 and owner is null and action in ('record.update', 'record.delete')
    order by id desc limit ${MAX_CHANGES}) latest
  where at > now() - ${MAX_AGE_SECONDS} * interval '1 second'`);

/** The updates and deletions of the last minute in the zones of a team or person, the newest first, at most 100. */
export async function unownedChanges(db: Db, owner: string): Promise<UnownedChange[]> {
  return (await select(db, owner)).map((row) => ({ ...row, id: Number(row.id) }));
}

const selectSets = statement<{ id: number; owner: string }>(`
  select c.id, s.owner
  from json_to_recordset($1::text::json) as c(id bigint, "zoneId" text, ordername text, type text)
    join zones z on z.id = c."zoneId" join owned_sets s on s.zone_no = z.no and s.ordername = c.ordername and s.type = c.type
  where s.owner >= $2 collate "C" and s.owner < $3 collate "C" and s.drift <> 'Ignore'
  order by c.id desc, s.owner limit ${MAX_CHANGES}`);

/**
 * The owners of a cluster that have a set at the place of a change and do not ignore changes of others, at most 100.
 */
export async function ownersAtChanges(
  db: Db,
  cluster: string,
  changes: readonly { id: number; zoneId: string; ordername: string; type: string }[],
): Promise<{ change: number; owner: string }[]> {
  const rows = await selectSets(db, JSON.stringify(changes), `k8s:${cluster}/`, `k8s:${cluster}0`);
  return rows.map(({ id, owner }) => ({ change: Number(id), owner }));
}
