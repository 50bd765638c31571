// The cost of 10,000 checked addresses in the api, each probed every 10 seconds: processor time and memory, compared
// with the same records without a check: `node test/bench/health-load.ts [http|tcp [ADDRESSES]]`.
import postgres from 'postgres';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay, waitFor } from '../../deploy/local/parts/wait.ts';
import { printBar } from './bars.ts';
import { type CheckedService, startCheckedService } from './checked-service.ts';
import { liftQuotas } from './fill.ts';
import { cpuSeconds, memory } from './processes.ts';
import { figure, tableLines } from './statistics.ts';
import { type Bench, print, runBench } from './support.ts';
import { startServerProcess } from './web-servers.ts';

const LIMIT_MS = 30 * 60_000;
const TYPE = process.argv[2] === 'tcp' ? 'tcp' : 'http';
const ADDRESSES = Number(process.argv[3] ?? 10_000);
const PER_ZONE = 1_000;
const CHECK = 'load';
/** Before a measurement, and how long it takes: several intervals. */
const SETTLE_MS = 40_000;
const MEASURE_MS = 60_000;

const addressOf = (n: number) => `127.40.${n >> 8}.${n & 255}`;

interface Cost {
  /** The share of one core. */
  api: number;
  postgres: number;
  /** In MiB, the largest of the samples. */
  resident: number;
}

async function run(bench: Bench): Promise<void> {
  const { port: free } = await allocatePorts([{ name: 'port' }], { stateDir: bench.stateDir });
  const port = free as number;
  const service = await startCheckedService(bench);
  await liftQuotas(service);
  await service.setCheck(CHECK, { type: TYPE, port });
  await startServerProcess(bench, port, ['0.0.0.0']);
  for (let from = 0; from < ADDRESSES; from += PER_ZONE) {
    const names = Array.from({ length: Math.min(PER_ZONE, ADDRESSES - from) }, (_, n) => ({
      name: `n${n}`,
      addresses: [addressOf(from + n)],
    }));
    await service.createZone(`load${from / PER_ZONE}.example`, CHECK, names);
  }
  await untilHealthy(bench, service);
  const withChecks = await measure(bench, service);
  const sql = postgres(service.databaseUrl, { max: 1, onnotice: () => undefined });
  await sql`update records set health = null`;
  await sql`delete from check_targets`;
  await sql`delete from checks`;
  await sql.end();
  const without = await measure(bench, service);
  const row = (what: string, { api, postgres: database, resident }: Cost) => [
    what,
    ...[100 * api, 100 * database, resident].map(figure),
  ];
  const heading = ['', 'api, % of a core', 'Postgres, % of a core', 'api, MiB'];
  const table = [heading, row(`${ADDRESSES} addresses, ${TYPE}`, withChecks), row('without checks', without)];
  for (const line of tableLines(table)) print(line);
  printBar({ what: 'processor of the api', value: withChecks.api - without.api, most: 0.25, unit: 'cores' });
  printBar({ what: 'memory of the api', value: withChecks.resident - without.resident, most: 100, unit: 'MiB' });
}

async function untilHealthy({ signal }: Bench, service: CheckedService): Promise<void> {
  const isSo = async () => (await service.count(CHECK, 'Healthy')) === ADDRESSES;
  await waitFor(isSo, { what: 'all addresses to be Healthy', timeoutMs: 300_000, intervalMs: 1_000, signal });
}

/** Restarts the api first, so that the memory is not that of writing the records. */
async function measure({ signal }: Bench, { running }: CheckedService): Promise<Cost> {
  await running.part('api').stop();
  const api = await running.start('api');
  const pids = { api: api.pid, postgres: running.part('postgres').pid };
  await delay(SETTLE_MS, signal);
  const [before, since] = [await cpuSeconds(pids), performance.now()];
  let resident = 0;
  while (performance.now() - since < MEASURE_MS) {
    resident = Math.max(resident, (await memory(api.pid)).now);
    await delay(500, signal);
  }
  const [after, seconds] = [await cpuSeconds(pids), (performance.now() - since) / 1_000];
  const share = (name: 'api' | 'postgres') => ((after[name] ?? 0) - (before[name] ?? 0)) / seconds;
  return { api: share('api'), postgres: share('postgres'), resident };
}

await runBench(`${ADDRESSES} addresses, each probed every 10 s`, LIMIT_MS, run);
