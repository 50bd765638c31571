// Record writes for any side of a comparison: a number of writers for a time, then a check of the records that really
// exist.
import { countAbove, figure, quantile, summarize, tableLines } from './statistics.ts';
import { type Bench, numberedAddress, print } from './support.ts';

const TURN_MS = 5_000;
const TURNS = 4;

export interface Case {
  what: string;
  zones: number;
  writersPerZone: number;
  /** Records that a zone has before the clock starts. */
  before: number;
}

/** The methods of a side that the loop calls. */
export interface Side {
  name: string;
  createZone(name: string): Promise<string>;
  /** @returns the status of the answer */
  create(zone: string, name: string, address: string): Promise<number>;
  /** Creates many records at once, outside of the measured time. */
  fill(zone: string, count: number): Promise<void>;
  /** How often each owner name with an address record is there, relative to the zone. */
  list(zone: string): Promise<Map<string, number>>;
}

interface Turn {
  /** Answers with success a second. */
  rate: number;
  latencies: number[];
  statuses: Map<number, number>;
  /** Answered with success, but not there afterwards. */
  lost: number;
  /** There more than once. */
  doubled: number;
  /** There although the answer was an error. */
  unannounced: number;
}

async function turn(side: Side, { zones, writersPerZone, before }: Case, label: string, signal: AbortSignal) {
  const names = Array.from({ length: zones }, (_, at) => `${label}-${at}.example`);
  const ids = await Promise.all(names.map((name) => side.createZone(name)));
  if (before > 0) for (const id of ids) await side.fill(id, before);
  const result: Turn = { rate: 0, latencies: [], statuses: new Map(), lost: 0, doubled: 0, unannounced: 0 };
  const sent = ids.map(() => new Map<string, number>());
  let serial = 0;
  const start = performance.now();
  const writer = async (at: number) => {
    while (performance.now() - start < TURN_MS) {
      signal.throwIfAborted();
      const n = serial++;
      const since = performance.now();
      const status = await side.create(ids[at] as string, `n${n}`, numberedAddress(n));
      result.latencies.push(performance.now() - since);
      result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
      sent[at]?.set(`n${n}`, status);
    }
  };
  await Promise.all(ids.flatMap((_, at) => Array.from({ length: writersPerZone }, () => writer(at))));
  const seconds = (performance.now() - start) / 1000;
  result.rate = [...sent.flatMap((zone) => [...zone.values()])].filter(isSuccess).length / seconds;
  for (const [at, id] of ids.entries()) compare(result, sent[at] as Map<string, number>, await side.list(id));
  return result;
}

const isSuccess = (status: number) => status >= 200 && status < 300;

function compare(result: Turn, sent: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): void {
  for (const [name, status] of sent) {
    const times = found.get(name) ?? 0;
    if (isSuccess(status) && times === 0) result.lost++;
    if (!isSuccess(status) && times > 0) result.unannounced++;
    if (times > 1) result.doubled++;
  }
}

export function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const HEADING = [
  '',
  'writes/s',
  'turns (writes/s)',
  'p50 ms',
  'p95',
  'p99',
  'max',
  'answers',
  'lost',
  'doubled',
  'error yet there',
];

function row(what: string, turns: readonly Turn[]): string[] {
  const { median, p95, p99, max } = summarize(turns.flatMap(({ latencies }) => latencies));
  const statuses = countNames(
    turns.flatMap((each) => [...each.statuses].flatMap(([status, n]) => Array<string>(n).fill(String(status)))),
  );
  const sum = (of: (turn: Turn) => number) => String(turns.reduce((total, each) => total + of(each), 0));
  return [
    what,
    figure(medianRate(turns)),
    turns.map(({ rate }) => Math.round(rate)).join(' '),
    ...[median, p95, p99, max].map(figure),
    [...statuses].map(([status, n]) => `${status}×${n}`).join(' '),
    sum(({ lost }) => lost),
    sum(({ doubled }) => doubled),
    sum(({ unannounced }) => unannounced),
  ];
}

const medianRate = (turns: readonly Turn[]) =>
  quantile(
    turns.map(({ rate }) => rate),
    0.5,
  );

/**
 * Lets the sides take turns at each case, and prints a table a case. The first side is compared with each other one.
 */
export async function compareWrites(sides: readonly Side[], cases: readonly Case[], bench: Bench): Promise<void> {
  for (const [number, each] of cases.entries()) {
    const turns: Turn[][] = sides.map(() => []);
    for (let n = 0; n < TURNS; n++) {
      for (const [at, side] of sides.entries()) {
        turns[at]?.push(await turn(side, each, `case${number}-turn${n}-side${at}`, bench.signal));
      }
    }
    print();
    print(`## ${each.what}: ${TURNS} turns of ${TURN_MS / 1000} s each, by turns`);
    for (const line of tableLines([HEADING, ...sides.map(({ name }, at) => row(name, turns[at] as Turn[]))]))
      print(line);
    const [own = [], ...others] = turns;
    for (const [at, other] of others.entries()) {
      const pairs = own.map(({ rate }, n) => rate / (other[n]?.rate ?? Number.NaN));
      print(
        `${sides[0]?.name} / ${sides[at + 1]?.name}: ratio of the medians ${figure(medianRate(own) / medianRate(other))}, of the pairs ${pairs.map(figure).join(' ')}`,
      );
    }
    const slow = countAbove(
      own.flatMap(({ latencies }) => latencies),
      1000,
    );
    if (slow > 0) print(`${slow} of our writes took more than 1 s`);
  }
}
