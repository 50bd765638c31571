// From the answer of the REST API to the first right, signed answer of every name server, in a small zone and in a zone
// of 100,000 records, and 1,000 records of one batch: `node test/bench/change-to-nodes.ts [NODES]`.
import { insist } from './calls.ts';
import { createBenchZones, creation, printMeasured, untilSigned } from './name-servers.ts';
import { figure, summarize } from './statistics.ts';
import {
  type Bench,
  isSignedAddress,
  numberedAddress,
  outOfStep,
  print,
  printSummaries,
  runBench,
  startBenchService,
  untilRight,
} from './support.ts';

const LIMIT_MS = 15 * 60_000;
const LARGE = 100_000;
const ROUNDS = 200;
const BATCHES = 10;
const BATCH = 1_000;
const PAUSE_MS = 100;
const nodes = Number(process.argv[2] ?? 2);

async function run(bench: Bench): Promise<void> {
  const { signal } = bench;
  const service = await startBenchService(bench, nodes);
  const zones = createBenchZones(bench, service);
  const ids = {
    'small.example': await zones.create('small.example', 10),
    'large.example': await zones.create('large.example', LARGE),
  };
  const everywhere = (name: string) =>
    Promise.all(service.nameServers.map((server) => untilSigned(server, [name], signal)));
  await everywhere(`n${LARGE - 1}.large.example`);

  const change = async (zone: keyof typeof ids, n: number) => {
    await outOfStep(PAUSE_MS, signal);
    const [name, content] = [`w${n}`, numberedAddress(n)];
    await insist(zones.call('POST', `/v1/dns/zones/${ids[zone]}/records`, { name, type: 'A', content, ttl: 300 }));
    const since = performance.now();
    const question = { name: `${name}.${zone}`, type: 'A', dnssec: true } as const;
    await Promise.all(
      service.nameServers.map((server) => untilRight(server, question, isSignedAddress(content), signal)),
    );
    return performance.now() - since;
  };
  const times: Record<keyof typeof ids, number[]> = { 'small.example': [], 'large.example': [] };
  for (let n = -10; n < ROUNDS; n++) {
    for (const zone of ['small.example', 'large.example'] as const) {
      const ms = await change(zone, n + 10);
      if (n >= 0) times[zone].push(ms);
    }
  }
  const batches: number[] = [];
  for (let round = 0; round < BATCHES; round++) {
    const id = await zones.create(`round${round}.example`, 1);
    const changes = Array.from({ length: BATCH }, (_, n) => creation(n, `b${n}`));
    const since = performance.now();
    await insist(zones.call('POST', `/v1/dns/zones/${id}/records:batch`, { changes }));
    const names = Array.from({ length: BATCH }, (_, n) => `b${n}.round${round}.example`);
    await Promise.all(service.nameServers.map((server) => untilSigned(server, names, signal)));
    batches.push(performance.now() - since);
  }
  printSummaries({
    '201 → answered, small zone': times['small.example'],
    [`201 → answered, ${LARGE} records`]: times['large.example'],
    '1,000 records': batches,
  });
  const [small, large] = [summarize(times['small.example']), summarize(times['large.example'])];
  const both = ({ median, p99 }: typeof small) => `${figure(median)}, ${figure(p99)} ms`;
  print(`${nodes} name servers`);
  printMeasured([
    {
      what: '201 → answered by every node, small zone: median, p99',
      before: '4–31 ms',
      bar: '30, 100 ms',
      now: both(small),
    },
    { what: 'the same in a zone of 100,000 records', before: '4–31 ms', bar: '120, 400 ms', now: both(large) },
    {
      what: '1,000 records in one batch, median',
      before: '0.45 s',
      bar: '0.7 s',
      now: `${figure(summarize(batches).median / 1000)} s`,
    },
  ]);
}

await runBench('201 → answered by every name server', LIMIT_MS, run);
