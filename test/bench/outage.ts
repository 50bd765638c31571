// Two name servers while the api and Postgres are stopped; each of them is restarted once in the meantime, knotd and
// node. Counts the queries without the right answer: `node test/bench/outage.ts [MINUTES]`. A name server that restarts
// may be silent if the other one answers, as resolvers ask the next one.
import { ask, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { insist } from './calls.ts';
import { createBenchZones, printMeasured, untilSigned } from './name-servers.ts';
import {
  type Bench,
  isSignedAddress,
  numberedAddress,
  print,
  runBench,
  startBenchService,
  untilRight,
} from './support.ts';

const minutes = Number(process.argv[2] ?? 0.5);
const LIMIT_MS = (minutes + 10) * 60_000;
const ZONES = 100;
const RECORDS = 10;
const ASKING = 4;
const ANSWER_MS = 1_000;

interface Counts {
  queries: number;
  /** No name server gave the right answer. */
  failed: number;
  /** The first name server that was asked did not answer. */
  second: number;
}

async function run(bench: Bench): Promise<void> {
  const { signal } = bench;
  const service = await startBenchService(bench, 2);
  const zones = createBenchZones(bench, service);
  const names = Array.from({ length: ZONES }, (_, n) => `z${n}.example`);
  await zones.createAll(names, RECORDS);
  const id = await zones.create('late.example', 1);
  await Promise.all(
    service.nameServers.map((server) =>
      untilSigned(
        server,
        [...names, 'late.example'].map((name) => `n0.${name}`),
        signal,
      ),
    ),
  );
  const counts: Counts = { queries: 0, failed: 0, second: 0 };
  const over = new AbortController();
  const asking = Array.from({ length: ASKING }, () =>
    load(service.nameServers, names, counts, AbortSignal.any([over.signal, signal])),
  );
  const { running } = service;
  const began = performance.now();
  const until = (share: number) => delay(Math.max(0, began + share * minutes * 60_000 - performance.now()), signal);
  print('api and Postgres are killed');
  await running.part('api').stop({ signal: 'SIGKILL' });
  await running.part('postgres').stop({ signal: 'SIGKILL' });
  for (const [share, { knot, node, name }] of [
    [0.25, service.nameServers[0]!],
    [0.6, service.nameServers[1]!],
  ] as const) {
    await until(share);
    await running.part(node).stop();
    await running.part(knot).stop();
    await running.start(knot);
    // Without the api it runs, and is ready later.
    void running.start(node).catch(() => {});
    print(`${name} is restarted`);
  }
  await until(1);
  await running.start('postgres');
  await running.start('api');
  const answered = counts.queries;
  await insist(
    zones.call('POST', `/v1/dns/zones/${id}/records`, {
      name: 'new',
      type: 'A',
      content: numberedAddress(77),
      ttl: 60,
    }),
  );
  const since = performance.now();
  const question = { name: 'new.late.example', type: 'A', dnssec: true } as const;
  await Promise.all(
    service.nameServers.map((server) => untilRight(server, question, isSignedAddress(numberedAddress(77)), signal)),
  );
  const caughtUp = (performance.now() - since) / 1000;
  over.abort();
  await Promise.all(asking);
  print(
    `${counts.second} queries were answered by the second name server; a change after the outage is everywhere ${caughtUp.toFixed(1)} s later`,
  );
  printMeasured([
    {
      what: `api and Postgres stopped for ${minutes} minutes, two nodes, each restarted: failed queries`,
      before: 'nearly all that are not cached',
      bar: '0',
      now: `${counts.failed} of ${answered}`,
    },
  ]);
}

async function load(servers: readonly ProbeEndpoint[], names: readonly string[], counts: Counts, signal: AbortSignal) {
  while (!signal.aborted) {
    const n = Math.floor(Math.random() * RECORDS);
    const name = `n${n}.${names[Math.floor(Math.random() * names.length)]}`;
    const order = Math.random() < 0.5 ? servers : servers.toReversed();
    const isRight = async (server: ProbeEndpoint) => {
      const answer = await ask(server, { name, type: 'A', dnssec: true }, { timeoutMs: ANSWER_MS, signal }).catch(
        () => null,
      );
      return answer !== null && isSignedAddress(numberedAddress(n))(answer);
    };
    const first = await isRight(order[0]!);
    const isAnswered = first || (await isRight(order[1]!));
    if (signal.aborted) return;
    counts.queries += 1;
    if (!first) counts.second += 1;
    if (!isAnswered) counts.failed += 1;
    await delay(1, signal).catch(() => {});
  }
}

await runBench('Queries while the api and Postgres are down', LIMIT_MS, run);
