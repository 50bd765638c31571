// From the answer of the REST API to the first right, signed answer of PowerDNS over UDP: `node
// test/bench/rest-to-dns.ts`. Each round asks for a name of its own; DO is set, so signing is part of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '#client/client.ts';
import { createRecord, replaceRecord } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { ask } from '#nameserver/probe/probe.ts';
import type { Service } from '../../deploy/local/service.ts';
import { countAbove } from './statistics.ts';
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

const ROUNDS = 200;
const LIMIT_MS = 10 * 60_000;
const BAR_MS = 250;
/** Twice the companion's default interval. */
const PAUSE_MS = 50;
const NXDOMAIN = 3;
const REFUSED = 5;
const SOA = 6;

interface Times {
  /** The request alone. */
  request: number[];
  /** From its answer to the first right answer over UDP. */
  answered: number[];
}

interface Ground {
  bench: Bench;
  service: Service;
  client: Client;
  zoneId: string;
}

const ZONE = 'bench.example';
const NS_TTL = 60;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  bench.atEnd(() => client.close());
  const owner = `org:${service.keys.first.team}`;
  const { id: zoneId } = await client.call(createZone, { body: { zoneName: ZONE, owner } });
  const ground: Ground = { bench, service, client, zoneId };
  // The first calls of a process are its slowest, and no case of these.
  await rounds(20, ground, newName('warm'));

  const cases: Record<string, Times> = {
    'new name, never asked': await rounds(ROUNDS, ground, newName('new')),
    'name just answered NXDOMAIN': await rounds(ROUNDS, ground, deniedName),
    'update of a record asked all the time': await rounds(ROUNDS, ground, await hotUpdate(ground)),
    'new zone, never asked': await rounds(ROUNDS, ground, newZone(owner, false)),
    'new zone, asked before': await rounds(ROUNDS, ground, newZone(owner, true)),
  };
  printSummaries(
    Object.fromEntries(
      Object.entries(cases).flatMap(([what, { request, answered }]) => [
        [`${what}: request`, request],
        [`${what}: answer → DNS`, answered],
      ]),
    ),
  );
  for (const [what, { answered }] of Object.entries(cases)) {
    print(`${what}: ${countAbove(answered, BAR_MS)} of ${answered.length} above ${BAR_MS} ms`);
  }
}

/** One round: the query before, the request, and the wait for its answer. */
type Round = (ground: Ground, n: number) => Promise<{ request: number; answered: number }>;

async function rounds(count: number, ground: Ground, round: Round): Promise<Times> {
  const times: Times = { request: [], answered: [] };
  for (let n = 0; n < count; n++) {
    await outOfStep(PAUSE_MS, ground.bench.signal);
    const { request, answered } = await round(ground, n);
    times.request.push(request);
    times.answered.push(answered);
  }
  return times;
}

/** Times the request, and the way from its end to the right answer. */
async function timed(request: () => Promise<unknown>, right: () => Promise<unknown>) {
  const start = performance.now();
  await request();
  const told = performance.now();
  await right();
  return { request: told - start, answered: performance.now() - told };
}

function newName(prefix: string): Round {
  return ({ bench, service, client, zoneId }, n) => {
    const [name, content] = [`${prefix}${n}`, numberedAddress(n)];
    const question = { name: `${name}.${ZONE}`, type: 'A', dnssec: true } as const;
    return timed(
      () => client.call(createRecord, { params: { id: zoneId }, body: { name, type: 'A', content, ttl: NS_TTL } }),
      () => untilRight(service.dns, question, isSignedAddress(content), bench.signal),
    );
  };
}

const deniedName: Round = async (ground, n) => {
  const question = { name: `denied${n}.${ZONE}`, type: 'A', dnssec: true } as const;
  const { rcode } = await ask(ground.service.dns, question, { signal: ground.bench.signal });
  if (rcode !== NXDOMAIN) throw new Error(`${question.name} was to be denied, but the answer is ${rcode}`);
  return newName('denied')(ground, n);
};

/** One record that four clients ask for without a pause longer than 2 ms: its answer is always in the cache. */
async function hotUpdate({ client, zoneId }: Ground): Promise<Round> {
  const body = { name: 'hot', type: 'A', ttl: NS_TTL } as const;
  const { id } = await client.call(createRecord, {
    params: { id: zoneId },
    body: { ...body, content: numberedAddress(0) },
  });
  const question = { name: `hot.${ZONE}`, type: 'A', dnssec: true } as const;
  return async ({ bench, service }, n) => {
    const over = new AbortController();
    const crowd = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        await ask(service.dns, question, { signal: bench.signal });
        await sleep(2);
      }
    });
    await sleep(10);
    const content = numberedAddress(n + 1);
    const times = await timed(
      () => client.call(replaceRecord, { params: { id: zoneId, recordId: id }, body: { ...body, content } }),
      () => untilRight(service.dns, question, isSignedAddress(content), bench.signal),
    );
    over.abort();
    await Promise.all(crowd);
    return times;
  };
}

function newZone(owner: string, askedBefore: boolean): Round {
  return async ({ bench, service, client }, n) => {
    const zoneName = `z${n}.${askedBefore ? 'asked' : 'fresh'}.test`;
    const question = { name: zoneName, type: 'SOA', dnssec: true } as const;
    if (askedBefore) {
      const { rcode } = await ask(service.dns, question, { signal: bench.signal });
      if (rcode !== REFUSED) throw new Error(`${zoneName} was to be refused, but the answer is ${rcode}`);
    }
    const served = ({ rcode, answers }: { rcode: number; answers: readonly { type: number }[] }) =>
      rcode === 0 && answers.some(({ type }) => type === SOA) && answers.length === 2;
    return timed(
      () => client.call(createZone, { body: { zoneName, owner } }),
      () => untilRight(service.dns, question, served, bench.signal),
    );
  };
}

await runBench('REST answer → right answer over UDP', LIMIT_MS, run);
