// Brakes and outages of health checks: `node test/bench/health-failures.ts [mass|outage|both [MINUTES]]`.
//
//   mass     60 % of the addresses die at once, and the brake must hold
//   outage   the api and Postgres are down while a server dies, and no answer may change
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay, waitFor } from '../../deploy/local/parts/wait.ts';
import { printBar } from './bars.ts';
import { askAddresses, type CheckedService, startCheckedService } from './checked-service.ts';
import { type Bench, print, printSummaries, runBench } from './support.ts';
import { type ClosingServers, startClosingServers } from './web-servers.ts';

const [what = 'both', minutesText = '2'] = process.argv.slice(2);
const MINUTES = Number(minutesText);
const LIMIT_MS = (MINUTES + 25) * 60_000;
const ZONE = 'failures.example';
const CHECK = 'web';
const NAMES = 20;
const PER_NAME = 3;
const ADDRESSES = NAMES * PER_NAME;
const DEAD = 0.6;
const ROUNDS = 4;
/** Queries under way, and the longest time of one. */
const ASKING = 4;
const FROZEN = 'zonestead_checks_frozen';

const addressesOf = (n: number) => Array.from({ length: PER_NAME }, (_, at) => `127.5${at}.9.${n + 1}`);
const names = Array.from({ length: NAMES }, (_, n) => ({ name: `n${n}`, addresses: addressesOf(n) }));
const all = names.flatMap(({ addresses }) => addresses);

interface Ground {
  bench: Bench;
  service: CheckedService;
  servers: ClosingServers;
  port: number;
}

async function run(bench: Bench): Promise<void> {
  const { port: free } = await allocatePorts([{ name: 'port' }], { stateDir: bench.stateDir });
  const port = free as number;
  const servers = await startClosingServers(port, all);
  const service = await startCheckedService(bench);
  await service.setCheck(CHECK, { type: 'http', port });
  await service.createZone(ZONE, CHECK, names);
  const ground = { bench, service, servers, port };
  if (what !== 'outage') await measureMass(ground);
  if (what !== 'mass') await measureOutage(ground);
  await servers.stop();
}

async function untilHealthy({ bench, service }: Ground, count: number): Promise<void> {
  const isSo = async () => (await service.count(CHECK, 'Healthy')) === count;
  await waitFor(isSo, { what: 'all addresses', timeoutMs: 180_000, intervalMs: 200, signal: bench.signal });
}

async function isFrozen({ service }: Ground): Promise<boolean> {
  const text = await (await fetch(`${service.healthUrl}/metrics`)).text();
  return text.split('\n').includes(`${FROZEN} 1`);
}

async function measureMass(ground: Ground): Promise<void> {
  const { bench, servers } = ground;
  const { signal } = bench;
  const times: number[] = [];
  let missing = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await untilHealthy(ground, ADDRESSES);
    // The pause after a change for the better must be over.
    await delay(32_000 + Math.random() * 10_000, signal);
    const dead = all.toSorted(() => Math.random() - 0.5).slice(0, DEAD * ADDRESSES);
    const since = performance.now();
    await Promise.all(dead.map((address) => servers.close(address)));
    const intervalMs = 50;
    await waitFor(() => isFrozen(ground), { what: 'the brake', timeoutMs: 60_000, intervalMs, signal });
    times.push(performance.now() - since);
    await delay(15_000, signal);
    missing += ADDRESSES - (await countAnswered(ground));
    await Promise.all(dead.map((address) => servers.open(address)));
    const thawed = async () => !(await isFrozen(ground));
    await waitFor(thawed, { what: 'the end of the brake', timeoutMs: 180_000, intervalMs, signal });
  }
  print(`${100 * DEAD} % of ${ADDRESSES} addresses die at once, every 10 s, three failures`);
  printSummaries({ 'until the metric of the alert is 1': times });
  printBar({ what: 'until the metric, worst', value: Math.max(...times) / 1_000, most: 10, unit: 's' });
  printBar({ what: 'addresses that answers lack then', value: missing, most: 0, unit: '' });
}

/** The addresses in the answers of all names. */
async function countAnswered({ bench, service }: Ground): Promise<number> {
  const answers = await Promise.all(
    names.map(({ name }) => askAddresses(service.dns, `${name}.${ZONE}`, bench.signal)),
  );
  return answers.flat().length;
}

async function measureOutage(ground: Ground): Promise<void> {
  const { bench, service, servers } = ground;
  const { running, dns } = service;
  await untilHealthy(ground, ADDRESSES);
  const [lost = '', another = ''] = [addressesOf(0)[0], addressesOf(1)[0]];
  await delay(32_000, bench.signal);
  await servers.close(lost);
  await untilHealthy(ground, ADDRESSES - 1);
  await waitFor(async () => (await countAnswered(ground)) === ADDRESSES - 1, {
    ...{ what: 'answers without one address', timeoutMs: 10_000, intervalMs: 50, signal: bench.signal },
  });
  const expected = new Map(names.map(({ name, addresses }) => [name, addresses.filter((each) => each !== lost)]));
  const counts = { asked: 0, failed: 0, changed: 0 };
  let isOver = false;
  const client = async (at: number) => {
    for (let n = at; !isOver; n = (n + 1) % NAMES) {
      const answer = await askAddresses(dns, `n${n}.${ZONE}`, bench.signal).catch(() => null);
      counts.asked += 1;
      if (answer === null) counts.failed += 1;
      else if (answer.join() !== expected.get(`n${n}`)?.join()) counts.changed += 1;
      await delay(2, bench.signal);
    }
  };
  const clients = Promise.all(Array.from({ length: ASKING }, (_, at) => client(at)));
  await running.part('api').stop({ signal: 'SIGKILL' });
  await running.part('postgres').stop({ signal: 'SIGKILL' });
  // One server dies and comes back, and the one that was dead lives for a while: no process decides about them.
  await servers.close(another);
  await servers.open(lost);
  await delay(MINUTES * 60_000, bench.signal);
  await servers.open(another);
  await servers.close(lost);
  await running.start('postgres');
  await running.start('api');
  // Two rounds of probes by the api that began with the states of the database.
  await delay(25_000, bench.signal);
  isOver = true;
  await clients;
  print(`api and Postgres killed for ${MINUTES} minutes, and 25 s after their start: ${counts.asked} queries`);
  printBar({ what: 'failed queries', value: counts.failed, most: 0, unit: '' });
  printBar({ what: 'answers that changed', value: counts.changed, most: 0, unit: '' });
}

await runBench('brakes and outages of health checks', LIMIT_MS, run);
