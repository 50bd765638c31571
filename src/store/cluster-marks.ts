// Marks the records of a cluster after its state changed: which of them are withdrawn. Each transaction concerns at
// most 500 sets of owners, corrects their records, and announces the names. Two processes may mark the same cluster at
// the same time.
//
//     look      finds records that are not as they should be, without locks
//     mark      locks their zones, and corrects them as they are then
//     settled   every transaction that may not have seen the new state has ended, and a look after that found nothing
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

/** A cluster with a change of its state that is not marked yet. */
export interface UnmarkedCluster {
  owner: string;
  name: string;
  /** Names the change. */
  mark: string;
  /** The age of the change, in ms. */
  sinceMs: number;
}

const SETS_AT_ONCE = 500;
const ZONES_AT_ONCE = 200;

const COLUMNS = `owner, name, unmarked_since::text as mark,
  (extract(epoch from clock_timestamp() - unmarked_since) * 1000)::float8 as "sinceMs"`;
const selectUnmarked = statement<UnmarkedCluster>(
  `select ${COLUMNS} from clusters where unmarked_since is not null order by unmarked_since limit $1`,
);
const selectOne = statement<UnmarkedCluster>(
  `select ${COLUMNS} from clusters where unmarked_since is not null and owner = $1 and name = $2`,
);

/** Null: there is nothing to mark. */
export async function unmarkedCluster(db: Db, owner: string, name: string): Promise<UnmarkedCluster | null> {
  return (await selectOne(db, owner, name))[0] ?? null;
}

export async function unmarkedClusters(db: Db, limit: number): Promise<readonly UnmarkedCluster[]> {
  return selectUnmarked(db, limit);
}

// $2 and $3 bound the owners `k8s:<cluster>/…` in byte order: '0' is the byte after '/'.
const RANGE = `s.owner >= $2 collate "C" and s.owner < $3 collate "C"`;
const rangeOf = (name: string) => [`k8s:${name}/`, `k8s:${name}0`];

const selectZones = statement<{ no: number }>(`
  select z.no from zones z where (z.team_id = $1 or z.user_id = $1) and z.no > $4::integer
    and exists (select from owned_sets s where s.zone_no = z.no and ${RANGE})
  order by z.no limit ${ZONES_AT_ONCE}`);

interface Looked {
  seen: number;
  after: unknown;
  wrong: { zone: number; id: string }[] | null;
}

const look = statement<Looked>(`
  with page as (
    select s.id, s.zone_no, s.owner, s.ordername, s.type from owned_sets s
    where s.zone_no = any($1::integer[]) and ${RANGE}
      and ($4::json is null or (s.zone_no, s.owner, s.ordername, s.type)
        > (($4::json ->> 0)::integer, ($4::json ->> 1) collate "C", ($4::json ->> 2) collate "C", $4::json ->> 3))
    order by s.zone_no, s.owner, s.ordername, s.type limit ${SETS_AT_ONCE}
  ), wrong as (
    select r.zone_no as zone, r.id
    from withdrawn_of(array(select distinct o.record_id from page join record_owners o on o.set_id = page.id)) w
      join records r on r.id = w.record_id
    where r.withdrawn <> w.is_withdrawn
  )
  select (select count(*)::integer from page) as seen,
    (select json_build_array(zone_no, owner, ordername, type) from page
      order by zone_no desc, owner desc, ordername desc, type desc limit 1) as after,
    (select json_agg(wrong) from wrong) as wrong`);

const lockFree = statement<{ no: number }>(
  'select no from zones where no = any($1::integer[]) order by no for no key update skip locked',
);
const lockAll = statement<{ no: number }>(
  'select no from zones where no = any($1::integer[]) order by no for no key update',
);
const correct = statement<{ corrected: number }>('select correct_withdrawn($1::text[]) as corrected');

/**
 * Corrects all records of the cluster. Zones that are being changed meanwhile come last, each with a wait.
 * @param onMarked is called after each transaction that changed something
 * @param isOver whether to stop early; the cluster stays unmarked then
 * @returns whether it looked at everything
 * @throws SQLSTATE 55P03 if a zone stays locked
 */
export async function correctRecords(
  db: Db,
  { owner, name }: Pick<UnmarkedCluster, 'owner' | 'name'>,
  onMarked: () => void,
  isOver: () => boolean,
): Promise<boolean> {
  const range = rangeOf(name);
  for (let last = 0; ; ) {
    const zones = (await selectZones(db, owner, ...range, last)).map(({ no }) => no);
    if (zones.length === 0) return true;
    for (let after: unknown = null; ; ) {
      const page = (await look(db, zones, ...range, after === null ? null : JSON.stringify(after)))[0] as Looked;
      const wrong = Map.groupBy(page.wrong ?? [], ({ zone }) => zone);
      const lockedZones = await correctIn(db, wrong, lockFree, onMarked);
      for (const zone of lockedZones) await correctIn(db, new Map([[zone, wrong.get(zone) ?? []]]), lockAll, onMarked);
      if (isOver()) return false;
      if (page.seen < SETS_AT_ONCE) break;
      after = page.after;
    }
    last = zones.at(-1) ?? last;
  }
}

/** @returns the zones that were not locked, and where nothing was corrected */
async function correctIn(
  db: Db,
  wrong: ReadonlyMap<number, readonly { id: string }[]>,
  lock: typeof lockFree,
  onMarked: () => void,
): Promise<number[]> {
  const zones = [...wrong.keys()];
  if (zones.length === 0) return [];
  const lockedNos = await db.transaction(async (tx: Tx) => {
    const nos = (await lock(tx, zones)).map(({ no }) => no);
    const ids = nos.flatMap((no) => wrong.get(no) ?? []).map(({ id }) => id);
    if (ids.length > 0) await correct(tx, ids);
    return new Set(nos);
  });
  if (lockedNos.size > 0) onMarked();
  return zones.filter((no) => !lockedNos.has(no));
}

const awaitOthers = statement<{ ended: boolean }>(`
  update clusters set settle_xid = coalesce(settle_xid, pg_snapshot_xmax(pg_current_snapshot()))
  where owner = $1 and name = $2 and unmarked_since = $3::timestamptz
  returning pg_snapshot_xmin(pg_current_snapshot()) >= settle_xid as ended`);
const settle = statement(`
  update clusters set unmarked_since = null, settle_xid = null
  where owner = $1 and name = $2 and unmarked_since = $3::timestamptz`);

/**
 * Whether every transaction has ended that may have written without seeing the change. The first call begins to wait.
 */
export async function othersHaveEnded(db: Db, { owner, name, mark }: UnmarkedCluster): Promise<boolean> {
  return (await awaitOthers(db, owner, name, mark))[0]?.ended === true;
}

/** Says that all records are as they should be, unless the state changed again. */
export async function settleCluster(db: Db, { owner, name, mark }: UnmarkedCluster): Promise<void> {
  await settle(db, owner, name, mark);
}
