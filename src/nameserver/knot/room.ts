// The free space of the disk that a change needs. knotd writes its journal through a memory map: on a full disk, the
// kernel ends knotd with SIGBUS, and no zone is answered any more. So the node makes no change when the disk is nearly
// full.
import { statfsSync } from 'node:fs';
import { isRefusal, KnotError } from './errors.ts';

const MIB = 1024 * 1024;
/** Space that knotd itself may need, for instance to renew signatures. On a small disk, it is a tenth of the disk. */
const RESERVE_BYTES = 64 * MIB;
/** An RRset with its signature and NSEC takes about 400 octets in the journal; a change holds it twice. */
const SET_BYTES = 1_024;

export interface Disk {
  readonly size: number;
  readonly free: number;
}

/** The octets that must be free for a change of so many RRsets. Pure. */
export function neededBytes({ size }: Pick<Disk, 'size'>, sets: number): number {
  return Math.min(RESERVE_BYTES, size / 10) + sets * SET_BYTES;
}

/** @throws KnotError if the disk has no room for the change; it names the free and the needed space */
export async function checkRoom(folder: string, sets: number, read: (folder: string) => Promise<Disk> = measureDisk) {
  const disk = await read(folder);
  const neededSpace = neededBytes(disk, sets);
  if (disk.free >= neededSpace) return;
  const mebibytes = (octets: number) => `${Math.ceil(octets / MIB)} MiB`;
  throw new KnotError(
    'refused',
    'disk full',
    `the disk of the name server is full: ${mebibytes(disk.free)} of ${folder} are free, and ${mebibytes(neededSpace)} must be. Make room, or enlarge the volume; the node serves the old records until then`,
  );
}

/**
 * @throws the failure of a commit; if the journal has reached its size (disk.ts), the message says how to enlarge it
 */
export function explainFullJournal(error: unknown): never {
  if (!isRefusal(error, 'not enough space provided')) throw error;
  throw new KnotError(
    'refused',
    'journal full',
    'the zone does not fit into the journal of the name server. Enlarge the volume and ZONESTEAD_KNOT_DISK; the node serves the old records until then',
  );
}

/** @throws if the folder does not exist */
export async function measureDisk(folder: string): Promise<Disk> {
  // It takes less time than the change to another thread.
  const { bsize, blocks, bavail } = statfsSync(folder);
  return { size: blocks * bsize, free: bavail * bsize };
}
