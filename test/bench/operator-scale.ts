// The operator at scale, on a real API server, REST API, Postgres and Knot DNS: many records created at once and
// deleted, a restart among ten thousand, a key at its limit. `node test/bench/operator-scale.ts [part …]`; the parts
// are below. CPU is that of our own parts with Postgres and Knot DNS; kube-apiserver and etcd are shown separately.
import postgres from 'postgres';
import { connectCluster } from '#kube/api/cluster.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { watchReady } from './ready-watch.ts';
import { bulk, type Ground, ready } from './scale-bulk.ts';
import { deleteAll, waves } from './scale-delete.ts';
import { limited } from './scale-limits.ts';
import { neighbours } from './scale-neighbours.ts';
import { oneAmong, restart, steady } from './scale-rest.ts';
import { print, printSummaries, runBench } from './support.ts';

const LIMIT_MS = 60 * 60_000;

type Part = (ground: Ground) => Promise<void>;

/**
 * The records of the parts `ten-zones`, `one-zone` and `steady`; the bars are for 10,000. RECORDS changes the number.
 */
const MANY = Number(process.env.RECORDS ?? 10_000);
const STEADY_MS = 10 * 60_000;

/** The parts `one-zone` and `steady` share the records. */
async function many(ground: Ground): Promise<void> {
  if (ground.made.length < MANY)
    await bulk(ground, { count: MANY, zones: 1, bars: { served: 50, ready: 60, memory: 180 } });
}

/**
 * The measurements with their bars, in this order; names as arguments run those alone. A bar is for two cores that
 * nothing else uses. For comparison, there: external-dns serves 1,000 records after 5.7 s, for 2.4 s of processor time,
 * and removes them in 3.1 s; PowerDNS-Operator 61 s, 67 s and 35 s.
 */
const PARTS: Readonly<Record<string, Part>> = {
  thousand: async (ground) => {
    await bulk(ground, { count: 1_000, zones: 1, bars: { served: 5.7, ready: 7, kube: 8 } });
    await deleteAll(ground, 4);
  },
  held: async (ground) => {
    await bulk(ground, { count: 1_000, zones: 1, held: true });
    await bulk(ground, { count: 1_000, zones: 1, held: true });
    await deleteAll(ground);
  },
  waves: (ground) => waves(ground, { count: 1_000, rounds: 3 }),
  'ten-zones': async (ground) => {
    await bulk(ground, { count: MANY, zones: 10, bars: { served: 50, ready: 60, memory: 180 } });
    await deleteAll(ground);
  },
  'one-zone': async (ground) => {
    await many(ground);
    await restart(ground, 3.8);
    printSummaries(await oneAmong(ground, 100, 35));
  },
  steady: async (ground) => {
    await many(ground);
    await steady(ground, STEADY_MS, 0.3);
  },
};

/** Each of these has a stack of its own, with the write limits on and without zones. */
const LIMITED: Readonly<Record<string, Part>> = { neighbours, limits: limited };

await runBench('the operator at scale', LIMIT_MS, async (bench) => {
  const { stateDir, signal } = bench;
  const wanted = process.argv.slice(2);
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
  const chosen = (parts: typeof PARTS) => Object.entries(parts).filter(([name]) => isWanted(name));
  const rounds = [
    { limits: false, parts: chosen(PARTS) },
    ...chosen(LIMITED).map((part) => ({ limits: true, parts: [part] })),
  ];
  for (const { limits, parts } of rounds) {
    if (parts.length === 0) continue;
    const stack = await startStack({ stateDir, limits, durable: true, progress: () => {}, signal });
    const { api, close } = await connectCluster({ kubeconfig: stack.cluster.kubeconfig, maxConnections: 16 });
    const watching = new AbortController();
    bench.atEnd(() => stack.stop());
    bench.atEnd(close);
    const until = AbortSignal.any([signal, watching.signal]);
    const sql = postgres(stack.service.databaseUrl, { max: 1 });
    bench.atEnd(() => sql.end());
    const ground: Ground = {
      stack,
      api,
      sql,
      signal: until,
      stateDir,
      made: [],
      records: await watchReady<DNSRecord>(api, DNS_RECORD, 'default', until),
      zones: await watchReady<DNSZone>(api, DNS_ZONE, 'default', until),
    };
    if (!limits) await ready(ground);
    for (const [name, part] of parts) {
      print(`## ${name}`);
      await part(ground);
    }
    watching.abort();
    await close();
    await stack.stop();
  }
});
