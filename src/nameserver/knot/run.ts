// One run of knotd, as other processes see it.
import { statSync } from 'node:fs';
import type { KnotFolder } from './folder.ts';

/**
 * The same text during one run of knotd, which makes its control socket at each start; null if there is no socket. It
 * is asked for twice a second: a call that waits for another thread would cost ten times as much.
 */
export function runOf({ socket }: KnotFolder): string | null {
  try {
    const made = statSync(socket);
    return `${made.ino}:${made.ctimeMs}`;
  } catch {
    return null;
  }
}
