// The memory of containers as the kernel counts it, for a node that runs on this machine.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestNode } from './node.ts';
import type { Container } from './release.ts';

export interface Memory {
  /** The memory that the kernel cannot take back at once (kubelet: working set), in MiB. */
  used: number;
  /** The most that was charged since the start of the container, with the page cache of files, in MiB. */
  peak: number;
  /** Processes that the kernel has killed at the limit. A container runs on if that was not its first process. */
  kills: number;
}

/** By the name of the container. @throws when a container does not run here */
export async function measureMemory(node: TestNode, containers: readonly Container[]): Promise<Record<string, Memory>> {
  const measured: Record<string, Memory> = {};
  for (const { name, id } of containers) measured[name] = await memoryOf(await cgroupOf(node, id));
  return measured;
}

/** In version 1 of cgroups the hierarchy of memory is a folder of its own. */
async function cgroupOf({ marks }: TestNode, id: string): Promise<string> {
  for (const root of ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']) {
    for await (const found of glob(join(root, marks.cgroup, '**', `*${id}*`))) return found;
  }
  throw new Error(`no cgroup of container ${id}`);
}

async function memoryOf(cgroup: string): Promise<Memory> {
  const read = async (...files: string[]) => {
    for (const file of files) {
      const text = await readFile(join(cgroup, file), 'utf8').catch(() => undefined);
      if (text !== undefined) return text;
    }
    return '0';
  };
  const usage = Number(await read('memory.usage_in_bytes', 'memory.current'));
  const peak = Number(await read('memory.max_usage_in_bytes', 'memory.peak'));
  const stat = await read('memory.stat');
  const inactive = Number(/^(?:total_)?inactive_file (\d+)$/m.exec(stat)?.[1] ?? 0);
  const total = Number(/^total_inactive_file (\d+)$/m.exec(stat)?.[1] ?? inactive);
  const events = await read('memory.oom_control', 'memory.events');
  const kills = Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0);
  return { used: toMiB(usage - total), peak: toMiB(peak), kills };
}

const toMiB = (octets: number) => Math.round(octets / 1024 / 1024);
