// The cost of a zone of 100,000 records: the time of a write against one in a zone of 100, in turns, and the memory of
// the api while it lists the large zone: `node test/bench/large-zone.ts`.
import { readFile } from 'node:fs/promises';
import { type Call, caller, createAgent, insist } from './calls.ts';
import { figure, quantile } from './statistics.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 15 * 60_000;
const LARGE = 100_000;
const SMALL = 100;
const BATCH = 1_000;
const WRITES = 500;
const LISTS = 5;
const LISTS_AT_ONCE = 4;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const pid = service.running.parts().find(({ name }) => name === 'api')?.pid;
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = caller(createAgent(bench), service.url, headers);
  print(`api at rest: ${await memory(pid)}`);
  const zone = async (zoneName: string, records: number) => {
    const { id } = JSON.parse(await insist(call('POST', '/v1/dns/zones', { zoneName, owner: `org:${team}` })));
    for (let from = 0; from < records; from += BATCH)
      await insist(fill(call, id, from, Math.min(BATCH, records - from)));
    return id as string;
  };
  const small = await zone('small.example', SMALL);
  const since = performance.now();
  const large = await zone('large.example', LARGE);
  const seconds = (performance.now() - since) / 1000;
  print(`${LARGE} records by batches of ${BATCH}: ${figure(seconds)} s; api afterwards: ${await memory(pid)}`);

  const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
  for (let n = -50; n < WRITES; n++) {
    for (const [size, id] of [
      ['small', small],
      ['large', large],
    ] as const) {
      bench.signal.throwIfAborted();
      const body = { name: `w${n + 50}`, type: 'A', content: numberedAddress(n + 50), ttl: 300 };
      const start = performance.now();
      await insist(call('POST', `/v1/dns/zones/${id}/records`, body));
      if (n >= 0) times[size].push(performance.now() - start);
    }
  }
  printSummaries({ [`write in a zone of ${SMALL}`]: times.small, [`write in a zone of ${LARGE}`]: times.large });
  print(`ratio of the p95: ${figure(quantile(times.large, 0.95) / quantile(times.small, 0.95))}`);

  const list = async () => {
    const start = performance.now();
    const text = await insist(call('GET', `/v1/dns/zones/${large}/records`));
    const ms = performance.now() - start;
    const found = JSON.parse(text).records.length;
    if (found < LARGE) throw new Error(`${found} of ${LARGE} records are listed`);
    return ms;
  };
  const lone: number[] = [];
  for (let n = 0; n < LISTS; n++) lone.push(await list());
  print(`api after ${LISTS} lists of ${LARGE} records, one by one: ${await memory(pid)}`);
  const together = await Promise.all(Array.from({ length: LISTS_AT_ONCE }, list));
  print(`api after ${LISTS_AT_ONCE} such lists at once: ${await memory(pid)}`);
  printSummaries({ 'list, alone': lone, [`list, ${LISTS_AT_ONCE} at once`]: together });
}

function fill(call: Call, zone: string, from: number, count: number): ReturnType<Call> {
  const changes = Array.from({ length: count }, (_, n) => ({
    action: 'create',
    record: { name: `old${from + n}`, type: 'A', content: numberedAddress(from + n), ttl: 300 },
  }));
  return call('POST', `/v1/dns/zones/${zone}/records:batch`, { changes });
}

/** The memory of the process, now and at its peak. */
async function memory(pid: number | undefined): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return `${of('VmRSS')} MB resident, ${of('VmHWM')} MB at most so far`;
}

await runBench('A zone of 100,000 records', LIMIT_MS, run);
