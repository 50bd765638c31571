// The logins of a person: the addresses of services with the keys for them, in one file that only this person can read.
// Each has a name, its context.
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { configFolder } from '#config.ts';
import { isReadableByOthers, readJudged } from '../private-file.ts';

/** A person has a few; the file stays small. */
const MAX_CONTEXTS = 100;
const MAX_FILE = 1024 * 1024;

const login = z.object({ url: z.string(), caFile: z.string().optional(), key: z.string() });
const logins = z.object({ current: z.string().nullable(), contexts: z.record(z.string(), login) });

export type Login = z.infer<typeof login>;
/** `current` is the context of commands that name none. */
export type Logins = z.infer<typeof logins>;

export const loginsFile = (): string => join(configFolder(), 'contexts.json');

/**
 * None if there is no file.
 * @throws Error that says how to repair the file: no message has a part of its text
 */
export async function readLogins(file = loginsFile()): Promise<Logins> {
  const text = await readPrivate(file);
  if (text === null) return { current: null, contexts: {} };
  try {
    return logins.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is not a file of "zonestead login"; delete it, and log in again`);
  }
}

/** @throws Error if other accounts can read the file, or if it is too large */
async function readPrivate(file: string): Promise<string | null> {
  const judge = (found: Stats) => {
    if (isReadableByOthers(found))
      throw new Error(`other accounts can read ${file}, which holds keys; run "chmod 600 ${file}"`);
    if (!found.isFile() || found.size > MAX_FILE)
      throw new Error(`${file} is not a file of "zonestead login"; delete it, and log in again`);
  };
  return readJudged(file, judge).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error.code === undefined ? error : new Error(`${file} cannot be read (${error.code})`);
  });
}

/**
 * Replaces the file as a whole, so that a crash leaves the former one. Mode 600, in a folder of mode 700.
 * @throws Error of the file system, and for more than 100 contexts
 */
export async function writeLogins(changed: Logins, file = loginsFile()): Promise<void> {
  if (Object.keys(changed.contexts).length > MAX_CONTEXTS)
    throw new Error(`there are ${MAX_CONTEXTS} contexts already; remove one with "zonestead logout <context>"`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${randomUUID()}`;
  try {
    const handle = await open(next, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(changed, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** @throws Error that lists the contexts if there is none of this name */
export function loginNamed({ contexts }: Logins, name: string): Login {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(contexts);
  const known = names.length === 0 ? 'there is no context yet' : `your contexts are ${names.join(', ')}`;
  throw new Error(
    `there is no context ${JSON.stringify(name)}; ${known}. "zonestead login <address> --context ${name}" creates it`,
  );
}
