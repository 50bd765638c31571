// Attacks that need no key, or only a small one, against an api with the memory of the chart, and how long another
// team's reads take meanwhile: `node test/bench/hostile-connections.ts [sockets]` (default 8000; needs `ulimit -n` of
// as many).
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createClient } from '#client/client.ts';
import { createZone, getZone } from '#contract/operations/zones.ts';
import { startCommand } from '../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { memory } from './processes.ts';
import { type Bench, print, printSummaries, runBench, startBenchService } from './support.ts';

const SOCKETS = Number(process.argv[2] ?? 8_000);
const ATTACK_MS = 10_000;
const LIMIT_MS = 8 * 60_000;
/** Node's heap under the chart's limit of 384Mi. */
const NODE_OPTIONS = '--max-semi-space-size=4 --max-old-space-size=288';
/** The api gives headers 10 s; a connection must be gone 15 s later. */
const GONE_MS = 25_000;

interface Flood {
  url: string;
  path: string;
  headers: string;
  body: string;
  connections: number;
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const ports = await allocatePorts([{ name: 'small' }, { name: 'smallHealth' }], { stateDir: bench.stateDir });
  const env = {
    NODE_OPTIONS,
    DATABASE_URL: service.databaseUrl,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.small}`,
    ZONESTEAD_NAMESERVERS: 'ns1.bench.example',
    ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS: '20000',
    ZONESTEAD_MAX_CONNECTIONS: '20000',
  };
  const options = { name: 'api', env, healthPort: ports.smallHealth, stateDir: bench.stateDir } as const;
  const api = await startCommand({ ...options, signal: bench.signal });
  bench.atEnd(() => api.stop());
  const url = `http://127.0.0.1:${ports.small}`;
  const client = createClient({ baseUrl: url, key: service.keys.first.key });
  bench.atEnd(() => client.close());
  const owner = `org:${service.keys.first.team}`;
  const { id } = await client.call(createZone, { body: { zoneName: 'bench.example', owner } });
  const read = async () => void (await client.call(getZone, { params: { id } }));
  const rss = async () => {
    const { now, peak } = await memory(api.pid);
    return `resident memory ${Math.round(now)} MB, most ${Math.round(peak)} MB`;
  };

  const deep = `${'['.repeat(524_000)}${']'.repeat(524_000)}`;
  const authorization = `Authorization: Bearer ${service.keys.second.key}\r\n`;
  const type = 'Content-Type: application/json\r\n';
  const samples: Record<string, number[]> = { quiet: await probe(read, 3_000, bench.signal) };
  const floods: Record<string, Omit<Flood, 'url'>> = {
    '24 × deep JSON where no route is': { path: '/nothing', headers: type, body: deep, connections: 24 },
    '24 × deep JSON for an operation, without a key': {
      path: '/v1/dns/zones',
      headers: type,
      body: deep,
      connections: 24,
    },
    '8 × deep JSON with a key': {
      path: `/v1/dns/zones/${id}/records:batch`,
      headers: type + authorization,
      body: deep,
      connections: 8,
    },
  };
  for (const [what, flood] of Object.entries(floods)) {
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...flood, url } satisfies Flood });
    const answered = new Promise<number>((resolve) => void worker.once('message', resolve));
    samples[what] = await probe(read, ATTACK_MS, bench.signal);
    worker.postMessage('end');
    print(`${what}: ${await answered} requests answered; ${await rss()}`);
    await worker.terminate();
  }
  print('Reads of another team, in ms:');
  printSummaries(samples);
  await halfClosed(url, bench.signal);
  print(await rss());
}

async function probe(read: () => Promise<void>, ms: number, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const since = performance.now();
    await read().catch(() => samples.push(Number.POSITIVE_INFINITY));
    samples.push(performance.now() - since);
    await delay(20, signal);
  }
  return samples;
}

/** Connections that keep their half open after the refusal, and send an octet every 2.5 s. */
async function halfClosed(url: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let at = 0; at < SOCKETS; at += 200) {
    const opened = Array.from({ length: Math.min(200, SOCKETS - at) }, () => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      sockets.push(socket.on('error', () => undefined).resume());
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nX');
      return new Promise<void>((resolve) => void socket.once('connect', resolve).once('close', () => resolve()));
    });
    await Promise.all(opened);
  }
  const since = performance.now();
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write('x');
  }, 2_500);
  const left = () => sockets.filter(({ closed }) => !closed).length;
  while (left() > 0 && performance.now() - since < 60_000) {
    await delay(5_000, signal);
    print(
      `half-closed sockets left ${Math.round((performance.now() - since) / 1000)} s after they were open: ${left()}`,
    );
  }
  clearInterval(drip);
  print(`bar: none ${GONE_MS / 1000} s after they were open`);
  for (const socket of sockets) socket.destroy();
}

/** In a thread: as many requests as the service takes, one after the other on each connection. */
function flood({ url, path, headers, body, connections }: Flood): void {
  const { hostname, port } = new URL(url);
  const request = `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
  let ended = false;
  let answered = 0;
  const next = () => {
    if (ended) return;
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      answered += 1;
      socket.destroy();
    });
    socket.once('close', () => setTimeout(next, 1));
    socket.write(request);
  };
  for (let at = 0; at < connections; at++) next();
  parentPort?.once('message', () => {
    ended = true;
    parentPort?.postMessage(answered);
  });
}

if (isMainThread) await runBench('hostile connections', LIMIT_MS, run);
else flood(workerData as Flood);
