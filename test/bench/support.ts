// Helpers of the benchmarks: a folder of their own, an end that leaves nothing running, queries to a name server, and
// the printing. Benchmarks are plain programs that print tables and judge nothing.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, type ProbeAnswer, type ProbeEndpoint, type ProbeQuestion } from '#nameserver/probe/probe.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { removePostgresState } from '../../deploy/local/parts/postgres.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { type Service, type ServiceOptions, startService } from '../../deploy/local/service.ts';
import { SUMMARY_HEADING, summaryRow, tableLines } from './statistics.ts';

export interface Bench {
  /** Gone after the run. */
  stateDir: string;
  /** Aborts on Ctrl-C and when the whole program exceeds its time limit. */
  signal: AbortSignal;
  /** Runs at the end, the last registered first, also after a failure. */
  atEnd(step: () => Promise<unknown>): void;
}

/**
 * Runs one benchmark from its folder to its cleaning up. A signal, or the end of its time, ends also work that does not
 * notice it.
 * @param limitMs for all of it
 */
export async function runBench(title: string, limitMs: number, work: (bench: Bench) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort(new Error(name)));
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-bench-'));
  // Postgres runs as another account.
  await chmod(stateDir, 0o755);
  const steps: (() => Promise<unknown>)[] = [];
  print(`# ${title} (Node ${process.version}, load ${load()})`);
  try {
    const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(limitMs)]);
    await Promise.race([work({ stateDir, signal, atEnd: (step) => void steps.push(step) }), aborted(signal)]);
    print(`load at the end ${load()}`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    // Watches and the like end with the signal.
    interrupted.abort(new Error('the benchmark is over'));
    for (const step of steps.reverse()) {
      await step().catch((error: unknown) => {
        process.stderr.write(`cleaning up: ${String(error)}\n`);
        process.exitCode = 1;
      });
    }
    await removePostgresState(stateDir);
    await rm(stateDir, { recursive: true, force: true });
  }
  // Work that was ended above may still hold connections and timers.
  process.exit();
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** One, five and fifteen minutes: says how quiet the machine was. */
function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ');
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the samples of each row, in ms. */
export function printSummaries(rows: Readonly<Record<string, readonly number[]>>): void {
  const table = [SUMMARY_HEADING, ...Object.entries(rows).map(([what, samples]) => summaryRow(what, samples))];
  for (const line of tableLines(table)) print(line);
}

export interface BenchService extends Service {
  /** Base address of the api's health port. */
  healthUrl: string;
  /** Those of the nodes, in the order of the name servers. */
  nodeHealthUrls: readonly string[];
}

/**
 * Our DNS side on disk as in production: limits off, fsync on.
 * @param nodes the number of name servers
 */
export async function startBenchService(
  { stateDir, signal, atEnd }: Bench,
  nodes = 1,
  settings: Readonly<Record<string, string>> = {},
  nodeOptions: ServiceOptions['nodes'] = {},
): Promise<BenchService> {
  const numbers = Array.from({ length: nodes }, (_, at) => at);
  const ports = await allocatePorts(
    [
      { name: 'postgres' },
      { name: 'api' },
      { name: 'apiHealth' },
      ...numbers.map((at) => ({ name: `dns${at}`, dns: true })),
      ...numbers.map((at) => ({ name: `health${at}` })),
    ],
    { stateDir },
  );
  const of = (name: string) => ports[name] as number;
  const service = await startService({
    stateDir,
    ports: {
      ...{ postgres: of('postgres'), api: of('api'), apiHealth: of('apiHealth') },
      ...{ dns: numbers.map((at) => of(`dns${at}`)), nameserverHealth: numbers.map((at) => of(`health${at}`)) },
    },
    limits: false,
    durable: true,
    settings,
    nodes: nodeOptions,
    progress: () => {},
    signal,
  });
  atEnd(() => service.stop());
  const url = (name: string) => `http://127.0.0.1:${of(name)}`;
  const nodeHealthUrls = numbers.map((at) => url(`health${at}`));
  return { ...service, healthUrl: url('apiHealth'), nodeHealthUrls };
}

/** How long an answer may take to become right before the run is given up. */
const RIGHT_LIMIT_MS = 15_000;
/**
 * The time between two queries: shorter than the measured times, but long enough to leave the two cores to the servers.
 */
const BETWEEN_LOOKS_MS = 2;

/**
 * Asks until the answer is right.
 * @param betweenMs the time between two queries
 * @returns its questions. @throws when it is still wrong after 15 s
 */
export async function untilRight(
  server: ProbeEndpoint,
  question: ProbeQuestion,
  isRight: (answer: ProbeAnswer) => boolean,
  signal: AbortSignal,
  betweenMs = BETWEEN_LOOKS_MS,
): Promise<number> {
  const since = performance.now();
  for (let looks = 1; ; looks++) {
    const answer = await ask(server, question, { signal });
    if (isRight(answer)) return looks;
    if (performance.now() - since > RIGHT_LIMIT_MS) {
      throw new Error(`${question.name} ${question.type} is still wrong after ${RIGHT_LIMIT_MS / 1000} s`);
    }
    await delay(betweenMs, signal);
    signal.throwIfAborted();
  }
}

const RRSIG = 46;

/** Whether the answer holds exactly this address, and a signature with it. */
export function isSignedAddress(address: string): (answer: ProbeAnswer) => boolean {
  const octets = address.split('.').map(Number).join();
  return ({ rcode, answers }) => {
    const found = answers.filter(({ type }) => type === 1).map(({ rdata }) => rdata.join());
    return rcode === 0 && found.length === 1 && found[0] === octets && answers.some(({ type }) => type === RRSIG);
  };
}

/** The n-th address of 10.0.0.0/8, so that no two rounds expect the same. */
export function numberedAddress(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

/**
 * A pause of 0 to `ms`. Without it every round would begin at the same distance from the companion's last look, because
 * the round before ended with it.
 */
export async function outOfStep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.random() * ms, signal);
  signal.throwIfAborted();
}
