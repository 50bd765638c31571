// Two name servers with many records are restarted one after the other under queries, as a rolling update of Kubernetes
// does it: `node test/bench/rolling-restart.ts [RECORDS] [PER_ZONE]`, by default 500,000 records in zones of 100. Like
// a Service, the load sends each query to one server that is ready and does not terminate, and asks no other one if the
// answer is wrong. About 15 minutes.
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '#nameserver/probe/probe.ts';
import type { NameServer } from '../../deploy/local/name-servers.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { fillZones, liftQuotas } from './fill.ts';
import { createBenchZones, printMeasured, untilSigned } from './name-servers.ts';
import { memory } from './processes.ts';
import { figure, quantile } from './statistics.ts';
import {
  type Bench,
  type BenchService,
  isSignedAddress,
  numberedAddress,
  print,
  runBench,
  startBenchService,
} from './support.ts';

const LIMIT_MS = 3 * 60 * 60_000;
/** A busy machine loads slowly, and no server may be ready before it has loaded everything. */
const LOAD_SECONDS = 7_200;
const NODES = {
  settings: {
    ZONESTEAD_NODE_LOAD_SECONDS: String(LOAD_SECONDS),
    ZONESTEAD_NODE_BEHIND_SECONDS: String(LOAD_SECONDS),
  },
  readyMs: LOAD_SECONDS * 1_000,
};
const RECORDS = Number(process.argv[2] ?? 500_000);
const PER_ZONE = Number(process.argv[3] ?? 100);
const ASKING = 4;
/** An answer that takes longer counts as none, as for resolvers. */
const ANSWER_MS = 5_000;
const PROBE_LIMIT_MS = 1_000;
/** More often than kubelet: a server that is ready for a moment too early is found. */
const PROBE_MS = 100;
/** Between the removal from the Service and the end, as by the preStop hook of the chart (which has 10 s). */
const DRAIN_MS = 2_000;
/** The time before and after each restart. */
const AFTER_MS = 10_000;

interface Counts {
  queries: number;
  /** The numbers of failures by their description. */
  failed: Record<string, number>;
  ms: number[];
}

/** One server, with the knowledge of a Service. */
interface Endpoint {
  server: NameServer;
  isReady: boolean;
  isTerminating: boolean;
}

/** Keeps `isReady` as kubelet would, until the signal aborts. */
async function probe(endpoint: Endpoint, readyUrl: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_LIMIT_MS)]);
    endpoint.isReady = await fetch(readyUrl, { signal: limit }).then(
      ({ ok }) => ok,
      () => false,
    );
    await delay(PROBE_MS, signal).catch(() => {});
  }
}

async function load(
  endpoints: readonly Endpoint[],
  zones: readonly string[],
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  const fail = (what: string) => {
    counts.failed[what] = (counts.failed[what] ?? 0) + 1;
  };
  while (!signal.aborted) {
    const n = Math.floor(Math.random() * PER_ZONE);
    const name = `n${n}.${zones[Math.floor(Math.random() * zones.length)]}`;
    const open = endpoints.filter(({ isReady, isTerminating }) => isReady && !isTerminating);
    const chosen = open[Math.floor(Math.random() * open.length)]?.server;
    const since = performance.now();
    const question = { name, type: 'A', dnssec: true } as const;
    const answer = chosen && (await ask(chosen, question, { timeoutMs: ANSWER_MS, signal }).catch(() => null));
    if (signal.aborted) return;
    counts.queries += 1;
    if (chosen === undefined) fail('no server is ready');
    else if (!answer) fail(`no answer of ${chosen.name}`);
    else if (!isSignedAddress(numberedAddress(n))(answer)) fail(`rcode ${answer.rcode} of ${chosen.name}`);
    else counts.ms.push(performance.now() - since);
    await pause(1);
  }
}

/** Removes it from the Service, ends it, starts it, and waits until it is ready. */
async function restart({ running }: BenchService, endpoint: Endpoint, bench: Bench): Promise<string> {
  const { knot, node, name } = endpoint.server;
  endpoint.isTerminating = true;
  await delay(DRAIN_MS, bench.signal);
  await Promise.all([running.part(node).stop(), running.part(knot).stop()]);
  endpoint.isReady = false;
  endpoint.isTerminating = false;
  const since = performance.now();
  await Promise.all([running.start(knot), running.start(node)]);
  const seconds = figure((performance.now() - since) / 1000);
  const [knotd, own] = [await memory(running.part(knot).pid), await memory(running.part(node).pid)];
  print(`${name} is ready after ${seconds} s; peaks: knotd ${figure(knotd.peak)} MiB, node ${figure(own.peak)} MiB`);
  return seconds;
}

async function fill(bench: Bench, service: BenchService): Promise<string[]> {
  const { running, nameServers } = service;
  await liftQuotas(service);
  const names = Array.from({ length: Math.ceil(RECORDS / PER_ZONE) }, (_, n) => `z${n}.example`);
  const since = performance.now();
  await fillZones(service, createBenchZones(bench, service), names, PER_ZONE);
  print(`${names.length} zones of ${PER_ZONE} records: written after ${seconds(since)}`);
  await Promise.all(nameServers.map(({ node }) => running.start(node)));
  const last = names.map((name) => `n${PER_ZONE - 1}.${name}`);
  await Promise.all(nameServers.map((server) => untilSigned(server, last, bench.signal)));
  print(`two new name servers answer all of them after ${seconds(since)}`);
  return names;
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench, 2, {}, NODES);
  const names = await fill(bench, service);
  const counts: Counts = { queries: 0, failed: {}, ms: [] };
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, bench.signal]);
  const endpoints = service.nameServers.map((server) => ({ server, isReady: true, isTerminating: false }));
  const background = [
    ...endpoints.map((endpoint, at) => probe(endpoint, `${service.nodeHealthUrls[at]}/readyz`, signal)),
    ...Array.from({ length: ASKING }, () => load(endpoints, names, counts, signal)),
  ];
  const times = [];
  for (const endpoint of endpoints) {
    await delay(AFTER_MS, signal);
    times.push(await restart(service, endpoint, bench));
  }
  await delay(AFTER_MS, signal);
  over.abort();
  await Promise.all(background);
  const failed = Object.values(counts.failed).reduce((sum, n) => sum + n, 0);
  for (const [what, n] of Object.entries(counts.failed)) print(`failed: ${what}: ${n}`);
  print(`answers: median ${figure(quantile(counts.ms, 0.5))} ms, p99 ${figure(quantile(counts.ms, 0.99))} ms`);
  const what = `two name servers with ${names.length} × ${PER_ZONE} records restarted one after the other`;
  printMeasured([
    { what: `${what}: failed queries`, before: 'SERVFAIL', bar: '0', now: `${failed} of ${counts.queries}` },
    { what: 'start to ready', before: '-', bar: '-', now: times.map((time) => `${time} s`).join(', ') },
  ]);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

await runBench(`A rolling restart with ${RECORDS} records`, LIMIT_MS, run);
