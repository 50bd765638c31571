// Changes of answers by health checks under a load of queries: addresses leave the answers or come back 1,000 times,
// while dnsperf asks 20,000 questions a second and clients of a resolver that validates ask as fast as they can. The
// resolver is unbound, whose cache keeps nothing for longer than a second. `node test/bench/health-queries.ts weights`
// gives the records weights, which needs `KNOT_VERSION=3.4`.
import { ask, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { startValidatingResolver, type ValidatingResolver } from '../support/dns/validating-resolver.ts';
import { printBar } from './bars.ts';
import { type CheckedService, startCheckedService } from './checked-service.ts';
import { dnsperf, untilSigned } from './name-servers.ts';
import { type Bench, print, printSummaries, runBench } from './support.ts';

const LIMIT_MS = 10 * 60_000;
const ZONE = 'flips.example';
const CHECK = 'pinned';
const HAS_WEIGHTS = process.argv[2] === 'weights';
const NAMES = 100;
const FLIPS = 1_000;
const RATE = 20_000;
const SECONDS = 50;
/** Between two flips, so that they fill the time of the load. */
const FLIP_MS = 40;
const CLIENTS = 8;

const names = Array.from({ length: NAMES }, (_, n) => ({
  name: `n${n}`,
  addresses: [1, 2, 3].map((at) => `192.0.${at}.${n + 1}`),
  ...(HAS_WEIGHTS && { weights: [1, 10, 10] }),
}));

async function run(bench: Bench): Promise<void> {
  const { signal, stateDir } = bench;
  const service = await startCheckedService(bench);
  // A monitor decides about the addresses, so that nothing probes them.
  await service.setCheck(CHECK, { type: 'signal' });
  await service.createZone(ZONE, CHECK, names);
  const asked = names.map(({ name }) => `${name}.${ZONE}`);
  await untilSigned(service.dns, asked, signal);
  const resolver = await startResolver(bench, service.dns);
  const load = dnsperf(stateDir, { server: service.dns, names: asked, seconds: SECONDS, rate: RATE, signal });
  let isOver = false;
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, at) => validate(resolver, asked, at, () => isOver)));
  await flip(service, bench);
  isOver = true;
  const samples = (await clients).flat();
  const { sent, lost, rate, rcodes } = await load;
  print(`${FLIPS} flips; dnsperf: ${sent} queries, ${Math.round(rate)} answers a second, ${lost} lost, ${rcodes}`);
  printSummaries({ 'an answer of the resolver': samples.map(({ ms }) => ms) });
  const count = (isWrong: (sample: Sample) => boolean) => samples.filter(isWrong).length;
  const bar = (what: string, value: number) =>
    printBar({ what: `${what} of ${samples.length}`, value, most: 0, unit: '' });
  bar(
    'answers that are not validated',
    count(({ state }) => state !== 'secure'),
  );
  bar(
    'empty answers',
    count(({ answers }) => answers === 0),
  );
  // `NOERROR 1000000 (100.00%)`, and other codes behind it.
  printBar({ what: 'other codes than NOERROR', value: rcodes.split(',').length - 1, most: 0, unit: '' });
}

async function flip(service: CheckedService, { signal }: Bench): Promise<void> {
  const downs = new Set<string>();
  for (let turn = 0; turn < FLIPS; turn++) {
    const { addresses } = names[Math.floor(Math.random() * NAMES)] as (typeof names)[number];
    const address = addresses[Math.floor(Math.random() * addresses.length)] as string;
    const isDown = downs.delete(address);
    if (!isDown) downs.add(address);
    const next = delay(FLIP_MS, signal);
    await service.pin(CHECK, address, isDown ? null : 'Unhealthy');
    await next;
  }
}

interface Sample {
  state: string;
  answers: number;
  ms: number;
}

async function validate(
  resolver: ValidatingResolver,
  asked: readonly string[],
  from: number,
  isOver: () => boolean,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let n = from; !isOver(); n += 1) {
    const since = performance.now();
    const { state, answers } = await resolver.resolve(asked[(n * 7) % asked.length] as string, 'A');
    samples.push({ state, answers, ms: performance.now() - since });
  }
  return samples;
}

async function startResolver(bench: Bench, server: ProbeEndpoint): Promise<ValidatingResolver> {
  const { signal, stateDir } = bench;
  const { unbound = '' } = await ensureTools([{ command: 'unbound', package: 'unbound' }], { progress: print, signal });
  const { port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir });
  const anchor = await readAnchor(server, signal);
  const resolver = await startValidatingResolver({
    ...{ command: unbound, folder: stateDir, port: port as number, zone: ZONE, anchor, maxTtl: 1, signal, server },
  });
  bench.atEnd(async () => {
    resolver.close();
    await resolver.part.stop();
  });
  return resolver;
}

async function readAnchor(server: ProbeEndpoint, signal: AbortSignal): Promise<string> {
  const { answers } = await ask(server, { name: ZONE, type: 'DNSKEY' }, { signal });
  const rdata = Buffer.from(answers[0]?.rdata ?? []);
  return `${ZONE}. DNSKEY ${rdata.readUInt16BE(0)} ${rdata[2]} ${rdata[3]} ${rdata.subarray(4).toString('base64')}`;
}

await runBench('flips under a load of queries', LIMIT_MS, run);
