// One run of knotd, as other processes see it.
import { statSync } from 'node:fs';
import type { KnotFolder } from './folder.ts';

/**
 * A text that identifies one run of knotd: knotd makes a new control socket each time it starts. Null if there is no
 * socket. The call is synchronous because it runs twice a second, and an asynchronous one costs ten times as much.
 */
export function identifyRun({ socket }: KnotFolder): string | null {
  try {
    const socketStats = statSync(socket);
    return `${socketStats.ino}:${socketStats.ctimeMs}`;
  } catch {
    return null;
  }
}
