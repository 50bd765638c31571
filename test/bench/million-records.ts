// One name server with a million records in 10,000 zones, and the slope from a tenth of them: memory, start, a change
// to its answer, octets of the feed; then zones of ten records: `node test/bench/million-records.ts [RECORDS]
// [PER_ZONE]`, about 20 minutes. Memory and octets do not depend on the load of the machine; times do.
import { request } from 'undici';
import { delay } from '../../deploy/local/parts/wait.ts';
import { readSecrets } from '../../deploy/local/secrets.ts';
import { insist } from './calls.ts';
import { fillZones, liftQuotas } from './fill.ts';
import { createBenchZones, untilSigned, type Zones } from './name-servers.ts';
import { memory } from './processes.ts';
import { figure, tableLines } from './statistics.ts';
import {
  type Bench,
  type BenchService,
  isSignedAddress,
  numberedAddress,
  outOfStep,
  print,
  printSummaries,
  runBench,
  startBenchService,
  untilRight,
} from './support.ts';

const LIMIT_MS = 3 * 60 * 60_000;
const RECORDS = Number(process.argv[2] ?? 1_000_000);
const PER_ZONE = Number(process.argv[3] ?? 100);
const ZONES = Math.ceil(RECORDS / PER_ZONE);
const SMALL_PER_ZONE = 10;
const SMALL_ZONES = Math.ceil(ZONES / 5);
const CHANGES = 300;
const PAUSE_MS = 100;
const SAMPLED_ZONES = 50;
/** V8 collects the garbage of the load. */
const SETTLE_MS = 20_000;
const MIB = 1024 * 1024;
const LOAD_SECONDS = '7200';
const SETTINGS = { ZONESTEAD_NODE_LOAD_SECONDS: LOAD_SECONDS, ZONESTEAD_NODE_BEHIND_SECONDS: LOAD_SECONDS };

interface Ground {
  readonly bench: Bench;
  readonly service: BenchService;
  readonly zones: Zones;
  readonly ids: Map<string, string>;
  /** A name of each zone. */
  readonly names: string[];
}

/** Resident memory in MiB. */
type Sizes = Record<'knotd' | 'node', { now: number; peak: number }>;

async function measureMemory({ bench, service }: Ground): Promise<Sizes> {
  await delay(SETTLE_MS, bench.signal);
  const { running } = service;
  return {
    knotd: await memory(running.part('knot').pid),
    node: await memory(running.part('nameserver').pid),
  };
}

/** Adds zones to a node that does not run meanwhile, and waits until it answers them. */
async function addZones(ground: Ground, prefix: string, count: number, perZone: number): Promise<void> {
  const { bench, service, zones, ids, names } = ground;
  const added = Array.from({ length: count }, (_, n) => `${prefix}${n}.example`);
  for (const [name, id] of await fillZones(service, zones, added, perZone)) ids.set(name, id);
  const last = added.map((name) => `n${perZone - 1}.${name}`);
  names.push(...last);
  const since = performance.now();
  await Promise.all([service.running.start('nameserver'), untilSigned(service.dns, last, bench.signal)]);
  print(`${count} more zones of ${perZone} records, from the start of the node to the last answer: ${seconds(since)}`);
}

/** Both processes end and start, as after an update. */
async function restart({ bench, service, names }: Ground): Promise<void> {
  const { running, dns } = service;
  await running.part('nameserver').stop();
  await running.part('knot').stop();
  const since = performance.now();
  const ready = Promise.all([running.start('knot'), running.start('nameserver')]);
  await untilSigned(dns, names, bench.signal);
  const answered = seconds(since);
  await ready;
  print(`restart with ${names.length} zones: all answered after ${answered}, ready after ${seconds(since)}`);
}

async function measureChanges({ bench, service, zones, ids }: Ground, count: number): Promise<number[]> {
  const all = [...ids];
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    await outOfStep(PAUSE_MS, bench.signal);
    const [zone, id] = all[Math.floor(Math.random() * all.length)] as [string, string];
    const [name, content] = [`w${ids.size}-${n}`, numberedAddress(n)];
    await insist(zones.call('POST', `/v1/dns/zones/${id}/records`, { name, type: 'A', content, ttl: 300 }));
    const since = performance.now();
    const question = { name: `${name}.${zone}`, type: 'A', dnssec: true } as const;
    await untilRight(service.dns, question, isSignedAddress(content), bench.signal);
    times.push(performance.now() - since);
  }
  return times;
}

/** The octets of a list of all zones, of one zone, and of one change, as another node gets them. */
async function printFeed(ground: Ground): Promise<void> {
  const { bench, service, ids } = ground;
  const { nodeKey } = await readSecrets(bench.stateDir);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, bench.signal]);
  const get = (path: string) =>
    request(`${service.url}${path}`, { headers: { authorization: `Bearer ${nodeKey}` }, signal });
  let zoneOctets = 0;
  const sampled = [...ids.values()].slice(0, SAMPLED_ZONES);
  for (const id of sampled) {
    const { statusCode, body } = await get(`/v1/feed/zones/${id}`);
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${await body.text()}`);
    zoneOctets += (await body.arrayBuffer()).byteLength;
  }
  const octets = { listed: 0, change: 0 };
  let changes = 0;
  const isListed = Promise.withResolvers<void>();
  const follow = async () => {
    const { body } = await get('/v1/feed?node=bench');
    let rest = '';
    for await (const chunk of body) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { kind } = JSON.parse(line);
        if (kind === 'list-end') isListed.resolve();
        if (kind === 'change') changes += 1;
        if (kind === 'listed' || kind === 'change') octets[kind as keyof typeof octets] += line.length + 1;
      }
    }
  };
  const followed = follow().catch((error: unknown) => {
    if (!over.signal.aborted) isListed.reject(error);
  });
  await isListed.promise;
  await measureChanges(ground, SAMPLED_ZONES);
  over.abort();
  await followed;
  const perZone = (total: number) => figure(total / ids.size);
  print(`feed: a list of ${ids.size} zones ${figure(octets.listed / MIB)} MiB, ${perZone(octets.listed)} B a zone`);
  print(`feed: a zone of ${PER_ZONE} records ${figure(zoneOctets / sampled.length)} B, read once`);
  print(`feed: a change ${figure(octets.change / changes)} B`);
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench, 1, {}, { settings: SETTINGS, readyMs: LIMIT_MS });
  await liftQuotas(service);
  const ground: Ground = { bench, service, zones: createBenchZones(bench, service), ids: new Map(), names: [] };
  const steps = [
    { prefix: 'a', count: Math.ceil(ZONES / 10), perZone: PER_ZONE },
    { prefix: 'b', count: ZONES - Math.ceil(ZONES / 10), perZone: PER_ZONE },
    { prefix: 's', count: SMALL_ZONES, perZone: SMALL_PER_ZONE },
  ];
  const rows = [['MiB', 'knotd', 'peak', 'node', 'peak']];
  const changes: Record<string, readonly number[]> = {};
  const note = async (what: string): Promise<Sizes> => {
    const sizes = await measureMemory(ground);
    const { knotd, node } = sizes;
    rows.push([what, ...[knotd.now, knotd.peak, node.now, node.peak].map(figure)]);
    print(tableLines(rows.slice(-1))[0]);
    return sizes;
  };
  let before = await note('without zones');
  for (const { prefix, count, perZone } of steps) {
    await addZones(ground, prefix, count, perZone);
    await note(`${ground.ids.size} zones, new`);
    await restart(ground);
    const after = await note(`${ground.ids.size} zones, restarted`);
    changes[`201 → answered, ${ground.ids.size} zones`] = await measureChanges(ground, CHANGES);
    const slope = (name: keyof Sizes) => ((after[name].now - before[name].now) * MIB) / count;
    const [knotd, node] = [slope('knotd'), slope('node')];
    const perRecord = [knotd, node, knotd + node].map((octets) => `${figure(octets / perZone)} B`).join(', ');
    print(`a zone of ${perZone} records: knotd ${figure(knotd)} B, node ${figure(node)} B`);
    print(`a record in it, knotd, node, together: ${perRecord}`);
    before = after;
    if (ground.ids.size === ZONES) await printFeed(ground);
  }
  for (const line of tableLines(rows)) print(line);
  printSummaries(changes);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

await runBench(`One name server with ${RECORDS} records in ${ZONES} zones`, LIMIT_MS, run);
