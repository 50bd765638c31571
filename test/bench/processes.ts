// The cost of the parts of a stack: CPU time and memory of a process and all processes that it started, from /proc.
import { readdir, readFile } from 'node:fs/promises';

/** proc(5): clock ticks a second, on every Linux that Node runs on. */
const TICKS = 100;

interface Stat {
  parent: number;
  /** The time of the process and of its children that have ended, in seconds. */
  cpu: number;
}

/** CPU seconds so far of each process together with its descendants. */
export async function cpuSeconds(pids: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  const stats = await readStats();
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of stats) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const total = (pid: number): number =>
    (stats.get(pid)?.cpu ?? 0) + (children.get(pid) ?? []).reduce((sum, child) => sum + total(child), 0);
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, total(pid)]));
}

/** Resident memory in MiB: now, and the most it ever was. */
export async function memory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

/**
 * Sums of counters that one of our own processes shows at /metrics, by the given label.
 * @param labels only lines with these other labels, for example `kind="DNSRecord"`. Absent: all.
 */
export async function counters(
  pid: number,
  name: string,
  label: string,
  labels: readonly string[] = [],
): Promise<Record<string, number>> {
  // A part that was stopped for a while has no counters.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => null);
  if (environment === null) return {};
  const listen = /(?:^|\0)ZONESTEAD_HEALTH_LISTEN=([^\0]+)/.exec(environment)?.[1];
  const text = await (await fetch(`http://${listen}/metrics`)).text();
  const sums: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const [, found = '', value] = new RegExp(`^zonestead_${name}\\{(.*)\\} ([\\d.e+]+)$`).exec(line) ?? [];
    const by = new RegExp(`${label}="([^"]*)"`).exec(found)?.[1];
    if (by !== undefined && labels.every((each) => found.includes(each))) sums[by] = (sums[by] ?? 0) + Number(value);
  }
  return sums;
}

async function readStats(): Promise<Map<number, Stat>> {
  const stats = new Map<number, Stat>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end while we look.
    const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => null);
    if (text === null) continue;
    // The command, in parentheses, may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
    const cpu = ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) / TICKS;
    stats.set(Number(entry), { parent: Number(fields[1]), cpu });
  }
  return stats;
}
