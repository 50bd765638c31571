// One run of knotd, as other processes see it.
import { stat } from 'node:fs/promises';
import type { KnotFolder } from './folder.ts';

/** The same text during one run of knotd, which makes its control socket at each start; null if there is no socket. */
export async function runOf({ socket }: KnotFolder): Promise<string | null> {
  const made = await stat(socket).catch(() => null);
  return made === null ? null : `${made.ino}:${made.ctimeMs}`;
}
