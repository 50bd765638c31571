// The sets that owners applied: the query that judging reads them with, and the parts of the statement in
// zone-commit.ts that write them.
import type { RecordType } from '#dns/types/index.ts';
import { excludedValues, insertList, jsonColumnList, recordset, valueList } from './column-lists.ts';
import { ownedSets, recordOwners } from './tables.ts';

export type Drift = 'Enforce' | 'Report' | 'Ignore';
export type WhenClusterLost = 'Keep' | 'Withdraw';

/** The values that one owner applied at one name and type, with the records that it owns there. */
export interface StoredOwnedSet {
  id: string;
  owner: string;
  name: string;
  ordername: string;
  type: RecordType;
  generation: number | null;
  instance: string | null;
  /** SHA-256 of the TTL and the values as applied, in hexadecimal. */
  digest: string;
  valueCount: number;
  /** Seconds; null: the default of the zone. */
  ttl: number | null;
  /** As the owner applied it; null: none. */
  comment: string | null;
  share: boolean;
  retain: boolean;
  drift: Drift;
  whenClusterLost: WhenClusterLost;
  /** In ms since 1970; null: no end. */
  expires: number | null;
  records: readonly OwnedRecord[];
}

export interface OwnedRecord {
  id: string;
  /** The digest of the value as applied, in hexadecimal. */
  digest: string;
}

/** The rows that a change of owners writes. */
export interface OwnerRows {
  /** New or changed rows. */
  sets: readonly SetRow[];
  /** The ids of deleted rows. */
  released: readonly string[];
  linked: readonly { recordId: string; setId: string; digest: Uint8Array }[];
  unlinked: readonly { recordId: string; setId: string }[];
  /** The difference in the number of sets. */
  growth: number;
}

export interface SetRow extends Omit<StoredOwnedSet, 'digest' | 'expires' | 'records'> {
  digest: Uint8Array;
  /** In ISO 8601. */
  expiresAt: string | null;
}

/** The columns that an owner writes again, but for the end of the lease. */
const APPLIED = [
  'generation',
  'instance',
  'digest',
  'valueCount',
  'ttl',
  'comment',
  'share',
  'retain',
  'drift',
  'whenClusterLost',
] as const;
export const SET_KEYS = ['owner', 'name', 'ordername', 'type', ...APPLIED] as const;
const WRITTEN = ['id', ...SET_KEYS, 'expiresAt'] as const;
const LINK = ['recordId', 'setId', 'digest'] as const;

/**
 * A SQL expression for the generation that the next one of the set must not go below; null: any counts. An acceptance
 * of older objects ends when etcd is restored once more: the accepted objects are not those that came with that.
 * @param set the alias of a row of owned_sets
 */
export function generationOf(set: string): string {
  return `case when ${set}.accepts_older and not exists (
      select from zones z join clusters c on c.owner = coalesce(z.team_id, z.user_id)
      where z.no = ${set}.zone_no and c.name = substr(split_part(${set}.owner, '/', 1), 5) and c.etcd_restored_at is not null)
    then null else ${set}.generation end`;
}

const SET_JSON = jsonColumnList(ownedSets, ['id', ...SET_KEYS], 's', {
  digest: "encode(s.digest, 'hex')",
  generation: generationOf('s'),
});

/**
 * A query with the sets at some names as one JSON array.
 * @param zoneNo a SQL expression
 * @param names a SQL expression
 */
export function ownedSetsAt(zoneNo: string, names: string): string {
  const records = `coalesce((select json_agg(json_build_object('id', o.record_id, 'digest', encode(o.digest, 'hex')) order by o.record_id)
    from record_owners o where o.set_id = s.id), '[]')`;
  const expires = 'floor(extract(epoch from s.expires_at) * 1000)';
  return `select json_agg(json_build_object(${SET_JSON}, 'expires', ${expires}, 'records', ${records})
      order by s.owner, s.ordername, s.type)
    from owned_sets s where s.zone_no = ${zoneNo} and s.ordername = any(${names})`;
}

// Parts of the statement in zone-commit.ts, which names the parameters.
export const SET_ROWS = `insert into owned_sets (zone_no, due_at, applied_at, ${insertList(ownedSets, WRITTEN)})
    select locked.no, s."expiresAt", $now::timestamptz, ${valueList<typeof ownedSets>('s', WRITTEN)}
    from locked, json_to_recordset($sets::text::json) as s(${recordset(ownedSets, WRITTEN)})
    on conflict (id) do update set ${excludedValues(ownedSets, [...APPLIED, 'expiresAt', 'dueAt', 'appliedAt'])}, accepts_older = false`;
export const RELEASED_ROWS = `delete from owned_sets s using locked
    where s.zone_no = locked.no and s.id = any($released::text[])`;
export const LINKED_ROWS = `insert into record_owners (${insertList(recordOwners, LINK)})
    select ${valueList<typeof recordOwners>('l', LINK)}
    from locked, json_to_recordset($linked::text::json) as l(${recordset(recordOwners, LINK)})
    on conflict (record_id, set_id) do update set ${excludedValues(recordOwners, ['digest'])}`;
export const UNLINKED_ROWS = `delete from record_owners o using locked,
      json_to_recordset($unlinked::text::json) as u("recordId" text, "setId" text)
    where o.record_id = u."recordId" and o.set_id = u."setId"`;
