// 10,000 connections that are slow on purpose, in parallel with ordinary requests: `node test/bench/slow-connections.ts
// [connections]`. Prints how long ordinary requests take during that time, when the last slow connection was ended, and
// how much memory it took. Both processes need as many open files as there are connections (`ulimit -n`).
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { type Client, createClient } from '#client/client.ts';
import { createRecord } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { type Bench, print, printSummaries, runBench, startBenchService } from './support.ts';

const CONNECTIONS = Number(process.argv[2] ?? 10_000);
const LIMIT_MS = 5 * 60_000;
/** Twice what the service gives a request to arrive. */
const END_LIMIT_MS = 60_000;
const PROBES = 100;
const AT_ONCE = 200;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  bench.atEnd(() => client.close());
  const owner = `org:${service.keys.first.team}`;
  const { id } = await client.call(createZone, { body: { zoneName: 'bench.example', owner } });
  const api = service.running.parts().find((part) => part.name === 'api');
  const rss = async () => `${Math.round((await residentKib(api?.pid)) / 1024)} MB`;
  await probe(client, id, 'warm');

  const quiet = await probe(client, id, 'quiet');
  const before = await rss();
  const { sockets, ended } = await openSlow(service.url, service.keys.first.key, id, bench.signal);
  const since = performance.now();
  const crowded = await probe(client, id, 'crowded');
  const during = await rss();
  await Promise.race([ended, delay(END_LIMIT_MS, bench.signal)]);
  const left = sockets.filter((socket) => !socket.closed).length;
  print(`${sockets.length} slow connections; ${left} left after ${seconds(performance.now() - since)}`);
  for (const socket of sockets) socket.destroy();
  print(`resident memory of the api: ${before} before, ${during} during, ${await rss()} after`);
  printSummaries({ 'a record created, before': quiet, 'a record created, meanwhile': crowded });
}

async function probe(client: Client, zoneId: string, what: string): Promise<number[]> {
  const samples: number[] = [];
  for (let at = 0; at < PROBES; at++) {
    const since = performance.now();
    await client.call(createRecord, {
      params: { id: zoneId },
      body: { name: `${what}${at}`, type: 'A', content: '192.0.2.1' },
    });
    samples.push(performance.now() - since);
  }
  return samples;
}

/** A third sends nothing, a third stops in its headers, a third in its body. */
async function openSlow(url: string, key: string, zoneId: string, signal: AbortSignal) {
  const head = `POST /v1/dns/zones/${zoneId}/records HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const kinds = ['', head, `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`];
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const endings: Promise<void>[] = [];
  for (let at = 0; at < CONNECTIONS; at += AT_ONCE) {
    signal.throwIfAborted();
    const opened = Array.from({ length: Math.min(AT_ONCE, CONNECTIONS - at) }, (_, offset) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      sockets.push(socket);
      socket.resume();
      endings.push(new Promise((resolve) => void socket.once('close', () => resolve())));
      socket.write(kinds[offset % kinds.length] ?? '');
      return new Promise<void>((resolve) => void socket.once('connect', resolve).once('close', () => resolve()));
    });
    await Promise.all(opened);
  }
  return { sockets, ended: Promise.all(endings) };
}

async function residentKib(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

await runBench(`${CONNECTIONS} slow connections`, LIMIT_MS, run);
