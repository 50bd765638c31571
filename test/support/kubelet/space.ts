// The isolated space of one node on this machine: process, mount and network namespace, a network link to the host, and
// a cgroup.
//
// Everything inside depends on one process, the first of the process namespace. When that process ends (by stop(), or
// by the kernel's death signal when its parent dies), the kernel kills every process inside; with the last process it
// removes mounts, interfaces, routes and packet filter rules. Only the cgroup must be removed separately. Nothing of
// the host changes: files cover the sysctls that a kubelet sets, and a tmpfs covers each folder that it writes.

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Family } from '#base/families.ts';
import { type RunResult, runCommand } from '../../../deploy/local/parts/commands.ts';
import { type Part, startProcess } from '../../../deploy/local/parts/process.ts';
import { delay } from '../../../deploy/local/parts/wait.ts';
import { type Families, type NodeNetwork, nodeNetworks } from './networks.ts';

/** So many nodes can be on one machine at once. */
const PLACES = 32;
const CGROUPS = '/sys/fs/cgroup';
const COMMAND_LIMIT_MS = 180_000;
/** Folders that the components write and that no setting moves: each is an empty tmpfs inside. */
const COVERED_FOLDERS = ['/run', '/var/lib', '/var/log', '/usr/libexec'];
/** Sysctls of the whole machine that a kubelet sets at its start, with the values it wants. */
const COVERED_SYSCTLS = { 'vm/overcommit_memory': '1', 'kernel/panic': '10', 'kernel/panic_on_oops': '1' };

/** Per network namespace (ip-sysctl): the host does not forward for it. */
const FORWARDING: Readonly<Record<Family, string>> = { 4: 'ipv4/ip_forward', 6: 'ipv6/conf/all/forwarding' };

export interface Space {
  /** One for each family of the cluster, that of the primary family first. */
  networks: readonly [NodeNetwork, ...NodeNetwork[]];
  /** Path below each cgroup hierarchy. */
  cgroup: string;
  /** The host's end of the way between. */
  link: string;
  /** Starts a long-running program inside. */
  start(
    name: string,
    command: string,
    args: readonly string[],
    options: { logFile: string; env?: NodeJS.ProcessEnv },
  ): Part;
  /** Runs a program inside to its end. @throws with its last lines when its code is not 0 */
  run(command: string, args: readonly string[]): Promise<RunResult>;
  /** Ends everything inside; nothing is left. Repeating it is fine. */
  stop(): Promise<void>;
}

/**
 * @param init first process inside: it reaps children and ends on SIGTERM (our pause)
 * @param families those of the cluster
 * @throws when this machine does not allow namespaces
 */
export async function openSpace({
  init,
  families,
  stateDir,
  signal,
}: {
  init: string;
  families: Families;
  stateDir: string;
  signal: AbortSignal;
}): Promise<Space> {
  const holder = startProcess({
    name: 'space',
    command: 'unshare',
    args: ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL', '--', init],
    logFile: join(stateDir, 'space.log'),
    deathSignal: 'SIGKILL',
  });
  let place: number | undefined;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      await holder.stop({ signal: 'SIGKILL' });
      if (place !== undefined) {
        await host(['ip', 'link', 'delete', linkName(place)], signal).catch(() => {});
        await removeCgroups(cgroupName(place));
      }
    })();
    return stopping;
  };
  try {
    const first = await firstInside(holder, init, signal);
    const enter = ['--target', String(first), '--net', '--mount', '--pid', '--'];
    const run = (command: string, args: readonly string[]) => checked('nsenter', [...enter, command, ...args], signal);
    place = await takePlace(first, signal);
    const networks = nodeNetworks(place, families);
    for (const network of networks) await connect(network, linkName(place), run, signal);
    await cover(stateDir, run);
    await makeCgroups(cgroupName(place));
    return {
      networks,
      cgroup: cgroupName(place),
      link: linkName(place),
      start: (name, command, args, options) =>
        startProcess({
          name,
          command: 'nsenter',
          args: [...enter, command, ...args],
          deathSignal: 'SIGKILL',
          ...options,
        }),
      run,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const linkName = (place: number) => `zs-node${place}`;
const cgroupName = (place: number) => `zonestead-node${place}`;

/** The child of `unshare`, as the host numbers it, once it has become `init`. */
async function firstInside(holder: Part, init: string, signal: AbortSignal): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').catch(() => '');
    const child = Number(children.trim().split(' ')[0] || 0);
    const command = child > 0 ? await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '') : '';
    if (command.startsWith(init)) return child;
    await delay(20, signal);
    signal.throwIfAborted();
  }
  throw new Error(`this machine gives no namespaces of our own:\n${await holder.tail(5)}`);
}

/** The interface is the claim: only one can have its name. */
async function takePlace(first: number, signal: AbortSignal): Promise<number> {
  for (let place = 0; place < PLACES; place++) {
    const peer = ['peer', 'name', 'eth0', 'netns', String(first)];
    const { code, tail } = await host(['ip', 'link', 'add', linkName(place), 'type', 'veth', ...peer], signal);
    if (code === 0) return place;
    if (!/File exists/.test(tail)) throw new Error(`no network of our own on this machine: ${tail}`);
  }
  throw new Error(`${PLACES} test nodes are running on this machine`);
}

/** The way between host and node in one family. */
async function connect(network: NodeNetwork, link: string, run: Space['run'], signal: AbortSignal): Promise<void> {
  const { family, host, node, prefix, podRange, serviceRange } = network;
  // No other machine is on this link, and a search for one (RFC 4862 section 5.4) would delay the first packets.
  const settled = family === 6 ? ['nodad'] : [];
  const outside = [
    ['addr', 'add', `${host}/${prefix}`, 'dev', link, ...settled],
    ['link', 'set', link, 'up'],
  ];
  for (const args of outside) await checked('ip', args, signal);
  const inside = [
    ['link', 'set', 'lo', 'up'],
    ['addr', 'add', `${node}/${prefix}`, 'dev', 'eth0', ...settled],
    ['link', 'set', 'eth0', 'up'],
    [`-${family}`, 'route', 'add', 'default', 'via', host],
  ];
  for (const args of inside) await run('ip', args);
  for (const range of [podRange, serviceRange]) await checked('ip', ['route', 'add', range, 'via', node], signal);
  await run('sh', ['-c', `echo 1 > /proc/sys/net/${FORWARDING[family]}`]);
}

async function cover(stateDir: string, run: Space['run']): Promise<void> {
  for (const folder of COVERED_FOLDERS) await run('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder]);
  const folder = join(stateDir, 'sysctl');
  await mkdir(folder, { recursive: true });
  for (const [name, value] of Object.entries(COVERED_SYSCTLS)) {
    const file = join(folder, name.replace('/', '.'));
    await writeFile(file, `${value}\n`);
    await run('mount', ['--bind', file, `/proc/sys/${name}`]);
  }
}

/** In every hierarchy of version 1, or in the one of version 2. */
async function hierarchies(): Promise<string[]> {
  if (existsSync(join(CGROUPS, 'cgroup.controllers'))) return [CGROUPS];
  const entries = await readdir(CGROUPS, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(CGROUPS, name));
}

async function makeCgroups(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    await mkdir(join(hierarchy, name), { recursive: true });
    // Version 1: a cpuset is born empty, and takes no process before it has processors and memory (cpusets(7)).
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const parent = join(hierarchy, file);
      if (/\/cpuset$/.test(hierarchy)) await writeFile(join(hierarchy, name, file), await readFile(parent, 'utf8'));
    }
  }
}

async function removeCgroups(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) await removeTree(join(hierarchy, name));
}

/** Its children first; a cgroup stays busy for a moment after its last process. */
async function removeTree(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  }
  const { signal } = new AbortController();
  for (let attempt = 0; ; attempt++) {
    try {
      return await rmdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      if (attempt === 100) throw error;
      await delay(50, signal);
    }
  }
}

function host([command, ...args]: readonly string[], signal: AbortSignal): Promise<RunResult> {
  return runCommand({ command: command as string, args, timeoutMs: COMMAND_LIMIT_MS, signal });
}

async function checked(command: string, args: readonly string[], signal: AbortSignal): Promise<RunResult> {
  const result = await runCommand({ command, args, timeoutMs: COMMAND_LIMIT_MS, signal });
  if (result.code !== 0) throw new Error(`${command} ${args.join(' ')} failed (code ${result.code}): ${result.tail}`);
  return result;
}
