// The operator at scale, on a real API server, REST API, Postgres and PowerDNS: many records created at once and
// deleted, a restart among ten thousand, a key at its limit. `node test/bench/operator-scale.ts [part …]`; the parts
// are at the end of the file. CPU is that of our own parts with Postgres and PowerDNS; kube-apiserver and etcd are
// shown separately.
import postgres from 'postgres';
import { connectCluster } from '#kube/api/cluster.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { watchReady } from './ready-watch.ts';
import { bulk, deleteAll, type Ground, ready, waves } from './scale-bulk.ts';
import { limited } from './scale-limits.ts';
import { neighbours } from './scale-neighbours.ts';
import { oneAmong, restart, steady } from './scale-rest.ts';
import { print, printSummaries, runBench } from './support.ts';

const LIMIT_MS = 30 * 60_000;

type Part = (ground: Ground) => Promise<void>;

/** The measurements, in this order; names as arguments run those alone. */
const PARTS: Readonly<Record<string, Part>> = {
  thousand: async (ground) => {
    await bulk(ground, { count: 1_000, zones: 1 });
    await deleteAll(ground);
  },
  held: async (ground) => {
    await bulk(ground, { count: 1_000, zones: 1, held: true });
    await bulk(ground, { count: 1_000, zones: 1, held: true });
    await deleteAll(ground);
  },
  waves: (ground) => waves(ground, { count: 1_000, rounds: 3 }),
  'ten-zones': async (ground) => {
    await bulk(ground, { count: 10_000, zones: 10 });
    await deleteAll(ground);
  },
  'one-zone': async (ground) => {
    await bulk(ground, { count: 10_000, zones: 1 });
    await restart(ground);
    printSummaries(await oneAmong(ground, 100));
    await steady(ground, 60_000);
    await deleteAll(ground);
  },
};

/** Each of these has a stack of its own, with the write limits on and without zones. */
const LIMITED: Readonly<Record<string, Part>> = { neighbours, limits: limited };

/** The bars on two idle cores, and the measured figures of other products there. */
const BARS: Readonly<Record<string, string>> = {
  thousand:
    'served < 5.7 s, Ready < 8 s, CPU < 10 s of ours, 2 Kubernetes writes a record; deleted < 4 s (external-dns 5.7 s, -, 2.4 s, -; 3.1 s. PowerDNS-Operator 61 s, 61 s, 67 s, -; 35 s)',
  'ten-zones': 'served < 45 s, Ready < 60 s, operator < 200 MB',
  'one-zone':
    'served < 45 s, Ready < 60 s, operator < 200 MB; restart < 15 s without a write; one among them Ready < 300 ms (median); steady < 2 % of a core, drift lists only',
  neighbours: 'each record Ready < 3 s',
  limits: 'the challenge Ready < 3 s after the slot, nothing sent before Retry-After is over',
};

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
      print(`## ${name}${BARS[name] === undefined ? '' : `: ${BARS[name]}`}`);
      await part(ground);
    }
    watching.abort();
    await close();
    await stack.stop();
  }
});
