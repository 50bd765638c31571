// The costs of work at scale: processor time of each part, requests at kube-apiserver, and changes at the service.
import type { Sql } from 'postgres';
import type { Stack } from '../../deploy/local/stack.ts';
import { counters, cpuSeconds } from './processes.ts';
import { figure } from './statistics.ts';
import { print } from './support.ts';

const BESIDE: ReadonlySet<string> = new Set(['kube-apiserver', 'etcd', 'kube-controller-manager']);
/** The writes of the operator at kube-apiserver. The creations and deletions of its objects are the user's. */
const WRITTEN = /^apiserver_request_total\{(.*resource="(dnsrecords|dnszones|events)".*)\} ([\d.e+]+)$/;
const WRITES: ReadonlySet<string> = new Set(['PATCH', 'APPLY', 'PUT']);

export interface Costs {
  /** Seconds of processor time until the count of requests began, and after it, because the count takes some itself. */
  cpuBefore: Record<string, number>;
  cpuAfter: Record<string, number>;
  /** Writes at kube-apiserver: of the status of DNSRecords, of other parts of them, of DNSZones, and of Events. */
  writes: Record<'status' | 'object' | 'zones' | 'Events', number>;
  /** Requests of the operator to the service, by method. */
  requests: Record<string, number>;
  changes: number;
}

/** Everything that has been spent since the start. */
export async function costs({ stack, sql }: { stack: Stack; sql: Sql }): Promise<Costs> {
  const pids = Object.fromEntries(stack.parts().map(({ name, pid }) => [name, pid]));
  const cpuBefore = await cpuSeconds(pids);
  const metrics = await stack.cluster.kubectl(['get', '--raw', '/metrics']);
  const writes = { status: 0, object: 0, zones: 0, Events: 0 };
  for (const line of metrics.split('\n')) {
    const [, labels = '', resource = '', count] = WRITTEN.exec(line) ?? [];
    const verb = /verb="([A-Z]+)"/.exec(labels)?.[1] ?? '';
    if (resource === 'events') writes.Events += WRITES.has(verb) || verb === 'POST' ? Number(count) : 0;
    else if (!WRITES.has(verb)) continue;
    else if (resource === 'dnszones') writes.zones += Number(count);
    else writes[/subresource="status"/.test(labels) ? 'status' : 'object'] += Number(count);
  }
  const [row] = await sql`select count(*)::integer as count from changes`;
  const requests = pids.operator === undefined ? {} : await counters(pids.operator, 'service_requests_total', 'method');
  return { cpuBefore, cpuAfter: await cpuSeconds(pids), writes, requests, changes: row?.count as number };
}

/** The differences of two costs. */
export interface Spent {
  /** Seconds of processor time, by part. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly writes: Costs['writes'];
  readonly requests: Costs['requests'];
  readonly changes: number;
}

/** @param restarted a part that was started again in between, whose time began at zero. */
export function spentBetween(before: Costs, after: Costs, restarted?: string): Spent {
  const since = (part: string) => (part === restarted ? 0 : (before.cpuAfter[part] ?? 0));
  const cpu = Object.entries(after.cpuBefore).map(([part, sum]) => [part, sum - since(part)]);
  const writes = { ...after.writes };
  for (const kind of Object.keys(writes) as (keyof typeof writes)[]) writes[kind] -= before.writes[kind];
  const requests = Object.entries(after.requests).map(([method, sum]) => [
    method,
    sum - (restarted === undefined ? (before.requests[method] ?? 0) : 0),
  ]);
  return {
    cpu: Object.fromEntries(cpu),
    writes,
    requests: Object.fromEntries(requests),
    changes: after.changes - before.changes,
  };
}

/** @param count the number of records that it was spent for */
export function printSpent({ cpu, writes, requests, changes }: Spent, count: number): void {
  const entries = Object.entries(cpu);
  const sum = (beside: boolean) =>
    entries.filter(([name]) => BESIDE.has(name) === beside).reduce((total, [, each]) => total + each, 0);
  print(`  CPU ${figure(sum(false))} s of ours, ${figure(sum(true))} s of the rest:`);
  print(`    ${entries.map(([name, each]) => `${name} ${figure(each)}`).join(', ')}`);
  const per = (kind: keyof Costs['writes']) => figure(writes[kind] / count);
  print(`  Kubernetes writes a record: status ${per('status')}, object ${per('object')}; Events ${per('Events')}`);
  print(`  Kubernetes writes of DNSZones: ${writes.zones}; changes at the service: ${changes}`);
  print(
    `  requests to the service: ${Object.entries(requests)
      .map((each) => each.join(' '))
      .join(', ')}`,
  );
}
