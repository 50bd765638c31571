// A folder in memory for the data of the Postgres that all files share. On ext4, making and dropping a database for
// each file takes 0.4 s of processor time more: the file system avoids inodes that were freed in the last minutes, and
// looks at each of them (`recently_deleted` in Linux).
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, processIdentity } from '../../../deploy/local/parts/liveness.ts';

const MEMORY = '/dev/shm';
/** A run uses about 1 GiB, most of it for the write-ahead log. Containers often have 64 MiB. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/**
 * A new folder in memory, or in the folder for temporary files on a machine with little memory. The caller removes it.
 */
export async function memoryFolder(name: string): Promise<string> {
  const prefix = `zonestead-${name}-`;
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  if (free < ENOUGH_BYTES) return mkdtemp(join(tmpdir(), prefix));
  await removeLeftovers(prefix);
  return mkdtemp(join(MEMORY, `${prefix}${processIdentity(process.pid)}-`));
}

/** Folders of runs that were killed would take memory until the machine restarts. */
async function removeLeftovers(prefix: string): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    if (!name.startsWith(prefix)) continue;
    const owner = name.slice(prefix.length).split('-')[0] ?? '';
    if (!isAlive(owner)) await rm(join(MEMORY, name), { recursive: true, force: true });
  }
}
