// The memory of knotd. In a pod, knotd runs in another container: its process is not visible here, and the number in
// its PID file may be that of another process.
import { readFile } from 'node:fs/promises';
import type { KnotFolder } from './folder.ts';

/** The resident memory of the knotd of this folder in bytes; null if its process is not visible. */
export async function knotMemory(folder: KnotFolder, proc = '/proc'): Promise<number | null> {
  try {
    const pid = Number.parseInt(await readFile(folder.pidFile, 'utf8'), 10);
    const command = (await readFile(`${proc}/${pid}/cmdline`, 'utf8')).split('\0');
    if (![folder.confdb, folder.configuration].some((path) => command.includes(path))) return null;
    const status = await readFile(`${proc}/${pid}/status`, 'utf8');
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
