// The watch of clusters and the marking of records: gaps, batches, crashes, several processes, and writes under way.
import { expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { markCluster } from '#service/clusters/mark.ts';
import { watchRound } from '#service/clusters/watch.ts';
import { unmarkedCluster } from '#store/cluster-marks.ts';
import { findLostClusters } from '#store/cluster-watch.ts';
import { type ClusterRow, writeDrained } from '#store/clusters.ts';
import { type Db, openDatabase } from '#store/database.ts';
import { addCluster, writeHeartbeat } from '#store/heartbeats.ts';
import { createLogger } from '#telemetry/log.ts';
import { cloneDatabase } from '../../../support/postgres/database.ts';

const TIMES = { lostMs: 60_000, gapMs: 10_000 };
const TEAM = 'team_000000000001';

/** A database of its own with two connections of the product, closed by `await using`. */
async function fresh(lockTimeoutMs = 60_000) {
  const database = await cloneDatabase();
  const opened = [1, 2].map(() => openDatabase(database.url, { max: 2, name: 'clusters-test', lockTimeoutMs }));
  const [db, other] = opened.map((each) => each.db) as [Db, Db];
  const { sql } = database;
  await sql`insert into teams (id, name) values (${TEAM}, 'one')`;
  return {
    sql,
    db,
    other,
    connect: database.connect,
    [Symbol.asyncDispose]: async () => {
      for (const { close } of opened) await close();
      await database.close();
    },
  };
}
type Fresh = Awaited<ReturnType<typeof fresh>>;

/** Zones with one record of each of these owners at each of some names. */
async function fill({ sql }: Fresh, zones: number, names: number, owners: readonly string[]): Promise<void> {
  await sql`insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select 'zone_' || z, ${TEAM}, 'z' || z || '.example', 'example z' || z, 'active', 60, 1, '{}'
    from generate_series(1, ${zones}::integer) z`;
  for (const [at, owner] of owners.entries()) {
    await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
      select 'rec_' || ${at}::integer || '_' || z.no || '_' || n, z.no, 'n' || n, 'n' || n, 'A', '192.0.2.' || ${at}::integer,
        '192.0.2.' || ${at}::integer, sha256(${`192.0.2.${at}`}::bytea) from zones z, generate_series(1, ${names}::integer) n`;
    await sql`insert into owned_sets (id, zone_no, owner, name, ordername, type, digest, value_count, share, retain, drift, applied_at)
      select 'set_' || ${at}::integer || '_' || z.no || '_' || n, z.no, ${owner}::text || n, 'n' || n, 'n' || n, 'A', '', 1, true, false,
        'Enforce', now() from zones z, generate_series(1, ${names}::integer) n`;
    await sql`insert into record_owners (record_id, set_id, digest) select r.id, 'set' || substr(r.id, 4), r.digest from records r
      where r.id like ${`rec_${at}_%`}`;
  }
}

async function beat(db: Db, name: string): Promise<ClusterRow | null> {
  const facts = { instance: null, objects: null, lease: null, restore: null, older: 0, isControlPlaneAway: false };
  const heartbeat = { owner: TEAM, name, keyId: 'operator', ...facts };
  return (await writeHeartbeat(db, heartbeat)) ?? addCluster(db, heartbeat, 100);
}

async function drain({ db }: Fresh, name: string, drained = true): Promise<void> {
  await db.transaction((tx) => writeDrained(tx, TEAM, name, drained));
}

/** Writes of other test files on the same server may delay the end of the marking. */
async function settle(db: Db, name: string): Promise<void> {
  for (;;) {
    const unmarked = await unmarkedCluster(db, TEAM, name);
    if (unmarked === null || (await markCluster({ db }, unmarked, () => false))) return;
  }
}

async function withdrawn({ sql }: Fresh): Promise<number> {
  return (await sql`select count(*)::int as n from records where withdrawn`)[0]?.n;
}

async function silentFor({ sql }: Fresh, seconds: number, watched: number, gap = 1): Promise<void> {
  await sql`update clusters set heartbeat_at = now() - ${seconds} * interval '1 second'`;
  await sql`update cluster_watch set since = now() - ${watched} * interval '1 second',
    ticked_at = now() - ${gap} * interval '1 second'`;
}

test('a cluster is lost after a minute without heartbeats', async () => {
  await using store = await fresh();
  await beat(store.db, 'east');
  for (const [silent, watched, lost] of [
    [40, 600, []],
    [61, 600, ['east']],
  ] as const) {
    await silentFor(store, silent, watched);
    expect((await findLostClusters(store.db, TIMES, 10)).map(({ name }) => name)).toEqual(lost);
  }
  // It is lost once.
  expect(await findLostClusters(store.db, TIMES, 10)).toEqual([]);
  expect(await beat(store.db, 'east')).toMatchObject({ lostAt: null, isSettled: false });
});

test('a time in which no process watched is not counted as silence', async () => {
  await using store = await fresh();
  await beat(store.db, 'east');
  for (const gap of [11, 3_600, -3_600]) {
    await silentFor(store, 3_600, 7_200, gap);
    expect(await findLostClusters(store.db, TIMES, 10)).toEqual([]);
    await store.sql`update cluster_watch set since = since - interval '40 seconds'`;
    expect(await findLostClusters(store.db, TIMES, 10)).toEqual([]);
  }
  await store.sql`update cluster_watch set since = since - interval '21 seconds'`;
  expect(await findLostClusters(store.db, TIMES, 10)).toHaveLength(1);
});

test('without clusters, the watch writes nothing', async () => {
  await using store = await fresh();
  const read = () => store.sql`select xmin::text, ticked_at::text from cluster_watch`;
  const before = await read();
  await findLostClusters(store.db, TIMES, 10);
  expect(await read()).toEqual(before);
});

test('several processes that watch find each lost cluster once', async () => {
  await using store = await fresh();
  for (let n = 0; n < 30; n += 1) await beat(store.db, `c${n}`);
  await silentFor(store, 100, 600);
  const found = await Promise.all(
    [store.db, store.other, store.db, store.other].map((db) => findLostClusters(db, TIMES, 100)),
  );
  expect(
    found
      .flat()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(Array.from({ length: 30 }, (_, n) => `c${n}`).sort());
});

test('a heartbeat that arrives while the cluster is found lost wins', async () => {
  await using store = await fresh();
  await beat(store.db, 'east');
  await silentFor(store, 100, 600);
  await store.sql.begin(async (tx) => {
    await tx`update clusters set heartbeat_at = now()`;
    expect(await findLostClusters(store.db, TIMES, 10)).toEqual([]);
  });
  expect(await findLostClusters(store.db, TIMES, 10)).toEqual([]);
});

test('records are marked in batches, with their names announced and a new serial for each zone', async () => {
  await using store = await fresh();
  await beat(store.db, 'east');
  await fill(store, 5, 130, ['k8s:east/a/', 'k8s:east0/a/']);
  await fillOther(store);
  const { sql } = store;
  await sql`delete from feed_changes`;
  await drain(store, 'east');
  await settle(store.db, 'east');
  expect(await withdrawn(store)).toBe(650);
  const announced = await sql`select z.no, count(*)::int as n, count(distinct n.one)::int as names from feed_changes f
    join zones z on z.id = f.zone_id, unnest(f.names) n(one) group by z.no order by z.no`;
  expect(announced.map(({ n, names }) => [n, names])).toEqual(Array.from({ length: 5 }, () => [130, 130]));
  const [serials] = await sql`select count(*)::int as n from zones where serial > 1`;
  expect(serials?.n).toBe(5);
  // No transaction announces more than a batch.
  const [most] =
    await sql`select max(n)::int as n from (select sum(cardinality(names)) as n from feed_changes group by xid) x`;
  expect(most?.n).toBeLessThanOrEqual(500);
  await drain(store, 'east', false);
  await settle(store.db, 'east');
  expect(await withdrawn(store)).toBe(0);
});

/** A cluster of the same name in another team, which must stay as it is. */
async function fillOther({ sql }: Fresh): Promise<void> {
  await sql`insert into teams (id, name) values ('team_2', 'two')`;
  await sql`insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    values ('zone_other', 'team_2', 'other.test', 'test other', 'active', 60, 1, '{}')`;
  await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
    select 'rec_other', no, 'n', 'n', 'A', '192.0.2.1', '192.0.2.1', '' from zones where id = 'zone_other'`;
  await sql`insert into owned_sets (id, zone_no, owner, name, ordername, type, digest, value_count, share, retain, drift, applied_at)
    select 'set_other', no, 'k8s:east/a/n', 'n', 'n', 'A', '', 1, true, false, 'Enforce', now() from zones where id = 'zone_other'`;
  await sql`insert into record_owners (record_id, set_id, digest) values ('rec_other', 'set_other', '')`;
}

test('the watch of another process completes what a process left', async () => {
  await using store = await fresh();
  await beat(store.db, 'east');
  await fill(store, 1, 600, ['k8s:east/a/']);
  await drain(store, 'east');
  const unmarked = await unmarkedCluster(store.db, TEAM, 'east');
  // The process ends after its first transaction.
  expect(unmarked && (await markCluster({ db: store.db }, unmarked, () => true))).toBe(false);
  expect(await withdrawn(store)).toBe(500);
  const log = createLogger({ name: 'test', level: 'silent' });
  const watch = { db: store.other, log, clock: realClock, leftMs: 0 };
  await watchRound(watch, new AbortController().signal);
  expect(await withdrawn(store)).toBe(600);
  await settle(store.db, 'east');
});

test('two processes that mark the same records agree', async () => {
  await using store = await fresh();
  await beat(store.db, 'east');
  await fill(store, 4, 50, ['k8s:east/a/']);
  await drain(store, 'east');
  await Promise.allSettled([settle(store.db, 'east'), settle(store.other, 'east')]);
  await settle(store.db, 'east');
  expect(await withdrawn(store)).toBe(200);
});

test('a cluster is settled only after the writes that may not have seen its state', async () => {
  // The marking waits for a writer that does not end before.
  await using store = await fresh(200);
  await beat(store.db, 'east');
  await fill(store, 1, 0, ['k8s:east/a/']);
  const { sql } = store;
  const writer = store.connect();
  try {
    await writer.begin(async (tx) => {
      // A write that looked at the clusters before the drain, as its trigger does.
      await tx`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
        select 'rec_9', no, 'late', 'late', 'A', '192.0.2.9', '192.0.2.9', '9' from zones`;
      await tx`insert into owned_sets (id, zone_no, owner, name, ordername, type, digest, value_count, share, retain, drift, applied_at)
        select 'set_9', no, 'k8s:east/a/late', 'late', 'late', 'A', '', 1, true, false, 'Enforce', now() from zones`;
      await tx`insert into record_owners (record_id, set_id, digest) values ('rec_9', 'set_9', '9')`;
      await drain(store, 'east');
      // The marking corrects the records that it sees, and waits for this transaction.
      const unmarked = await unmarkedCluster(store.db, TEAM, 'east');
      expect(unmarked && (await markCluster({ db: store.db }, unmarked, () => false).catch(() => false))).toBe(false);
      expect(await unmarkedCluster(store.db, TEAM, 'east')).not.toBeNull();
    });
    await settle(store.db, 'east');
    const [row] = await sql`select withdrawn from records where id = 'rec_9'`;
    expect(row?.withdrawn).toBe(true);
  } finally {
    await writer.end();
  }
});
