// A large history of changes: its size on disk, the times of reads and writes, and the cost of the retention when a
// month has become too old: `node test/bench/history.ts [CHANGES] [TEAMS]`, about three minutes with 2,000,000 and 400.
// Postgres alone runs, and the statements are those of the service.
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { prepareDatabase } from '#service/accounts/bootstrap.ts';
import { retentionRound } from '#service/retention.ts';
import { searchChanges } from '#store/change-search.ts';
import { insertChanges, listPastChanges } from '#store/changes.ts';
import { type Db, openDatabase } from '#store/database.ts';
import { ownerOver } from '#store/retention.ts';
import { firstChangeAfter, recordsBefore } from '#store/undo.ts';
import { unownedChanges } from '#store/unowned-changes.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { ensurePostgres, startPostgres } from '../../deploy/local/parts/postgres.ts';
import { fillHistory, fillRecords, largeTeam, largeZone } from '../support/postgres/large.ts';
import { figure } from './statistics.ts';
import { type Bench, print, runBench } from './support.ts';

const CHANGES = Number(process.argv[2] ?? 2_000_000);
const TEAMS = Number(process.argv[3] ?? 400);
const MONTHS = 13;
const LIMIT_MS = 30 * 60_000;
const DAY = 24 * 60 * 60_000;
/** Rows of history_usage of a history of years, which the retention sums or not. */
const USAGE = 2_000_000;
const TRIES = 200;

async function timed(name: string, tries: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < tries; n += 1) {
    const begin = performance.now();
    await work(n);
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => figure(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  print(`${name}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms`);
}

async function sizes(sql: Sql): Promise<void> {
  const [row] = await sql`
    select sum(pg_table_size(t))::float8 as heap, sum(pg_indexes_size(t))::float8 as indexes
    from (select 'changes'::regclass as t union all select inhrelid::regclass from pg_inherits where inhparent = 'changes'::regclass) t`;
  const [count] = await sql`select count(*)::float8 as n from changes`;
  const bytes = (octets: number) => `${figure(octets / (count?.n ?? 1))} B`;
  print(`${count?.n} changes: ${bytes(row?.heap)} of rows and ${bytes(row?.indexes)} of indexes for each change`);
}

async function readAndWrite(db: Db): Promise<void> {
  const zone = { id: largeZone(1), no: 1, defaultTtl: 300 };
  const entry = (n: number) => ({
    ...{ zoneId: largeZone((n % TEAMS) + 1), zoneName: 'x.example', teamId: largeTeam((n % TEAMS) + 1), userId: null },
    ...{ keyId: 'key_large', action: 'record.update' as const, before: { name: 'a' }, after: { name: 'a' }, serial: 1 },
    requestId: `bench_${n}`,
  });
  await timed('write one change', TRIES * 5, (n) => db.transaction((tx) => insertChanges(tx, [entry(n)])));
  await timed('the newest 50 changes of a zone', TRIES, (n) =>
    listPastChanges(db, largeZone((n % TEAMS) + 1), { zoneOnly: false, limit: 50 }),
  );
  await timed('50 changes from the middle', TRIES, (n) =>
    listPastChanges(db, largeZone((n % TEAMS) + 1), { before: Math.floor(CHANGES / 2), zoneOnly: false, limit: 50 }),
  );
  await timed('search the changes of a zone', 20, (n) =>
    searchChanges(db, largeZone((n % TEAMS) + 1), { name: 'host7', zoneOnly: false }, { limit: 50 }),
  );
  await timed('the unowned changes of a team', TRIES, (n) => unownedChanges(db, largeTeam((n % TEAMS) + 1)));
  await timed('find the differences of a zone to 100 days ago', 5, () =>
    db.transaction(async (tx) => {
      const from = await firstChangeAfter(tx, zone.id, new Date(Date.now() - 100 * DAY));
      let count = 0;
      for await (const rows of recordsBefore(tx, zone, from ?? 0)) count += rows.length;
      if (count === 0) throw new Error('nothing to undo');
    }),
  );
}

async function retention(db: Db, sql: Sql): Promise<void> {
  const settings = { historyMs: 400 * DAY, historyBytes: 2 ** 40, answersMs: DAY };
  const { signal } = new AbortController();
  const run = async (name: string, now: Date) => {
    const [before] = await sql`select count(*)::float8 as n, pg_current_wal_lsn() as lsn from changes`;
    const begin = performance.now();
    await retentionRound({ db, settings, now: () => now }, signal);
    const seconds = (performance.now() - begin) / 1000;
    const [after] = await sql`
      select count(*)::float8 as n, pg_wal_lsn_diff(pg_current_wal_lsn(), ${before?.lsn}::pg_lsn)::float8 as wal from changes`;
    print(`${name}: ${figure(seconds)} s, ${before?.n - after?.n} rows less, ${figure(after?.wal / 1e6)} MB of WAL`);
  };
  await run('a round that counts all changes', new Date());
  await run('a round with nothing to do', new Date());
  // The first two months are too old then.
  await run('a round that removes old months', new Date(Date.now() + 45 * DAY + (400 - 365) * DAY));
  await sql`
    insert into history_usage (kind, bucket, owner, bytes)
    select 'zones', 1000000000 + i / ${TEAMS}::integer, 'team_large' || (i % ${TEAMS}::integer + 1), 1000
    from generate_series(1, ${USAGE}::integer) i`;
  await sql`analyze history_usage`;
  await timed(`look for an owner over its limit, with ${USAGE} rows of history_usage`, 10, () =>
    db.transaction((tx) => ownerOver(tx, 'zones', 2 ** 40)),
  );
}

async function run({ stateDir, signal, atEnd }: Bench): Promise<void> {
  const { postgres: port } = await allocatePorts([{ name: 'postgres' }], { stateDir });
  const { binDir } = await ensurePostgres({ progress: () => {}, signal });
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const server = await startPostgres({ binDir, stateDir, port, settings, signal });
  atEnd(() => server.stop());
  const url = await prepareDatabase(server.url, 'zonestead', { service: { name: 'zonestead', password: 'bench' } });
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  const superuser = new URL(server.url);
  superuser.pathname = '/zonestead';
  const admin = postgres(superuser.href, { max: 1, onnotice: () => undefined });
  atEnd(() => admin.end());
  const database = openDatabase(url, { max: 2 });
  atEnd(() => database.close());

  const from = new Date(Date.now() - 365 * DAY);
  const [maker] = await sql`select to_regprocedure('add_changes_month(date)') is not null as there`;
  if (maker?.there === true)
    await sql`
      select add_changes_month((date_trunc('month', ${from}::timestamptz at time zone 'UTC') + n * interval '1 month')::date)
      from generate_series(0, ${MONTHS}::integer) n`;
  await fillRecords(sql, { teams: TEAMS, records: 10 * TEAMS });
  const begin = performance.now();
  await fillHistory(sql, { teams: TEAMS, changes: CHANGES, from, until: new Date() });
  print(`filled in ${figure((performance.now() - begin) / 1000)} s`);
  await sql`vacuum analyze`;
  await admin`checkpoint`;
  await sizes(sql);
  await readAndWrite(database.db);
  await sleep(100, undefined, { signal });
  await retention(database.db, sql);
}

await runBench(`A history of ${CHANGES} changes of ${TEAMS} teams`, LIMIT_MS, run);
