// The program as the image has it, for measurements of its processes: Node removes no types, and reads no compiled
// code.
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { layDown } from '../../../deploy/image/rootfs.ts';
import { sources } from '../../../deploy/image/sources.ts';

const PROJECT = new URL('../../../', import.meta.url).pathname;

/** Lays the program down in an empty folder. Its processes need `IMAGE_ENVIRONMENT`. @returns its first module */
export async function imageProgram(folder: string): Promise<string> {
  await layDown(await sources(PROJECT), folder);
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'app/node_modules'));
  return join(folder, 'app/main.js');
}

export const IMAGE_ENVIRONMENT = { NODE_DISABLE_COMPILE_CACHE: '1' };

/** The most memory that a process ever had, in MB. */
export async function peakMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1]) * 1024) / 1e6);
}
