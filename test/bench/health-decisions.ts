// From the decision about an address (a pin, at the moment when the request is sent) to the answers of two name servers
// and of a Knot secondary: in a small zone, in one of 100,000 records, and for one address under 1,000 names:
// `node test/bench/health-decisions.ts [RECORDS]`.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import type { ProbeAnswer, ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { ensureKnot } from '../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../deploy/local/parts/secondary.ts';
import { allAnswered } from './all-answered.ts';
import { printBar } from './bars.ts';
import { type CheckedService, startCheckedService } from './checked-service.ts';
import { fillZones, liftQuotas } from './fill.ts';
import { createBenchZones, untilSigned } from './name-servers.ts';
import { summarize } from './statistics.ts';
import { type Bench, outOfStep, print, printSummaries, runBench, untilRight } from './support.ts';

const LIMIT_MS = 30 * 60_000;
const RECORDS = Number(process.argv[2] ?? 100_000);
const NAMES = 1_000;
const ROUNDS = 100;
const MANY_ROUNDS = 5;
const PAUSE_MS = 200;
const CHECK = 'pinned';
const SMALL = 'small.example';
const LARGE = 'large.example';
const WIDE = 'wide.example';
/** The two addresses of the name `www`, and those of 1,000 names in one zone and in as many zones. */
const PAIRS = {
  [SMALL]: ['192.0.2.1', '192.0.2.2'],
  [LARGE]: ['192.0.2.3', '192.0.2.4'],
  [WIDE]: ['192.0.2.5', '192.0.2.6'],
} as const;
type Pair = keyof typeof PAIRS;
const progress = () => {};

async function run(bench: Bench): Promise<void> {
  const service = await startCheckedService(bench, 2);
  await liftQuotas(service);
  // A monitor decides about the addresses, so that nothing probes them.
  await service.setCheck(CHECK, { type: 'signal' });
  const zones = createBenchZones(bench, service);
  const www = (pair: Pair) => [{ name: 'www', addresses: PAIRS[pair] }];
  await service.createZone(SMALL, CHECK, www(SMALL));
  const filledIds = await fillZones(service, zones, [LARGE], RECORDS);
  for (const { node } of service.nameServers) await service.running.start(node);
  await service.addNames(filledIds.get(LARGE) as string, CHECK, www(LARGE));
  const secondary = await startKnotSecondary(bench, service);
  const servers = [...service.nameServers, secondary];
  for (const server of servers) await untilSigned(server, [`www.${SMALL}`, `www.${LARGE}`], bench.signal);

  const nodes: Record<typeof SMALL | typeof LARGE, number[]> = { [SMALL]: [], [LARGE]: [] };
  const secondaries: typeof nodes = { [SMALL]: [], [LARGE]: [] };
  for (let round = -6; round < ROUNDS; round++)
    for (const zone of [SMALL, LARGE] as const) {
      const [own, other] = await decide(bench, service, secondary, zone, round % 2 === 0);
      if (round < 0) continue;
      nodes[zone].push(own);
      secondaries[zone].push(other);
    }
  print(`a large zone of ${RECORDS} records, two name servers and a secondary`);
  printSummaries({
    'decision → both name servers, small zone': nodes[SMALL],
    'the same, large zone': nodes[LARGE],
    'decision → secondary, small zone': secondaries[SMALL],
    'the same, secondary of a large zone': secondaries[LARGE],
  });
  const bar = (what: string, value: number, most: number) => printBar({ what, value, most, unit: 'ms' });
  bar('both name servers, small zone, p99', summarize(nodes[SMALL]).p99, 100);
  bar('both name servers, large zone, p99', summarize(nodes[LARGE]).p99, 750);
  bar('secondary, small zone, worst', summarize(secondaries[SMALL]).max, 1_000);
  bar('secondary, large zone, worst', summarize(secondaries[LARGE]).max, 1_000);

  const names = Array.from({ length: NAMES }, (_, n) => ({ name: `n${n}`, addresses: PAIRS[WIDE] }));
  await service.createZone(WIDE, CHECK, names);
  const wide = await decideMany(bench, service);
  printSummaries({ [`one address of ${NAMES} names`]: wide });
  bar(`one address of ${NAMES} names, worst`, summarize(wide).max, 1_000);
}

/** @returns ms until both name servers, and until the secondary, answer as the decision says */
async function decide(
  bench: Bench,
  service: CheckedService,
  secondary: ProbeEndpoint,
  zone: Pair,
  isDown: boolean,
): Promise<[number, number]> {
  await outOfStep(PAUSE_MS, bench.signal);
  const question = { name: `www.${zone}`, type: 'A', dnssec: true } as const;
  const isRight = ({ answers }: ProbeAnswer) => answers.filter(({ type }) => type === 1).length === (isDown ? 1 : 2);
  const since = performance.now();
  const time = async (server: ProbeEndpoint) => {
    await untilRight(server, question, isRight, bench.signal, 3);
    return performance.now() - since;
  };
  const [own, other] = await Promise.all([
    Promise.all(service.nameServers.map(time)),
    time(secondary),
    service.pin(CHECK, PAIRS[zone][0], isDown ? 'Unhealthy' : null),
  ]);
  return [Math.max(...own), other];
}

/** @returns ms of each round until both name servers answer all names as the decision says */
async function decideMany(bench: Bench, service: CheckedService): Promise<number[]> {
  const numbers = Array.from({ length: NAMES }, (_, n) => n);
  const untilAll = (values: number) =>
    Promise.all(
      service.nameServers.map((server) =>
        allAnswered(server, WIDE, numbers, (_, addresses) => addresses.length === values, bench.signal),
      ),
    );
  await untilAll(2);
  const times: number[] = [];
  for (let round = 0; round < 2 * MANY_ROUNDS; round++) {
    const isDown = round % 2 === 0;
    await outOfStep(5 * PAUSE_MS, bench.signal);
    const since = performance.now();
    const decision = service.pin(CHECK, PAIRS[WIDE][0], isDown ? 'Unhealthy' : null);
    await untilAll(isDown ? 1 : 2);
    times.push(performance.now() - since);
    await decision;
  }
  return times;
}

/** A secondary of all zones, with the configuration that Zonestead generates. */
async function startKnotSecondary({ stateDir, signal, atEnd }: Bench, service: CheckedService): Promise<ProbeEndpoint> {
  const programs = await ensureKnot({ progress, signal });
  const folder = join(stateDir, 'secondary');
  await mkdir(folder);
  const { port: free } = await allocatePorts([{ name: 'port', dns: true }], { stateDir: folder });
  const own = { address: '127.0.0.1', port: free as number };
  const input = { name: 'knot', addresses: [`${own.address}:${own.port}`], zones: 'all' } as const;
  const { key } = await adminPutSecondary(service.databaseUrl, input, randomBytes, new Date());
  const { address, port } = service.dns;
  const view = { primaries: [{ address, port }], key, zones: null, catalog: catalogName('knot') };
  const config = knotConfig(view, { listen: [own], folder });
  const server = { name: 'knot', command: programs.knotd, args: ['-c'] };
  const part = await startSecondary({ server, config, folder, ...own, signal });
  atEnd(() => part.stop());
  return own;
}

await runBench('from a decision about an address to the answers', LIMIT_MS, run);
