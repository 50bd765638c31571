// Common parts of the benchmarks of name servers: zones with records, the wait until a name server answers all of them,
// dnsperf, and a table of measured values next to those of the issue.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, type ProbeAnswer, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { type Call, caller, createAgent, insistPatiently } from './calls.ts';
import { tableLines } from './statistics.ts';
import { type Bench, type BenchService, numberedAddress, print } from './support.ts';

const BATCH = 1_000;
const AT_ONCE = 8;
const LOOK_MS = 100;
const ASKED_AT_ONCE = 64;
const RRSIG = 46;

export interface Zones {
  call: Call;
  /** Creates a zone with records n0, n1, and so on. @returns its id */
  create(zoneName: string, records: number): Promise<string>;
  /** Creates many, eight at once. @returns their ids by their names */
  createAll(names: readonly string[], records: number): Promise<Map<string, string>>;
}

export function createBenchZones(bench: Bench, service: BenchService): Zones {
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = caller(createAgent(bench), service.url, headers);
  const create = async (zoneName: string, records: number) => {
    const { id } = JSON.parse(
      await insistPatiently(() => call('POST', '/v1/dns/zones', { zoneName, owner: `org:${team}` }), bench.signal),
    );
    for (let from = 0; from < records; from += BATCH) {
      bench.signal.throwIfAborted();
      const changes = Array.from({ length: Math.min(BATCH, records - from) }, (_, n) => creation(from + n));
      await insistPatiently(() => call('POST', `/v1/dns/zones/${id}/records:batch`, { changes }), bench.signal);
    }
    return id as string;
  };
  return {
    call,
    create,
    createAll: async (names, records) => {
      const left = [...names];
      const ids = new Map<string, string>();
      const worker = async () => {
        for (let name = left.pop(); name !== undefined; name = left.pop()) ids.set(name, await create(name, records));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return ids;
    },
  };
}

export function creation(n: number, name = `n${n}`) {
  return { action: 'create', record: { name, type: 'A', content: numberedAddress(n), ttl: 300 } };
}

/** Waits until each question for an A record has a signed answer. @returns the time in seconds */
export async function untilSigned(
  server: ProbeEndpoint,
  names: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const since = performance.now();
  const missing = [...names];
  const isThere = async (name: string) => {
    const question = { name, type: 'A', dnssec: true } as const;
    const answer: ProbeAnswer | null = await ask(server, question, { timeoutMs: 1_000, signal }).catch(() => null);
    return answer !== null && answer.rcode === 0 && answer.answers.some(({ type }) => type === RRSIG);
  };
  while (missing.length > 0) {
    signal.throwIfAborted();
    const some = missing.slice(-ASKED_AT_ONCE);
    const there = await Promise.all(some.map(isThere));
    const firstWrong = there.lastIndexOf(false);
    missing.length -= some.length - 1 - firstWrong;
    if (firstWrong >= 0) await delay(LOOK_MS, signal);
  }
  return (performance.now() - since) / 1000;
}

export interface Flood {
  /** Answers a second. */
  rate: number;
  sent: number;
  lost: number;
  rcodes: string;
}

export interface FloodOptions {
  server: ProbeEndpoint;
  names: readonly string[];
  seconds: number;
  /** Queries a second at most. Absent: no limit. */
  rate?: number;
  /** An answer that takes longer counts as lost. (Default: 5.) */
  timeoutSeconds?: number;
  signal: AbortSignal;
}

let files = 0;

/** Asks for A records with DO. */
export async function dnsperf(folder: string, options: FloodOptions): Promise<Flood> {
  const { server, names, seconds, rate, timeoutSeconds = 5, signal } = options;
  const tools = await ensureTools([{ command: 'dnsperf', package: 'dnsperf' }], { progress: () => {}, signal });
  const file = join(folder, `queries-${files++}`);
  await writeFile(file, `${names.map((name) => `${name} A`).join('\n')}\n`);
  const args = [
    ...[
      '-s',
      server.address,
      '-p',
      String(server.port),
      '-d',
      file,
      '-l',
      String(seconds),
      '-D',
      '-c',
      '4',
      '-q',
      '200',
    ],
    ...['-t', String(timeoutSeconds), ...(rate === undefined ? [] : ['-Q', String(rate)])],
  ];
  const timeoutMs = (seconds + 60) * 1000;
  const { code, out, tail } = await runCommand({ command: tools.dnsperf!, args, timeoutMs, signal });
  if (code !== 0) throw new Error(`dnsperf ended with code ${code}:\n${tail}`);
  const number = (pattern: RegExp) => Number(pattern.exec(out)?.[1]);
  return {
    rate: number(/Queries per second:\s+([\d.]+)/),
    sent: number(/Queries sent:\s+(\d+)/),
    lost: number(/Queries lost:\s+(\d+)/),
    rcodes: /Response codes:\s+(.+)/.exec(out)?.[1] ?? '',
  };
}

export interface Measured {
  what: string;
  /** In the issue: with PowerDNS in front of Postgres. */
  before: string;
  bar: string;
  now: string;
}

export function printMeasured(rows: readonly Measured[]): void {
  const table = rows.map(({ what, before, bar, now }) => [what, before, bar, now]);
  for (const line of tableLines([['', 'before', 'bar', 'now'], ...table])) print(line);
}
