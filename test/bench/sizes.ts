// The size of a record, a zone and a change: octets of Postgres and of a name server's volume, memory of knotd, of the
// node and of the api, write-ahead log: `node test/bench/sizes.ts [RECORDS]`, some minutes with 40,000. Each slope is
// between a quarter of the records and all of them, so the base of each process is not in it. Octets and memory do not
// depend on the load of the machine; rates do.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { delay } from '../../deploy/local/parts/wait.ts';
import { insist } from './calls.ts';
import { liftQuotas } from './fill.ts';
import { createBenchZones, untilSigned } from './name-servers.ts';
import { cpuSeconds, memory } from './processes.ts';
import { figure } from './statistics.ts';
import { type Bench, type BenchService, print, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 40 * 60_000;
const RECORDS = Number(process.argv[2] ?? 40_000);
const PER_ZONE = 1_000;
const SMALL_ZONES = 400;
const CHANGES = 2_000;
/** V8 collects the garbage of the load, and Postgres cleans up. */
const SETTLE_MS = 20_000;
const MIB = 1024 * 1024;

/** In octets. */
type Sizes = Record<'postgres: records' | 'postgres: history' | 'volume' | 'knotd' | 'node' | 'api', number>;

async function measure(bench: Bench, { running }: BenchService, sql: Sql): Promise<Sizes> {
  await delay(SETTLE_MS, bench.signal);
  await sql`vacuum`;
  const [tables] = await sql`
    select sum(pg_total_relation_size(oid)) filter (where relname like 'changes%')::float8 as history,
      sum(pg_total_relation_size(oid)) filter (where relname in ('records', 'zones'))::float8 as records
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const resident = async (part: 'knot' | 'nameserver' | 'api') => (await memory(running.part(part).pid)).now * MIB;
  return {
    'postgres: records': tables?.records,
    'postgres: history': tables?.history,
    volume: await folderSize(join(bench.stateDir, 'nodes')),
    knotd: await resident('knot'),
    node: await resident('nameserver'),
    api: await resident('api'),
  };
}

/** The size of the files on disk: LMDB makes large files with holes. */
async function folderSize(folder: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const file = await stat(join(entry.parentPath, entry.name)).catch(() => null);
    if (entry.isFile()) total += (file?.blocks ?? 0) * 512;
  }
  return total;
}

function printSlope(what: string, before: Sizes, after: Sizes, count: number): void {
  // The api collects what bulk work left for long: its memory grows with requests, not with records.
  for (const name of (Object.keys(after) as (keyof Sizes)[]).filter((each) => each !== 'api'))
    print(`${what}, ${name}: ${figure((after[name] - before[name]) / count)} B (now ${figure(after[name] / MIB)} MiB)`);
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const { signal } = bench;
  await liftQuotas(service);
  const sql = postgres(service.databaseUrl, { max: 1, onnotice: () => undefined });
  bench.atEnd(() => sql.end());
  const zones = createBenchZones(bench, service);
  const make = async (prefix: string, count: number, records: number) => {
    const names = Array.from({ length: count }, (_, n) => `${prefix}${n}.example`);
    for (const name of names) await zones.create(name, records);
    await untilSigned(
      service.dns,
      names.map((name) => `n${records - 1}.${name}`),
      signal,
    );
  };
  const empty = await measure(bench, service, sql);
  const first = Math.max(1, Math.floor(RECORDS / PER_ZONE / 4));
  await make('a', first, PER_ZONE);
  const quarter = await measure(bench, service, sql);
  const begin = performance.now();
  await make('b', RECORDS / PER_ZONE - first, PER_ZONE);
  const more = RECORDS - first * PER_ZONE;
  print(`${more} records from batches to answers: ${figure(more / ((performance.now() - begin) / 1000))} a second`);
  const full = await measure(bench, service, sql);
  print(
    `without records: ${Object.entries(empty)
      .map(([name, octets]) => `${name} ${figure(octets / MIB)} MiB`)
      .join(', ')}`,
  );
  printSlope(`a record in zones of ${PER_ZONE}`, quarter, full, more);
  await make('s', SMALL_ZONES, 1);
  printSlope('a zone with one record', full, await measure(bench, service, sql), SMALL_ZONES);
  await change(service, zones, sql);
  await bench.signal.throwIfAborted();
  await reload(bench, service, RECORDS);
}

/** Updates of single records, one after another. */
async function change(
  service: BenchService,
  { call, create }: ReturnType<typeof createBenchZones>,
  sql: Sql,
): Promise<void> {
  const id = await create('changes.example', 1);
  const { records } = JSON.parse(await insist(call('GET', `/v1/dns/zones/${id}/records`))) as {
    records: { id: string }[];
  };
  const record = records[0]?.id;
  const position = async () => (await sql`select pg_current_wal_lsn() as lsn`)[0]?.lsn as string;
  const size = async () =>
    (
      await sql`select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind = 'r' and relname like 'changes%'`
    )[0]?.bytes as number;
  const pids = { api: service.running.part('api').pid, postgres: service.running.part('postgres').pid };
  const [before, cpu, bytes, begin] = [await position(), await cpuSeconds(pids), await size(), performance.now()];
  for (let n = 0; n < CHANGES; n += 1)
    await insist(
      call('PUT', `/v1/dns/zones/${id}/records/${record}`, { name: 'n0', type: 'A', content: `192.0.2.${n % 250}` }),
    );
  const seconds = (performance.now() - begin) / 1000;
  const after = await cpuSeconds(pids);
  const [wal] = await sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), ${before}::pg_lsn)::float8 as bytes`;
  print(`a change, history with indexes: ${figure(((await size()) - bytes) / CHANGES)} B`);
  print(`a change, write-ahead log: ${figure(wal?.bytes / CHANGES)} B`);
  for (const name of ['api', 'postgres'] as const)
    print(
      `a change, processor time of ${name}: ${figure((1000 * ((after[name] ?? 0) - (cpu[name] ?? 0))) / CHANGES)} ms`,
    );
  print(`changes of one writer: ${figure(CHANGES / seconds)} a second`);
}

/** How fast knotd loads what it has. */
async function reload(bench: Bench, { running, dns }: BenchService, records: number): Promise<void> {
  await running.part('nameserver').stop();
  await running.part('knot').stop();
  const begin = performance.now();
  await running.start('knot');
  const names = Array.from({ length: Math.floor(records / PER_ZONE / 2) }, (_, n) => `n${PER_ZONE - 1}.b${n}.example`);
  await untilSigned(dns, names, bench.signal);
  const seconds = (performance.now() - begin) / 1000;
  const peak = (await memory(running.part('knot').pid)).peak;
  print(`knotd loads ${figure(records / seconds)} records a second, and takes ${figure(peak)} MiB at its peak`);
  await running.start('nameserver');
}

await runBench(`Sizes with ${RECORDS} records`, LIMIT_MS, run);
