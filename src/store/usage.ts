// The usage of owners of zones, and the sizes of the tables on disk. No right is known here.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

/** The usage of one team or person. Octets of history are those that the retention has counted. */
export interface OwnerUsage {
  owner: string;
  name: string;
  isTeam: boolean;
  zones: number;
  records: number;
  bytes: number;
  /** The team's own limits; null: those of the service. */
  ownZones: number | null;
  ownRecords: number | null;
  ownBytes: number | null;
  deletedZones: number;
  deletedRecords: number;
  deletedBytes: number;
  historyBytes: number;
  accountBytes: number;
  answerBytes: number;
  /** History before this time was deleted; null: none was. */
  historySince: string | null;
}

const COLUMNS = `o.id as owner, o.name, o.is_team as "isTeam", coalesce(z.zones, 0)::integer as zones,
  coalesce(z.records, 0)::float8 as records, coalesce(z.bytes, 0)::float8 as bytes, o.quota_zones as "ownZones",
  o.quota_records::float8 as "ownRecords", o.quota_bytes::float8 as "ownBytes",
  coalesce(d.zones, 0)::integer as "deletedZones", coalesce(d.records, 0)::float8 as "deletedRecords",
  coalesce(d.bytes, 0)::float8 as "deletedBytes", coalesce(h.bytes, 0)::float8 as "historyBytes",
  coalesce(a.bytes, 0)::float8 as "accountBytes", coalesce(i.bytes, 0)::float8 as "answerBytes",
  (select max(p.at) from history_pruned p where p.kind = 'zones' and p.owner in ('', o.id)) as "historySince"`;
const OWNERS = `select id, name, true as is_team, quota_zones, quota_records, quota_bytes from teams
  union all select id, name, false, null, null, null from users`;
const DELETED = `select coalesce(team_id, user_id) as owner, count(*) as zones, sum(record_count) as records,
  sum(stored_bytes) as bytes from deleted_zones group by 1`;
const TOTALS = `left join history_totals h on h.kind = 'zones' and h.owner = o.id
  left join history_totals a on a.kind = 'accounts' and a.owner = o.id`;

const ofOwners = statement<OwnerUsage>(`
  with owners as (select * from (${OWNERS}) all_owners where id = any($1::text[])), deleted as (${DELETED})
  select ${COLUMNS}
  from owners o ${TOTALS} left join deleted d on d.owner = o.id
    left join lateral (select count(*) as zones, sum(record_count) as records, sum(stored_bytes) as bytes
      from zones where team_id = o.id or user_id = o.id) z on true
    left join lateral (select sum(t.bytes) as bytes from api_keys k join history_totals t on t.kind = 'answers' and t.owner = k.id
      where k.team_id = o.id or k.user_id = o.id) i on true
  order by o.is_team, o.name, o.id`);

/** The usage of these teams and people: people first, then teams by name. */
export function readUsage(db: Db, owners: readonly string[]): Promise<readonly OwnerUsage[]> {
  return ofOwners(db, owners);
}

/** The order of the largest owners, and what each of them sorts by. */
export const USAGE_ORDERS = {
  bytes: '"bytes" + "deletedBytes" + "historyBytes" + "accountBytes" + "answerBytes"',
  records: '"records"',
  zones: '"zones"',
  history: '"historyBytes"',
  writes: '"writes"',
} as const;
export type UsageOrder = keyof typeof USAGE_ORDERS;

/** `writes`: zone and record writes of all keys in the last minute. */
export type RankedUsage = OwnerUsage & { writes: number };

/** The largest owners of the service, the largest first. Reads whole tables of zones and keys: for administrators. */
export function largestOwners(db: Db, order: UsageOrder, limit: number): Promise<readonly RankedUsage[]> {
  return statement<RankedUsage>(`
    with deleted as (${DELETED}),
      kept as (select coalesce(team_id, user_id) as owner, count(*) as zones, sum(record_count) as records,
        sum(stored_bytes) as bytes from zones group by 1),
      answers as (select coalesce(k.team_id, k.user_id) as owner, sum(t.bytes) as bytes
        from history_totals t join api_keys k on k.id = t.owner where t.kind = 'answers' group by 1),
      written as (select coalesce(k.team_id, k.user_id) as owner,
          sum((select count(*) from unnest(w.times) t where t > now() - interval '1 minute')) as writes
        from write_windows w join api_keys k on k.id = w.key_id group by 1),
      used as (select ${COLUMNS}, coalesce(w.writes, 0)::integer as writes
        from (${OWNERS}) o ${TOTALS} left join deleted d on d.owner = o.id left join kept z on z.owner = o.id
          left join answers i on i.owner = o.id left join written w on w.owner = o.id)
    select * from used order by ${USAGE_ORDERS[order]} desc, owner limit $1`)(db, limit);
}

const keyWrites = statement<{ bucket: string; used: number }>(`
  select bucket, (select count(*)::integer from unnest(times) t where t > now() - interval '1 minute') as used
  from write_windows where key_id = $1`);

/** The writes of a key in the last 60 seconds, by bucket. A bucket without any may be missing. */
export async function writesOfKey(db: Db, keyId: string): Promise<ReadonlyMap<string, number>> {
  return new Map((await keyWrites(db, keyId)).map(({ bucket, used }) => [bucket, used]));
}

/** The tables of the service by their contents. All other tables are `other`. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  records: ['records', 'zones', 'owned_sets', 'record_owners', 'alias_answers', 'record_targets'],
  history: ['changes', 'account_changes', 'history_usage', 'history_totals', 'change_days'],
  deleted_zones: ['deleted_zones', 'deleted_zone_rows'],
  answers: ['idempotency'],
  feed: ['feed_changes', 'feed_positions', 'nodes', 'node_samples'],
};
export const TABLE_GROUPS = [...Object.keys(GROUPS), 'other'];

const tableBytes = statement<{ table: string; bytes: number }>(`
  select coalesce(p.relname, c.relname)::text as table, sum(pg_total_relation_size(c.oid))::float8 as bytes
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
  where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace group by 1`);

/** Octets on disk by group of tables, with their indexes. */
export async function readTableBytes(db: Db): Promise<Map<string, number>> {
  const groups = new Map(TABLE_GROUPS.map((group) => [group, 0]));
  for (const { table, bytes } of await tableBytes(db)) {
    const group = Object.keys(GROUPS).find((name) => GROUPS[name]?.includes(table)) ?? 'other';
    groups.set(group, (groups.get(group) ?? 0) + bytes);
  }
  return groups;
}

const historyDepth = statement<{ oldest: string | null; cut: string | null }>(`
  select (select at from changes order by id limit 1) as oldest,
    (select max(at) from history_pruned where kind = 'zones' and owner <> '' and exists (
      select from history_totals t where t.kind = 'zones' and t.owner = history_pruned.owner and t.bytes > 0)) as cut`);

/**
 * The time of the oldest change of zones and records, and the latest time before which an owner's quota deleted
 * changes; null: there is none.
 */
export async function readHistoryDepth(db: Db): Promise<{ oldest: Date | null; cut: Date | null }> {
  const [row] = await historyDepth(db);
  const time = (at: string | null | undefined) => (at == null ? null : new Date(at));
  return { oldest: time(row?.oldest), cut: time(row?.cut) };
}

const commitments = statement<{ owners: number; recordBytes: number }>(`
  select count(*)::integer as owners, coalesce(sum(coalesce(quota_bytes, $1::bigint)), 0)::float8 as "recordBytes" from (
    select quota_bytes from teams
    union all select null from users u where exists (select from zones z where z.user_id = u.id)) o`);

/** The teams and the people with zones, and the octets of records that their quotas together allow. */
export async function readCommitments(db: Db, defaultBytes: number): Promise<{ owners: number; recordBytes: number }> {
  return (await commitments(db, defaultBytes))[0] ?? { owners: 0, recordBytes: 0 };
}
