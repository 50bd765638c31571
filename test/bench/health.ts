// From the end of a server to the first answer without its address: `node test/bench/health.ts`, with a word for the
// cases that have it in their name. Our health checks, by the probes of the api and by those of three name servers, and
// those of gdnsd and of PowerDNS with Lua records, at their best settings and at their defaults, with the same servers.
// Each name has three addresses; the servers of a third of all addresses end at random moments, or fall silent: their
// processes are stopped, so that the kernel accepts connections that nothing answers.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { startVantage } from '../support/service/vantages.ts';
import { askAddresses, startCheckedService } from './checked-service.ts';
import { startGdnsd, startLuaPowerDns } from './health-peers.ts';
import { type Bench, print, printSummaries, runBench } from './support.ts';
import { startClosingServers, startServerProcess } from './web-servers.ts';

const NAMES = 30;
const LIMIT_MS = 20 * 60_000;
const ZONE = 'health.example';
/** A server must answer all names within this time. */
const READY_MS = 60_000;
/** Between two questions about one name. */
const LOOK_MS = 20;
/** An address that is answered for longer is counted with this time. */
const GONE_MS = 120_000;
/** Servers end within this time. */
const ENDS_MS = 10_000;
/** The servers that fall silent are in so many processes. */
const PROCESSES = 6;

/** The addresses of a name; the server of the first one ends. */
const addressesOf = (name: number) => [1, 2, 3].map((at) => `127.${at}.9.${name + 1}`);
const namesOf = () => Array.from({ length: NAMES }, (_, name) => ({ name: `n${name}`, addresses: addressesOf(name) }));

interface Servers {
  /** Ends the server of the first address of a name at a random moment. */
  end(name: number): Promise<void>;
  stop(): Promise<void>;
}

async function run(bench: Bench): Promise<void> {
  const { port: free } = await allocatePorts([{ name: 'port' }], { stateDir: bench.stateDir });
  const port = free as number;
  const ours = (definition: Definition, vantages = 0) => startOurs(bench, port, definition, vantages);
  const samples: Record<string, number[]> = {};
  const cases = [
    ['Zonestead, interval 1 s, one failure', () => ours({ interval: 1, failures: 1 })],
    ['Zonestead, interval 1 s, three failures', () => ours({ interval: 1 })],
    ['Zonestead, three name servers, interval 1 s, one failure', () => ours({ interval: 1, failures: 1 }, 3)],
    ['Zonestead, three name servers, interval 1 s, three failures', () => ours({ interval: 1 }, 3)],
    ['gdnsd, interval 2 s (its least), thresholds 1', () => startGdnsd(bench, ZONE, port, namesOf(), 'best')],
    ['PowerDNS Lua, interval 1 s, one failure', () => startLuaPowerDns(bench, ZONE, port, namesOf(), 'best')],
    [
      'Zonestead, silent, interval 1 s, timeout 1 s, two failures',
      () => ours({ type: 'http', interval: 1, timeout: 1, failures: 2 }),
    ],
    ['Zonestead, defaults (10 s)', () => ours({})],
    ['Zonestead, three name servers, defaults (10 s)', () => ours({}, 3)],
    ['gdnsd, defaults (10 s)', () => startGdnsd(bench, ZONE, port, namesOf(), 'default')],
    ['PowerDNS Lua, defaults (5 s)', () => startLuaPowerDns(bench, ZONE, port, namesOf(), 'default')],
  ] as const;
  const [word = ''] = process.argv.slice(2);
  for (const [what, start] of cases.filter(([name]) => name.includes(word))) {
    const servers = await (what.includes('silent')
      ? startSilentServers(bench, port)
      : startServers(port, bench.signal));
    const peer = await start();
    await untilAllAnswered(peer.dns, bench.signal);
    // PowerDNS begins to probe after the first question, and name servers after a moment.
    await delay(12_000, bench.signal);
    samples[what] = await Promise.all(namesOf().map((_, name) => measure(peer.dns, servers, name, bench.signal)));
    await peer.stop();
    await servers.stop();
    // Each case as soon as it is there: the run takes minutes.
    printSummaries({ [what]: samples[what] ?? [] });
  }
  print();
  printSummaries(samples);
}

async function startServers(port: number, signal: AbortSignal): Promise<Servers> {
  const { close, stop } = await startClosingServers(
    port,
    namesOf().flatMap(({ addresses }) => addresses),
  );
  const end = async (name: number) => {
    await delay(Math.random() * ENDS_MS, signal);
    await close(addressesOf(name)[0] ?? '');
  };
  return { end, stop };
}

async function startSilentServers(bench: Bench, port: number): Promise<Servers> {
  const all = namesOf().map(({ addresses }) => addresses);
  const lasting = await startClosingServers(
    port,
    all.flatMap(([, ...others]) => others),
  );
  const parts = await Promise.all(
    Array.from({ length: PROCESSES }, (_, process) => {
      const firsts = all.flatMap(([first = ''], name) => (name % PROCESSES === process ? [first] : []));
      return startServerProcess(bench, port, firsts);
    }),
  );
  const halts = new Map<number, Promise<void>>();
  const halt = async (at: number) => {
    await delay(Math.random() * ENDS_MS, bench.signal);
    process.kill(parts[at]?.pid as number, 'SIGSTOP');
  };
  const stop = async () => {
    await Promise.all(parts.map((part) => part.stop({ signal: 'SIGKILL' })));
    await lasting.stop();
  };
  const end = (name: number) => {
    const at = name % PROCESSES;
    const halted = halts.get(at) ?? halt(at);
    halts.set(at, halted);
    return halted;
  };
  return { end, stop };
}

interface Definition {
  type?: 'tcp' | 'http';
  interval?: number;
  timeout?: number;
  failures?: number;
}

/** @param vantages name servers that probe */
async function startOurs(bench: Bench, port: number, definition: Definition, vantages: number) {
  const end = new AbortController();
  const steps: (() => Promise<unknown>)[] = [];
  const signal = AbortSignal.any([bench.signal, end.signal]);
  // A database of its own.
  const stateDir = await mkdtemp(join(bench.stateDir, 'ours-'));
  const service = await startCheckedService({ stateDir, signal, atEnd: (step) => void steps.push(step) });
  await service.setCheck('web', { type: 'tcp', port, ...definition });
  await service.createZone(ZONE, 'web', namesOf());
  for (let at = 0; at < vantages; at += 1) {
    const vantage = await startVantage({ url: service.url, database: service.databaseUrl });
    steps.push(() => vantage.stop());
  }
  const stop = async () => {
    for (const step of steps.reverse()) await step();
    end.abort();
  };
  return { dns: service.dns, stop };
}

async function untilAllAnswered(dns: ProbeEndpoint, signal: AbortSignal): Promise<void> {
  // A server that has just begun does not answer yet.
  const count = (name: number) =>
    askAddresses(dns, `n${name}.${ZONE}`, signal).then(
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

/** @returns ms from the end of the first server of a name until an answer does not have its address */
async function measure(dns: ProbeEndpoint, servers: Servers, name: number, signal: AbortSignal): Promise<number> {
  const [first = ''] = addressesOf(name);
  await servers.end(name);
  const began = performance.now();
  while (performance.now() - began < GONE_MS) {
    const addresses = await askAddresses(dns, `n${name}.${ZONE}`, signal);
    if (addresses.length > 0 && !addresses.includes(first)) return performance.now() - began;
    await delay(LOOK_MS, signal);
  }
  return GONE_MS;
}

await runBench('from the end of a server to answers without it', LIMIT_MS, run);
