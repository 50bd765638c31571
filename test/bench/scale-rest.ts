// The operator among many records that are in sync: a restart, one change, and nothing at all.

import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { printBar } from './bars.ts';
import { counters, cpuSeconds, memory } from './processes.ts';
import { create, type Ground, newRecords } from './scale-bulk.ts';
import { costs, printSpent, type Spent, spentBetween } from './scale-costs.ts';
import { figure, quantile } from './statistics.ts';
import { print } from './support.ts';

const LIMIT_MS = 60_000;
const QUIET_MS = 3_000;
/** The status of a DNSZone follows its records after 10 s. */
const SETTLE_MS = 15_000;
const LOOK_MS = 100;

/**
 * Ends the operator and starts it again; in sync when its CPU has been idle for a while. @param most the most seconds
 * until then
 */
export async function restart(ground: Ground, most: number): Promise<void> {
  const { stack, signal } = ground;
  await delay(SETTLE_MS, signal);
  await stack.operator.stop('operator');
  const before = await costs(ground);
  const start = performance.now();
  const { pid } = await stack.operator.start('operator');
  const ready = performance.now() - start;
  let busy = performance.now();
  let cpu = 0;
  for (;;) {
    await delay(LOOK_MS, signal);
    signal.throwIfAborted();
    const { now = 0 } = await cpuSeconds({ now: pid });
    if (now - cpu > 0.03) busy = performance.now();
    cpu = now;
    if (performance.now() - busy > QUIET_MS) break;
  }
  const quiet = (busy - start) / 1000;
  print(`restart among ${ground.made.length}: ready ${figure(ready / 1000)} s, quiet after ${figure(quiet)} s`);
  const spent = spentBetween(before, await costs(ground), 'operator');
  printSpent(spent, 1);
  print(`  requests to the service: ${said(await requests(ground), {})}`);
  const rss = await memory(pid);
  print(`  operator: ${figure(rss.now)} MiB resident, ${figure(rss.peak)} at most`);
  printBar({ what: 'restart, quiet', value: quiet, most, unit: 's' });
  printWritesBar(spent);
}

/** No write of an object, no Event, and no change at the service. */
function printWritesBar({ writes, changes }: Spent): void {
  const value = Object.values(writes).reduce((sum, each) => sum + each, changes);
  printBar({ what: 'writes', value, most: 0, unit: '' });
}

/** New records one after the other, and edits of one that is there. */
export async function oneAmong(ground: Ground, rounds: number, most: number): Promise<Record<string, number[]>> {
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
  const median = quantile(samples['one new: apply → Ready'] ?? [], 0.5);
  printBar({ what: `one among ${ground.made.length}, Ready, median`, value: median, most, unit: 'ms' });
  return samples;
}

/** Nothing happens for that long. @param most the most of a core that the operator may use, in percent */
export async function steady(ground: Ground, ms: number, most: number): Promise<void> {
  await delay(SETTLE_MS, ground.signal);
  const asked = await requests(ground);
  const before = await costs(ground);
  await delay(ms, ground.signal);
  ground.signal.throwIfAborted();
  const spent = spentBetween(before, await costs(ground));
  const share = ((spent.cpu.operator ?? Number.NaN) / ms) * 100_000;
  print(`steady for ${figure(ms / 1000)} s: the operator took ${figure(share)} % of a core`);
  print(`  requests to the service: ${said(await requests(ground), asked)}`);
  printSpent(spent, 1);
  printBar({ what: 'operator at rest', value: share, most, unit: '% of a core' });
  printWritesBar(spent);
}

/** The operator's, by method. */
function requests({ stack }: Ground): Promise<Record<string, number>> {
  return counters(stack.operator.part('operator').pid, 'service_requests_total', 'method');
}

function said(now: Record<string, number>, before: Record<string, number>): string {
  const more = Object.entries(now).map(([method, count]) => ({ method, count: count - (before[method] ?? 0) }));
  return more.map(({ method, count }) => `${method} ${count}`).join(', ');
}
