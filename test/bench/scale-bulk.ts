// Many DNSRecords at once: how long until all are served and Ready, until all are gone, and what it cost.
import type { Sql } from 'postgres';
import type { KubeApi } from '#kube/api/api.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { printBar } from './bars.ts';
import { memory } from './processes.ts';
import type { ReadyWatch } from './ready-watch.ts';
import { costs, printSpent, spentBetween } from './scale-costs.ts';
import { figure } from './statistics.ts';
import { isSignedAddress, numberedAddress, print } from './support.ts';

export interface Ground {
  stack: Stack;
  api: KubeApi;
  sql: Sql;
  signal: AbortSignal;
  stateDir: string;
  records: ReadyWatch;
  zones: ReadyWatch;
  /** Records that are there. */
  made: Made[];
}

export interface Made {
  /** The name of the object, in the namespace default. */
  object: string;
  /** The name of the record, absolute. */
  name: string;
  address: string;
}

const ZONES = 10;
/** The number of parallel requests to the API server. */
export const CREATORS = 16;
const ASKERS = 1;
const LIMIT_MS = 10 * 60_000;
/** Coarse on purpose: every question costs the servers that are measured. */
export const BETWEEN_LOOKS_MS = 100;

/** Zones to begin with. All of their records may be deleted at once: the brake on mass deletion would hold them. */
export async function ready({ api, zones, signal }: Ground, count = ZONES): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const metadata = { name: `scale${n}`, namespace: 'default', annotations: { [RELEASE_MANY]: 'true' } };
      await api.create(DNS_ZONE, { metadata, spec: { zoneName: `scale${n}.test` } } as never, signal);
      await zones.ready(`scale${n}`, 1, LIMIT_MS);
    }),
  );
}

/** Runs `work` on each of the items, so many at a time. */
export async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<unknown>) {
  let next = 0;
  const worker = async () => {
    for (;;) {
      const item = items[next];
      next += 1;
      if (item === undefined) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

let serial = 0;

export function newRecords(count: number, zones: number): Made[] {
  return Array.from({ length: count }, () => {
    serial += 1;
    const object = `r${serial}`;
    return { object, name: `${object}.scale${serial % zones}.test`, address: numberedAddress(serial) };
  });
}

export async function create(
  { api, signal }: Pick<Ground, 'api' | 'signal'>,
  { object, name, address }: Made,
): Promise<void> {
  const [label, zone] = name.split('.');
  const spec = { zoneRef: { name: zone }, name: label, type: 'A', ttl: 60, content: address };
  await api.create(DNS_RECORD, { metadata: { name: object, namespace: 'default' }, spec } as never, signal);
}

/** Asks for each in turn until it is right. */
export async function allServed({ stack, signal }: Ground, records: readonly Made[]): Promise<void> {
  await inParallel(records, ASKERS, async ({ name, address }) => {
    const isRight = isSignedAddress(address);
    for (;;) {
      const answer = await ask(stack.service.dns, { name, type: 'A', dnssec: true }, { signal });
      if (isRight(answer)) return;
      await delay(BETWEEN_LOOKS_MS, signal);
      signal.throwIfAborted();
    }
  });
}

export const seconds = (since: number) => (performance.now() - since) / 1000;

export interface Bulk {
  count: number;
  zones: number;
  /**
   * The operator is stopped until all objects exist, and the clock starts then: this measures its own speed, on a
   * machine too busy to create them faster.
   */
  held?: boolean;
  bars?: BulkBars;
}

/**
 * The most seconds until all are served and Ready, ms of kube-apiserver's processor time a record, and MiB of the
 * operator.
 */
export interface BulkBars {
  served: number;
  ready: number;
  kube?: number;
  memory?: number;
}

/** Creates that many records in so many zones and waits until all are served and Ready. */
export async function bulk(ground: Ground, { count, zones, held = false, bars }: Bulk): Promise<void> {
  const { stack, records } = ground;
  const made = newRecords(count, zones);
  const { pid } = stack.operator.part('operator');
  const createAll = () => inParallel(made, CREATORS, (each) => create(ground, each));
  if (held) {
    process.kill(pid, 'SIGSTOP');
    await createAll();
  }
  const before = await costs(ground);
  const start = performance.now();
  if (held) process.kill(pid, 'SIGCONT');
  const [created, served, ready] = await Promise.all([
    (held ? Promise.resolve() : createAll()).then(() => seconds(start)),
    allServed(ground, made).then(() => seconds(start)),
    Promise.all(made.map(({ object }) => records.ready(object, 1, LIMIT_MS))).then(() => seconds(start)),
  ]);
  const rss = await memory(pid);
  const spent = spentBetween(before, await costs(ground));
  const how = held ? 'held until all were there' : `created ${figure(created)} s`;
  print(`${count} at once in ${zones} zones: ${how}, all served ${figure(served)} s, all Ready ${figure(ready)} s`);
  printSpent(spent, count);
  print(`  operator: ${figure(rss.now)} MiB resident, ${figure(rss.peak)} at most`);
  ground.made.push(...made);
  if (bars === undefined) return;
  printBar({ what: 'all served', value: served, most: bars.served, unit: 's' });
  printBar({ what: 'all Ready', value: ready, most: bars.ready, unit: 's' });
  printBar({
    what: 'writes of a record',
    value: (spent.writes.status + spent.writes.object) / count,
    most: 1,
    unit: '',
  });
  const kube = ((spent.cpu['kube-apiserver'] ?? Number.NaN) * 1000) / count;
  if (bars.kube !== undefined) printBar({ what: 'kube-apiserver', value: kube, most: bars.kube, unit: 'ms a record' });
  if (bars.memory !== undefined) printBar({ what: 'operator', value: rss.peak, most: bars.memory, unit: 'MiB' });
}
