// `suffix_of` among 100,000 zones against `/healthz`, which does nothing: `node test/bench/find-zone.ts`. In turns, one
// request at a time and 8 at once.
import postgres from 'postgres';
import { caller, createAgent, insist } from './calls.ts';
import { figure, quantile } from './statistics.ts';
import { type Bench, print, printSummaries, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 10 * 60_000;
const ZONES = 100_000;
const ROUNDS = 2_000;
const WARMING = 500;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const agent = createAgent(bench);
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = caller(agent, service.url, headers);
  const healthz = caller(agent, service.healthUrl, {});
  await insist(call('POST', '/v1/dns/zones', { zoneName: 'model.example', owner: `org:${team}` }));
  await multiply(service.databaseUrl);

  const find = async (n: number) => {
    const start = performance.now();
    const text = await insist(call('GET', `/v1/dns/zones?suffix_of=_acme-challenge.www.z${n}.example`));
    const ms = performance.now() - start;
    if (JSON.parse(text).zoneName !== `z${n}.example`) throw new Error(`z${n}.example was not found`);
    return ms;
  };
  const idle = async () => {
    const start = performance.now();
    await insist(healthz('GET', '/healthz'));
    return performance.now() - start;
  };
  for (const atOnce of [1, 8]) {
    const times: Record<'find' | 'idle', number[]> = { find: [], idle: [] };
    for (let round = -WARMING; round < ROUNDS; round += atOnce) {
      bench.signal.throwIfAborted();
      const several = Array.from({ length: atOnce }, (_, at) => ((round + WARMING + at) * 7919) % ZONES);
      const found = await Promise.all(several.map(find));
      const idled = await Promise.all(several.map(idle));
      if (round < 0) continue;
      times.find.push(...found);
      times.idle.push(...idled);
    }
    print();
    print(`## ${atOnce} at once`);
    printSummaries({ [`suffix_of among ${ZONES} zones`]: times.find, '/healthz': times.idle });
    print(`ratio of the p95: ${figure(quantile(times.find, 0.95) / quantile(times.idle, 0.95))}`);
  }
}

/** Copies the only zone: the benchmark searches names, and separate keys would take minutes to make. */
async function multiply(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 });
  await sql`
    insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select 'zone_' || n, team_id, 'z' || n || '.example', 'example z' || n, state, default_ttl, serial, ds
    from zones cross join generate_series(0, ${ZONES - 1}::integer) n where name = 'model.example'`;
  await sql`analyze zones`;
  await sql.end();
}

await runBench('suffix_of among 100,000 zones', LIMIT_MS, run);
