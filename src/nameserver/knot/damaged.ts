// Databases of a knotd that does not run, and that knotd could not open or that would end it: after a crash of the
// machine, or with a bad disk. Their files are set aside, and the node gets everything that was in them from the api
// again: zones, keys, secondaries.
import { existsSync, statSync } from 'node:fs';
import { rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnotFolder } from './folder.ts';
import { findDamage } from './lmdb.ts';

/** The folders, and what the node does about the loss. */
const DATABASES = {
  configuration: 'the node adds its zones again',
  journal: 'the node reads the zones again',
  keys: 'the node imports the keys again',
  timers: 'nothing else is lost',
} as const;

export type KnotDatabase = keyof typeof DATABASES;

const FILE = 'data.mdb';
const LOCK = 'lock.mdb';
/** The former one is replaced. */
const ASIDE = 'data.mdb.damaged';
/** A file that takes more than this part of the free space is deleted, because knotd needs as much again. */
const KEPT_PART = 0.5;

export function databaseFile({ confdb, storage }: KnotFolder, database: KnotDatabase): string {
  return join(database === 'configuration' ? confdb : join(storage, database), FILE);
}

/**
 * Sets all damaged databases aside.
 * @param warn gets a text for each of them
 * @throws Error with the remedy if a file may not be read and written: it is not damaged then, and stays
 */
export async function setDamagedAside(folder: KnotFolder, warn: (text: string) => void): Promise<void> {
  for (const database of Object.keys(DATABASES) as KnotDatabase[]) {
    const file = databaseFile(folder, database);
    if (!existsSync(file)) continue;
    const damage = damageOfReadable(file);
    if (damage !== null) warn(await setAside(folder, database, damage));
  }
}

/** @returns the text for the log */
export async function setAside(folder: KnotFolder, database: KnotDatabase, damage: string): Promise<string> {
  const file = databaseFile(folder, database);
  const aside = join(file, '..', ASIDE);
  const isKept = await hasRoom(file);
  if (isKept) await rename(file, aside);
  else await rm(file);
  await rm(join(file, '..', LOCK), { force: true });
  const fate = isKept ? `It is kept as ${aside}` : 'It is deleted, because the disk has no room to keep it';
  return `The ${database} database ${file} is damaged: ${damage}. ${fate}, and ${DATABASES[database]}.`;
}

async function hasRoom(file: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(join(file, '..'));
  return statSync(file).blocks * 512 <= bavail * bsize * KEPT_PART;
}

function damageOfReadable(file: string): string | null {
  try {
    return findDamage(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `${file} cannot be opened for reading and writing (${code ?? message}). ` +
        'Give the file to the user that runs knotd (chown, chmod u+rw), or make its disk writable.',
    );
  }
}
