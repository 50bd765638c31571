// The things that a node leaves on the machine while it runs, and must not leave when it has stopped.
import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

/** The names that distinguish the things of one node from those of others on the same machine. */
export interface NodeMarks {
  /** The folder with its state. */
  home: string;
  /** The host's end of the way to it. */
  link: string;
  /** Its folder in each cgroup hierarchy. */
  cgroup: string;
}

const SYSCTLS = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward'];

/** Everything of this node that is on the machine now, in words. */
export async function findTraces({ home, link, cgroup }: NodeMarks): Promise<string[]> {
  const traces: string[] = [];
  if (existsSync(home)) traces.push(`folder ${home}`);
  if (link in networkInterfaces()) traces.push(`interface ${link}`);
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').filter((line) => line.includes(home));
  traces.push(...mounts.map((line) => `mount ${line}`));
  for await (const folder of glob(`/sys/fs/cgroup/{,*/}${cgroup}`)) traces.push(`cgroup ${folder}`);
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(home)) traces.push(`process ${command.replaceAll('\0', ' ')}`);
  }
  return traces;
}

/** Settings of the whole machine that components of a node like to change. */
export async function machineSettings(): Promise<Record<string, string>> {
  const values = SYSCTLS.map(async (name) => [name, await readFile(`/proc/sys/${name}`, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(values));
}
