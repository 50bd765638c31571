// From the answer of the REST API to the signed answer of one name server, in zones of several sizes: changes one by
// one, then at steady paces, and meanwhile changes in a small zone as well: `node test/bench/zone-sizes.ts [SIZE...]`,
// by default zones of 1,000, 10,000 and 100,000 records. `KNOT_VERSION=3.4` measures that version of Knot DNS.
import { parseArgs } from 'node:util';
import { delay } from '../../deploy/local/parts/wait.ts';
import { insist } from './calls.ts';
import { fillZones, liftQuotas } from './fill.ts';
import { createBenchZones, untilSigned, type Zones } from './name-servers.ts';
import { counters, cpuSeconds } from './processes.ts';
import { figure, summarize, tableLines } from './statistics.ts';
import {
  type Bench,
  type BenchService,
  isSignedAddress,
  numberedAddress,
  outOfStep,
  print,
  runBench,
  startBenchService,
  untilRight,
} from './support.ts';

const LIMIT_MS = 60 * 60_000;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '100' }, seconds: { type: 'string', default: '20' } },
});
const SIZES = positionals.length > 0 ? positionals.map(Number) : [1_000, 10_000, 100_000];
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
/** Changes a second in one zone. */
const PACES = [10, 50];
const PAUSE_MS = 300;
/** Many changes are awaited at once, and must leave the processors to the servers. */
const LOOK_MS = 5;
const NEIGHBOUR = 'small.example';
const NEIGHBOUR_PAUSE_MS = 150;

interface Ground {
  readonly bench: Bench;
  readonly service: BenchService;
  readonly zones: Zones;
  readonly ids: ReadonlyMap<string, string>;
}

let changes = 0;

/** Creates a record, and waits for its answer. @returns the time from the one answer to the other, in ms */
async function change({ bench, service, zones, ids }: Ground, zone: string): Promise<number> {
  const n = changes++;
  const [name, content] = [`w${n}`, numberedAddress(n)];
  await insist(zones.call('POST', `/v1/dns/zones/${ids.get(zone)}/records`, { name, type: 'A', content, ttl: 300 }));
  const since = performance.now();
  const question = { name: `${name}.${zone}`, type: 'A', dnssec: true } as const;
  await untilRight(service.dns, question, isSignedAddress(content), bench.signal, LOOK_MS);
  return performance.now() - since;
}

/** Changes at a steady pace, which do not wait for each other. */
async function changeSteadily(ground: Ground, zone: string, pace: number): Promise<number[]> {
  const pending: Promise<number>[] = [];
  const since = performance.now();
  for (let n = 0; n < pace * SECONDS; n++) {
    await delay(Math.max(0, since + (1_000 * n) / pace - performance.now()), ground.bench.signal);
    const result = change(ground, zone);
    // A failure ends the run where all are awaited.
    result.catch(() => undefined);
    pending.push(result);
  }
  return Promise.all(pending);
}

async function changeNeighbour(ground: Ground, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    times.push(await change(ground, NEIGHBOUR));
    await delay(Math.random() * NEIGHBOUR_PAUSE_MS, signal).catch(() => undefined);
  }
  return times;
}

/** One row of the table: a zone at a pace, and the small zone meanwhile. */
async function measurePace(ground: Ground, zone: string, pace: number): Promise<string[][]> {
  const { running } = ground.service;
  const pids = { knotd: running.part('knot').pid, node: running.part('nameserver').pid };
  const commits = async () => (await counters(pids.node, 'node_work_total', 'result')).applied ?? 0;
  const over = new AbortController();
  const [commitsBefore, cpuBefore, since] = [await commits(), await cpuSeconds(pids), performance.now()];
  const neighbour = changeNeighbour(ground, AbortSignal.any([over.signal, ground.bench.signal]));
  const times = await changeSteadily(ground, zone, pace);
  over.abort();
  const neighbourTimes = await neighbour;
  const [commitsAfter, cpuAfter, ms] = [await commits(), await cpuSeconds(pids), performance.now() - since];
  const applied = commitsAfter - commitsBefore - neighbourTimes.length;
  const share = (name: 'knotd' | 'node') => figure((100_000 * ((cpuAfter[name] ?? 0) - (cpuBefore[name] ?? 0))) / ms);
  const what = `${zone.slice(1).split('.')[0]} records, ${pace} a second`;
  return [
    [...row(what, times), `${applied}`, share('knotd'), share('node')],
    row('  small zone meanwhile', neighbourTimes),
  ];
}

function row(what: string, times: readonly number[]): string[] {
  const { n, median, p95, p99, max } = summarize(times);
  return [what, String(n), ...[median, p95, p99, max].map(figure)];
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench, 1, {}, { readyMs: LIMIT_MS });
  const zones = createBenchZones(bench, service);
  await liftQuotas(service);
  const ids = new Map([[NEIGHBOUR, await zones.create(NEIGHBOUR, 10)]]);
  const large = new Map(SIZES.map((size) => [`r${size}.example`, size]));
  for (const [name, size] of large)
    for (const [zone, id] of await fillZones(service, zones, [name], size)) ids.set(zone, id);
  await service.running.start('nameserver');
  await untilSigned(
    service.dns,
    [...large].map(([name, size]) => `n${size - 1}.${name}`),
    bench.signal,
  );
  const ground = { bench, service, zones, ids };

  const lone = new Map<string, number[]>([...ids.keys()].map((name) => [name, []]));
  for (let n = -5; n < ROUNDS; n++) {
    for (const [zone, times] of lone) {
      await outOfStep(PAUSE_MS, bench.signal);
      const ms = await change(ground, zone);
      if (n >= 0) times.push(ms);
    }
  }
  const heading = ['ms', 'n', 'median', 'p95', 'p99', 'max', 'commits', 'knotd % of a core', 'node %'];
  const rows = [heading, ...[...lone].map(([zone, times]) => row(`${zone}, one by one`, times))];
  for (const zone of large.keys()) for (const pace of PACES) rows.push(...(await measurePace(ground, zone, pace)));
  for (const line of tableLines(rows)) print(line);
}

await runBench(`Changes in zones of ${SIZES.join(', ')} records`, LIMIT_MS, run);
