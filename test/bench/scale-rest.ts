// The operator among many records that are in sync: a restart, one change, and nothing at all.

import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { counters, memory } from './processes.ts';
import { costs, create, type Ground, newRecords, printCosts } from './scale-bulk.ts';
import { figure } from './statistics.ts';
import { print } from './support.ts';

const LIMIT_MS = 60_000;
const QUIET_MS = 3_000;
const LOOK_MS = 100;

/** Ends the operator and starts it again; in sync when its CPU has been idle for a while. */
export async function restart(ground: Ground): Promise<void> {
  const { stack, signal } = ground;
  await stack.operator.stop('operator');
  const before = await costs(ground);
  const start = performance.now();
  const { pid } = await stack.operator.start('operator');
  const ready = performance.now() - start;
  // A record made now is behind all that the start has to look at.
  let busy = performance.now();
  let cpu = 0;
  for (;;) {
    await delay(LOOK_MS, signal);
    const now = await costs(ground).then(({ cpu: each }) => each.operator ?? 0);
    if (now - cpu > 0.03) busy = performance.now();
    cpu = now;
    if (performance.now() - busy > QUIET_MS) break;
  }
  print(
    `restart among ${ground.made.length}: ready ${figure(ready / 1000)} s, quiet after ${figure((busy - start) / 1000)} s`,
  );
  const after = await costs(ground);
  printCosts({ ...before, cpu: { ...before.cpu, operator: 0 } }, after, 1);
  print(`  requests to the service: ${said(await requests(ground), {})}`);
  print(`  operator: ${figure((await memory(pid)).now)} MiB resident, ${figure((await memory(pid)).peak)} at most`);
}

/** New records one after the other, and edits of one that is there. */
export async function oneAmong(ground: Ground, rounds: number): Promise<Record<string, number[]>> {
  const { api, records, signal } = ground;
  const samples: Record<string, number[]> = { 'one new: apply → Ready': [], 'one edited: apply → Ready': [] };
  for (const made of newRecords(rounds, 1)) {
    const start = performance.now();
    await create(ground, made);
    samples['one new: apply → Ready']?.push((await records.ready(made.object, 1, LIMIT_MS)) - start);
    ground.made.push(made);
  }
  for (const { object } of ground.made.slice(0, rounds)) {
    const start = performance.now();
    const patch = { spec: { ttl: 120 } };
    const { metadata } = await api.merge<DNSRecord>(
      DNS_RECORD,
      { namespace: 'default', name: object },
      patch,
      {},
      signal,
    );
    const seen = await records.ready(object, metadata.generation ?? 0, LIMIT_MS);
    samples['one edited: apply → Ready']?.push(seen - start);
  }
  return samples;
}

/** Nothing happens for that long. */
export async function steady(ground: Ground, ms: number): Promise<void> {
  const asked = await requests(ground);
  const before = await costs(ground);
  await delay(ms, ground.signal);
  const after = await costs(ground);
  const cpu = (after.cpu.operator ?? 0) - (before.cpu.operator ?? 0);
  print(`steady for ${figure(ms / 1000)} s: the operator took ${figure((cpu / ms) * 100_000)} % of a core`);
  print(`  requests to the service: ${said(await requests(ground), asked)}`);
  printCosts(before, after, 1);
}

/** The operator's, by method. */
function requests({ stack }: Ground): Promise<Record<string, number>> {
  return counters(stack.operator.part('operator').pid, 'service_requests_total', 'method');
}

function said(now: Record<string, number>, before: Record<string, number>): string {
  const more = Object.entries(now).map(([method, count]) => ({ method, count: count - (before[method] ?? 0) }));
  return more.map(({ method, count }) => `${method} ${count}`).join(', ');
}
