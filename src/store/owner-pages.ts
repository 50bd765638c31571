// Pages of owned sets with their records, bounded in rows and in octets of contents. Keyset pages, so that each costs
// the same however far it is into the zone. No rule and no right is known here.

import { MAX_TOLD_OWNERS } from '#base/owner-names.ts';
import type { RecordHealth } from '#dns/members.ts';
import type { RecordType } from '#dns/types/index.ts';
import { isFailing } from './check-failing.ts';
import { columns } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { type Drift, generationOf, SET_KEYS, type WhenClusterLost } from './owned-sets.ts';
import { statement } from './statement.ts';
import { ownedSets } from './tables.ts';

export interface ListedSet {
  owner: string;
  name: string;
  ordername: string;
  type: RecordType;
  generation: number | null;
  instance: string | null;
  digest: string;
  valueCount: number;
  ttl: number | null;
  comment: string | null;
  share: boolean;
  retain: boolean;
  drift: Drift;
  whenClusterLost: WhenClusterLost;
  expiresAt: string | null;
  appliedAt: string;
  records: readonly ListedOwnedRecord[];
}

export interface ListedOwnedRecord {
  id: string;
  content: string;
  ttl: number | null;
  priority: number | null;
  comment: string | null;
  health: RecordHealth | null;
  withdrawn: boolean;
  failing: boolean;
  /** Whether the value is the one that the owner applied. */
  isApplied: boolean;
  /** The TTLs of all owners of the record; null: the default of the zone. */
  ownerTtls: readonly (number | null)[];
}

export interface OwnerCursor {
  owner: string;
  ordername: string;
  type: string;
}

interface PageQuery {
  prefix: string;
  after: OwnerCursor | null;
  /** Rows at most. */
  limit: number;
  /** Only sets of one of these types, at a name that one of these LIKE patterns matches; null: any. */
  only: { names: string[] | null; types: string[] | null } | null;
}

/** The page ends with the set that reaches so many octets of contents and comments. */
const OCTETS = 1024 * 1024;

const COLUMNS = columns(ownedSets, [...SET_KEYS, 'expiresAt', 'appliedAt'], {
  computed: { digest: "encode(digest, 'hex')", generation: generationOf('page') },
}).list;

// Owners are printable ASCII: the last character of ASCII is above all of them. Contents are read after the page is
// bounded. `lateral … offset 0` has rows found by their key. Without it, while a new table has no statistics yet,
// Postgres joined each set with a scan of all records: 0.7 s instead of 5 ms for a page in a zone of 5,000.
const select = statement<Omit<ListedSet, 'generation'> & { generation: string | null; found: number }>(`
  with page as (
    select * from (
      select s.*, (count(*) over ())::integer as found, coalesce(sum(octets) over (order by s.owner, s.ordername, s.type
          rows between unbounded preceding and 1 preceding), 0) as before
      from (
        select s.*, (select coalesce(sum(r.octets), 0) from record_owners o cross join lateral (select octet_length(content) + coalesce(octet_length(comment), 0) as octets
          from records where id = o.record_id offset 0) r where o.set_id = s.id) as octets
        from owned_sets s
        where s.zone_no = $1 and s.owner >= $2 collate "C" and s.owner < $2 || chr(127) collate "C"
          and ($3::text is null or (s.owner, s.ordername, s.type) > ($3 collate "C", $4::text collate "C", $5::text))
          and ($6::text[] is null or s.name like any($6::text[])) and ($7::text[] is null or s.type = any($7::text[]))
        order by s.owner, s.ordername, s.type limit $8::integer + 1) s) bounded
    where before < $9::bigint)
  select ${COLUMNS}, found,
    coalesce((select json_agg(json_build_object('id', r.id, 'content', r.content, 'ttl', r.ttl, 'priority', r.priority, 'comment', r.comment,
        'health', r.health, 'withdrawn', r.withdrawn, 'failing', ${isFailing('r')},
        'isApplied', r.digest = o.digest, 'ownerTtls', (select json_agg(x.ttl) from record_owners w cross join lateral
          (select ttl from owned_sets where id = w.set_id offset 0) x where w.record_id = r.id)) order by r.id)
      from record_owners o cross join lateral (select * from records where id = o.record_id offset 0) r
      where o.set_id = page.id), '[]') as records
  from page order by owner, ordername, type`);

const selectOwners = statement<{ recordId: string; owners: string[] }>(`
  select o.record_id as "recordId", json_agg(s.owner order by s.owner) as owners
  from record_owners o join owned_sets s on s.id = o.set_id where o.record_id = any($1::text[]) group by o.record_id`);

/** The owners of some records, by the id of the record. Records without an owner are missing. */
export async function ownersOfRecords(
  db: Db,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = recordIds.length === 0 ? [] : await selectOwners(db, recordIds);
  return new Map(rows.map(({ recordId, owners }) => [recordId, owners]));
}

const selectFirstOwners = statement<{ owner: string; found: number }>(`
  select owner, (count(*) over ())::integer as found
  from (select distinct s.owner from record_owners o cross join lateral (select owner from owned_sets where id = o.set_id offset 0) s
    where o.record_id = any($1::text[])) owners
  order by owner limit ${MAX_TOLD_OWNERS}`);

/** The owners of many records: the first ones in their order, as many as an answer names, and how many there are. */
export async function firstOwners(
  db: Db | Tx,
  recordIds: readonly string[],
): Promise<{ owners: string[]; count: number }> {
  const rows = recordIds.length === 0 ? [] : await selectFirstOwners(db, recordIds);
  return { owners: rows.map(({ owner }) => owner), count: rows[0]?.found ?? 0 };
}

/** By owner, then by name and type. */
export async function ownerPage(
  db: Db,
  zoneNo: number,
  { prefix, after, limit, only }: PageQuery,
): Promise<{ sets: ListedSet[]; more: boolean }> {
  const { owner = null, ordername = null, type = null } = after ?? {};
  const [names, types] = [only?.names ?? null, only?.types ?? null];
  const rows = await select(db, zoneNo, prefix, owner, ordername, type, names, types, limit, OCTETS);
  const sets = rows.slice(0, limit).map(({ found: _, generation, ...set }) => ({
    ...set,
    generation: generation === null ? null : Number(generation),
  }));
  return { sets, more: (rows[0]?.found ?? 0) > sets.length };
}
