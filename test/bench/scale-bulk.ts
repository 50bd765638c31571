// Many DNSRecords at once: how long until all are served and Ready, until all are gone, and what it cost.
import type { Sql } from 'postgres';
import type { KubeApi } from '#kube/api/api.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { cpuSeconds, memory } from './processes.ts';
import type { ReadyWatch } from './ready-watch.ts';
import { figure } from './statistics.ts';
import { addressOf, isSignedAddress, print } from './support.ts';

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
const CREATORS = 16;
const ASKERS = 1;
const LIMIT_MS = 10 * 60_000;
/** Coarse on purpose: every question costs the servers that are measured. */
const BETWEEN_LOOKS_MS = 100;
const BESIDE: ReadonlySet<string> = new Set(['kube-apiserver', 'etcd', 'kube-controller-manager']);

/** Zones to begin with. */
export async function ready({ api, zones, signal }: Ground, count = ZONES): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const draft = { metadata: { name: `scale${n}`, namespace: 'default' }, spec: { zoneName: `scale${n}.test` } };
      await api.create(DNS_ZONE, draft as never, signal);
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
    return { object, name: `${object}.scale${serial % zones}.test`, address: addressOf(serial) };
  });
}

export async function create({ api, signal }: Ground, { object, name, address }: Made): Promise<void> {
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
    }
  });
}

export interface Costs {
  cpu: Record<string, number>;
  writes: Record<string, number>;
  changes: number;
}

/** Everything that has been spent since the start. */
export async function costs({ stack, sql }: Ground): Promise<Costs> {
  const pids = Object.fromEntries(stack.parts().map(({ name, pid }) => [name, pid]));
  const metrics = await stack.cluster.kubectl(['get', '--raw', '/metrics']);
  const writes: Record<string, number> = {};
  for (const line of metrics.split('\n')) {
    const labels = /^apiserver_request_total\{(.*resource="dnsrecords".*)\} ([\d.e+]+)$/.exec(line);
    const verb = /verb="([A-Z]+)"/.exec(labels?.[1] ?? '')?.[1] ?? '';
    if (labels === null || !['PATCH', 'APPLY', 'PUT'].includes(verb)) continue;
    const what = /subresource="status"/.test(labels[1] ?? '') ? 'status' : 'object';
    writes[what] = (writes[what] ?? 0) + Number(labels[2]);
  }
  const [row] = await sql`select count(*)::integer as count from changes`;
  return { cpu: await cpuSeconds(pids), writes, changes: row?.count as number };
}

export function printCosts(before: Costs, after: Costs, count: number): void {
  const spent = Object.entries(after.cpu).map(([name, cpu]) => ({ name, cpu: cpu - (before.cpu[name] ?? 0) }));
  const sum = (beside: boolean) =>
    spent.filter(({ name }) => BESIDE.has(name) === beside).reduce((total, { cpu }) => total + cpu, 0);
  print(`  CPU ${figure(sum(false))} s of ours, ${figure(sum(true))} s of the rest:`);
  print(`    ${spent.map(({ name, cpu }) => `${name} ${figure(cpu)}`).join(', ')}`);
  const per = (kind: string) => figure(((after.writes[kind] ?? 0) - (before.writes[kind] ?? 0)) / count);
  print(`  Kubernetes writes a record: object ${per('object')}, status ${per('status')}`);
  print(`  changes at the service: ${after.changes - before.changes}`);
}

const seconds = (since: number) => figure((performance.now() - since) / 1000);

export interface Bulk {
  count: number;
  zones: number;
  /**
   * The operator is stopped until all objects exist, and the clock starts then: this measures its own speed, on a
   * machine too busy to create them faster.
   */
  held?: boolean;
}

/** Creates that many records in so many zones and waits until all are served and Ready. */
export async function bulk(ground: Ground, { count, zones, held = false }: Bulk): Promise<void> {
  const { stack, records } = ground;
  const made = newRecords(count, zones);
  const { pid } = stack.operator.part('operator');
  if (held) {
    process.kill(pid, 'SIGSTOP');
    await inParallel(made, CREATORS, (each) => create(ground, each));
  }
  const before = await costs(ground);
  const start = performance.now();
  if (held) process.kill(pid, 'SIGCONT');
  const says: string[] = [];
  await Promise.all([
    held
      ? says.push('held until all were there')
      : inParallel(made, CREATORS, (each) => create(ground, each)).then(() => says.push(`created ${seconds(start)} s`)),
    allServed(ground, made).then(() => says.push(`all served ${seconds(start)} s`)),
    Promise.all(made.map(({ object }) => records.ready(object, 1, LIMIT_MS))).then(() =>
      says.push(`all Ready ${seconds(start)} s`),
    ),
  ]);
  const rss = await memory(pid);
  print(`${count} at once in ${zones} zones: ${says.join(', ')}`);
  printCosts(before, await costs(ground), count);
  print(`  operator: ${figure(rss.now)} MiB resident, ${figure(rss.peak)} at most`);
  ground.made.push(...made);
}

/** Deletes every record that was made and waits until the objects and the rows are gone. */
export async function deleteAll(ground: Ground): Promise<void> {
  const { api, sql, signal } = ground;
  const count = ground.made.length;
  const before = await costs(ground);
  const start = performance.now();
  const asked = inParallel(ground.made, CREATORS, ({ object: name }) =>
    api.delete(DNS_RECORD, { name, namespace: 'default' }, {}, signal),
  ).then(() => seconds(start));
  let gone = '';
  for (;;) {
    const [row] = await sql`select count(*)::integer as count from records`;
    if (row?.count === 0 && gone === '') gone = seconds(start);
    if (gone !== '' && (await ground.api.list(DNS_RECORD, { limit: 1 }, signal)).items.length === 0) break;
    await delay(BETWEEN_LOOKS_MS, signal);
  }
  print(
    `${count} deleted: all asked for after ${await asked} s, rows gone ${gone} s, objects gone ${seconds(start)} s`,
  );
  printCosts(before, await costs(ground), count);
  ground.made = [];
}

/** The same again and again, for a profile of a warm process. */
export async function waves(ground: Ground, { count, rounds }: { count: number; rounds: number }): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await bulk(ground, { count, zones: 1 });
    await deleteAll(ground);
  }
}
