// Signed answers a second of a name server with a zone of 100,000 names, and the answers of other zones while that zone
// gets random names: `node test/bench/answers-a-second.ts [SECONDS]`. The values before are those of PowerDNS 4.7 in
// front of Postgres.
import { createBenchZones, dnsperf, type FloodOptions, printMeasured, untilSigned } from './name-servers.ts';
import { figure } from './statistics.ts';
import { type Bench, print, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 15 * 60_000;
const NAMES = 100_000;
const OTHER_ZONES = 50;
/** Ten times the random names that PowerDNS answered. */
const FLOOD_RATE = 8_300;
const KNOWN_RATE = 2_000;
const IN_TIME_SECONDS = 0.05;
const seconds = Number(process.argv[2] ?? 10);

async function run(bench: Bench): Promise<void> {
  const { signal, stateDir } = bench;
  const service = await startBenchService(bench);
  const zones = createBenchZones(bench, service);
  await zones.create('large.example', NAMES);
  const others = Array.from({ length: OTHER_ZONES }, (_, at) => `other${at}.example`);
  await zones.createAll(others, 10);
  await untilSigned(service.dns, [`n${NAMES - 1}.large.example`, ...others.map((zone) => `n9.${zone}`)], signal);
  const there = shuffled(Array.from({ length: NAMES }, (_, n) => `n${n}.large.example`));
  const random = Array.from({ length: NAMES }, () => `${Math.random().toString(36).slice(2)}.large.example`);
  const known = shuffled(others.flatMap((zone) => Array.from({ length: 10 }, (_, n) => `n${n}.${zone}`)));
  const ask = (names: readonly string[], more: Partial<FloodOptions> = {}) =>
    dnsperf(stateDir, { server: service.dns, names, seconds, signal, ...more });

  const rates: Record<'there' | 'random', number[]> = { there: [], random: [] };
  for (let round = 0; round < 2; round++) {
    for (const [kind, names] of Object.entries({ there, random })) {
      const { rate, sent, lost, rcodes } = await ask(names);
      rates[kind as 'there' | 'random'].push(rate);
      print(`${kind}: ${figure(rate)} answers a second, ${lost} of ${sent} lost, ${rcodes}`);
    }
  }
  const flood = ask(random, { rate: FLOOD_RATE, seconds: seconds + 2 });
  const during = await ask(known, { rate: KNOWN_RATE, timeoutSeconds: IN_TIME_SECONDS });
  const { rate, rcodes } = await flood;
  print(`flood: ${figure(rate)} answers a second, ${rcodes}; other zones: ${during.rcodes}`);
  const inTime = (100 * (during.sent - during.lost)) / during.sent;
  const best = (kind: 'there' | 'random') => `${figure(Math.max(...rates[kind]))}/s`;
  printMeasured([
    { what: 'names that are there', before: '1,700/s', bar: '60,000/s', now: best('there') },
    { what: 'random names', before: '830/s', bar: '60,000/s', now: best('random') },
    {
      what: `other zones within 50 ms, ${FLOOD_RATE} random names a second`,
      before: '-',
      bar: '99.9 %',
      now: `${inTime.toFixed(3)} % of ${during.sent}`,
    },
  ]);
}

function shuffled(names: string[]): string[] {
  return names
    .map((name) => ({ name, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ name }) => name);
}

await runBench('Signed answers a second', LIMIT_MS, run);
