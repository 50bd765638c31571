// From the end of a server to the first answer without its address: `node test/bench/health.ts`, with a word for the
// cases that have it in their name. Our health checks, by the probes of the api and by those of three name servers, and
// those of gdnsd and of PowerDNS with Lua records, at their best settings and at their defaults, with the same servers.
// Each name has three addresses; the servers of a third of all addresses end at random moments.
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createClient } from '#client/client.ts';
import { setCheck } from '#contract/operations/checks.ts';
import { applyBatch } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { ask, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { startVantage } from '../support/service/vantages.ts';
import { startGdnsd, startLuaPowerDns } from './health-peers.ts';
import { type Bench, print, printSummaries, runBench, startBenchService } from './support.ts';

const NAMES = 30;
const LIMIT_MS = 10 * 60_000;
const ZONE = 'health.example';
/** A server must answer all names within this time. */
const READY_MS = 60_000;
/** Between two questions about one name. */
const LOOK_MS = 20;
/** An address that is answered for longer is counted with this time. */
const GONE_MS = 120_000;

/** The addresses of a name; the server of the first one ends. */
const addressesOf = (name: number) => [1, 2, 3].map((at) => `127.${at}.9.${name + 1}`);
const namesOf = () => Array.from({ length: NAMES }, (_, name) => ({ name: `n${name}`, addresses: addressesOf(name) }));

async function run(bench: Bench): Promise<void> {
  const { port } = await allocatePorts([{ name: 'port' }], { stateDir: bench.stateDir });
  const samples: Record<string, number[]> = {};
  const cases = [
    ['Zonestead, interval 1 s, one failure', () => startOurs(bench, port as number, { interval: 1, failures: 1 })],
    ['Zonestead, interval 1 s, three failures', () => startOurs(bench, port as number, { interval: 1 })],
    [
      'Zonestead, three name servers, interval 1 s, one failure',
      () => startOurs(bench, port as number, { interval: 1, failures: 1 }, 3),
    ],
    [
      'Zonestead, three name servers, interval 1 s, three failures',
      () => startOurs(bench, port as number, { interval: 1 }, 3),
    ],
    ['gdnsd, interval 2 s (its least), thresholds 1', () => startGdnsd(bench, ZONE, port as number, namesOf(), 'best')],
    ['PowerDNS Lua, interval 1 s, one failure', () => startLuaPowerDns(bench, ZONE, port as number, namesOf(), 'best')],
    ['Zonestead, defaults (10 s)', () => startOurs(bench, port as number, {})],
    ['Zonestead, three name servers, defaults (10 s)', () => startOurs(bench, port as number, {}, 3)],
    ['gdnsd, defaults (10 s)', () => startGdnsd(bench, ZONE, port as number, namesOf(), 'default')],
    ['PowerDNS Lua, defaults (5 s)', () => startLuaPowerDns(bench, ZONE, port as number, namesOf(), 'default')],
  ] as const;
  const [word = ''] = process.argv.slice(2);
  for (const [what, start] of cases.filter(([name]) => name.includes(word))) {
    const servers = await startServers(port as number);
    const peer = await start();
    await untilAllAnswered(peer.dns, bench.signal);
    // PowerDNS begins to probe after the first question, and name servers after a moment.
    await delay(12_000, bench.signal);
    samples[what] = await Promise.all(namesOf().map((_, name) => measure(peer.dns, servers, name, bench.signal)));
    await peer.stop();
    for (const server of servers.values()) server.close();
    // Each case as soon as it is there: the run takes minutes.
    printSummaries({ [what]: samples[what] ?? [] });
  }
  print();
  printSummaries(samples);
}

async function startServers(port: number): Promise<Map<string, Server>> {
  const servers = new Map<string, Server>();
  for (const address of namesOf().flatMap(({ addresses }) => addresses)) {
    const server = createServer((socket) => socket.on('error', () => undefined).end());
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    servers.set(address, server);
  }
  return servers;
}

/** @param vantages name servers that probe */
async function startOurs(
  bench: Bench,
  port: number,
  definition: { interval?: number; failures?: number },
  vantages = 0,
) {
  const end = new AbortController();
  const steps: (() => Promise<unknown>)[] = [];
  const signal = AbortSignal.any([bench.signal, end.signal]);
  const own = { ...bench, signal, atEnd: (step: () => Promise<unknown>) => void steps.push(step) };
  const settings = { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' };
  // A database of its own.
  const stateDir = await mkdtemp(join(bench.stateDir, 'ours-'));
  const service = await startBenchService({ ...own, stateDir }, 1, settings);
  const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  const owner = `org:${service.keys.first.team}`;
  const { id } = await client.call(createZone, { body: { zoneName: ZONE, owner } });
  const body = { type: 'tcp' as const, port, ...definition };
  await client.call(setCheck, { params: { name: 'web' }, query: { owner }, body });
  const changes = namesOf().flatMap(({ name, addresses }) =>
    addresses.map((content) => ({
      action: 'create' as const,
      record: { name, type: 'A' as const, content, check: 'web' },
    })),
  );
  await client.call(applyBatch, { params: { id }, body: { changes } });
  for (let at = 0; at < vantages; at += 1) {
    const vantage = await startVantage({ url: service.url, database: service.databaseUrl });
    steps.push(() => vantage.stop());
  }
  const stop = async () => {
    await client.close();
    for (const step of steps.reverse()) await step();
    end.abort();
  };
  return { dns: service.dns, stop };
}

async function addressesIn(dns: ProbeEndpoint, name: number, signal: AbortSignal): Promise<string[]> {
  const { answers } = await ask(dns, { name: `n${name}.${ZONE}`, type: 'A' }, { signal });
  return answers.filter(({ type }) => type === 1).map(({ rdata }) => [...rdata].join('.'));
}

async function untilAllAnswered(dns: ProbeEndpoint, signal: AbortSignal): Promise<void> {
  // A server that has just begun does not answer yet.
  const count = (name: number) =>
    addressesIn(dns, name, signal).then(
      ({ length }) => length,
      () => 0,
    );
  const end = performance.now() + READY_MS;
  for (let name = 0; name < NAMES; name += 1)
    while ((await count(name)) < 3) {
      if (performance.now() > end) throw new Error(`n${name} has no three addresses after ${READY_MS / 1_000} s`);
      await delay(100, signal);
    }
}

/** Ends the server of the first address at a random moment. @returns ms until an answer does not have it */
async function measure(
  dns: ProbeEndpoint,
  servers: ReadonlyMap<string, Server>,
  name: number,
  signal: AbortSignal,
): Promise<number> {
  const [first = ''] = addressesOf(name);
  await delay(Math.random() * 10_000, signal);
  servers.get(first)?.close();
  const began = performance.now();
  while (performance.now() - began < GONE_MS) {
    const addresses = await addressesIn(dns, name, signal);
    if (addresses.length > 0 && !addresses.includes(first)) return performance.now() - began;
    await delay(LOOK_MS, signal);
  }
  return GONE_MS;
}

await runBench('from the end of a server to answers without it', LIMIT_MS, run);
