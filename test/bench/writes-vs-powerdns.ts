// How many records a second can be created in one zone, at our REST API and at the HTTP API of a stock PowerDNS with a
// signed zone on the same Postgres: `node test/bench/writes-vs-powerdns.ts`. Both sides take turns in one run, each turn
// with new zones, and afterwards every zone is listed: what was answered with success must be there once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { countAbove, figure, quantile, summarize, tableLines } from './statistics.ts';
import { type StockPowerDns, startStockPowerDns } from './stock-powerdns.ts';
import { addressOf, type Bench, print, runBench, startBenchService } from './support.ts';

const TURN_MS = 5_000;
const TURNS = 4;
const LIMIT_MS = 20 * 60_000;

interface Case {
  what: string;
  zones: number;
  writersPerZone: number;
  /** Records that a zone has before the clock starts. */
  before: number;
}

const CASES: readonly Case[] = [
  { what: '1 zone, 8 writers', zones: 1, writersPerZone: 8, before: 0 },
  { what: '1 zone, 1 writer', zones: 1, writersPerZone: 1, before: 0 },
  { what: '1 zone of 2000 records, 8 writers', zones: 1, writersPerZone: 8, before: 2000 },
  { what: '8 zones, 1 writer each', zones: 8, writersPerZone: 1, before: 0 },
  { what: '8 zones, 8 writers each', zones: 8, writersPerZone: 8, before: 0 },
];

/** What the loop needs of either side. */
interface Side {
  name: string;
  createZone(name: string): Promise<string>;
  /** @returns the status of the answer */
  create(zone: string, name: string, address: string): Promise<number>;
  /** Many at once, outside of what is timed. */
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
      const status = await side.create(ids[at] as string, `n${n}`, addressOf(n));
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

/** The same connections, and the same way to call, for both. */
function caller(agent: Agent, base: string, headers: Record<string, string>) {
  return async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => {
    const answer = await request(`${base}${path}`, {
      method,
      headers,
      dispatcher: agent,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
}

type Call = ReturnType<typeof caller>;

/** @throws when the preparation of a turn does not work */
async function insist(call: ReturnType<Call>): Promise<string> {
  const { status, text } = await call;
  if (!isSuccess(status)) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
  return text;
}

function ourSide(call: Call, owner: string): Side {
  const create = (zone: string, name: string, content: string) =>
    call('POST', `/v1/dns/zones/${zone}/records`, { name, type: 'A', content, ttl: 300 });
  return {
    name: 'Zonestead',
    createZone: async (zoneName) => JSON.parse(await insist(call('POST', '/v1/dns/zones', { zoneName, owner }))).id,
    create: async (zone, name, content) => (await create(zone, name, content)).status,
    fill: async (zone, count) => {
      let next = 0;
      const worker = async () => {
        for (let n = next++; n < count; n = next++) await insist(create(zone, `old${n}`, addressOf(n)));
      };
      await Promise.all(Array.from({ length: 8 }, worker));
    },
    list: async (zone) => {
      const { records } = JSON.parse(await insist(call('GET', `/v1/dns/zones/${zone}/records`)));
      return countNames((records as { name: string }[]).map(({ name }) => name));
    },
  };
}

function stockSide(call: Call): Side {
  const rrset = (zone: string, name: string, content: string) => ({
    name: `${name}.${zone}`,
    type: 'A',
    ttl: 300,
    changetype: 'REPLACE',
    records: [{ content, disabled: false }],
  });
  return {
    name: 'PowerDNS API',
    createZone: async (zoneName) => {
      const body = { name: `${zoneName}.`, kind: 'Native', nameservers: ['ns1.zonestead.test.'], dnssec: true };
      return JSON.parse(await insist(call('POST', '/zones', body))).id;
    },
    create: async (zone, name, content) =>
      (await call('PATCH', `/zones/${zone}`, { rrsets: [rrset(zone, name, content)] })).status,
    fill: async (zone, count) => {
      const rrsets = Array.from({ length: count }, (_, n) => rrset(zone, `old${n}`, addressOf(n)));
      await insist(call('PATCH', `/zones/${zone}`, { rrsets }));
    },
    list: async (zone) => {
      const { rrsets } = JSON.parse(await insist(call('GET', `/zones/${zone}`)));
      const addresses = (rrsets as { name: string; type: string; records: unknown[] }[]).filter(
        ({ type }) => type === 'A',
      );
      return countNames(addresses.flatMap(({ name, records }) => records.map(() => name.slice(0, -zone.length - 1))));
    },
  };
}

function countNames(names: readonly string[]): Map<string, number> {
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

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const password = await readFile(join(bench.stateDir, 'postgres', 'password'), 'utf8');
  const at = new URL(service.databaseUrl);
  const stock: StockPowerDns = await startStockPowerDns(bench, `postgres://postgres:${password}@${at.host}/postgres`);
  const agent = new Agent({ connections: 128, allowH2: false });
  bench.atEnd(() => agent.close());
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sides = [
    ourSide(caller(agent, service.url, headers), `org:${team}`),
    stockSide(caller(agent, stock.url, stock.headers)),
  ] as const;

  const only = process.argv[2];
  for (const [number, each] of CASES.entries()) {
    if (only !== undefined && !each.what.includes(only)) continue;
    const turns: [Turn[], Turn[]] = [[], []];
    for (let n = 0; n < TURNS; n++) {
      for (const [at, side] of sides.entries()) {
        turns[at]?.push(await turn(side, each, `case${number}-turn${n}-side${at}`, bench.signal));
      }
    }
    print();
    print(`## ${each.what}: ${TURNS} turns of ${TURN_MS / 1000} s each, by turns`);
    for (const line of tableLines([HEADING, ...sides.map(({ name }, at) => row(name, turns[at] as Turn[]))]))
      print(line);
    const pairs = turns[0].map(({ rate }, n) => rate / (turns[1][n]?.rate ?? Number.NaN));
    print(
      `ratio of the medians ${figure(medianRate(turns[0]) / medianRate(turns[1]))}, of the pairs ${pairs.map(figure).join(' ')}`,
    );
    const slow = countAbove(
      turns[0].flatMap(({ latencies }) => latencies),
      1000,
    );
    if (slow > 0) print(`${slow} of our writes took more than 1 s`);
  }
}

await runBench('Record writes: our REST API and the API of a stock PowerDNS', LIMIT_MS, run);
