// NSD as a part: Debian's nsd, as a secondary.
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import type { SecondaryServer } from './secondary.ts';

/** nsd; installed when it is missing and that may be done. */
export async function ensureNsd(options: { progress: Progress; signal: AbortSignal }): Promise<SecondaryServer> {
  const { nsd } = await ensureTools([{ command: 'nsd', package: 'nsd' }], options);
  // -d: in the foreground. -u with an empty name: as this user, because the account nsd may not write to the folder.
  return { name: 'nsd', command: nsd as string, args: ['-d', '-u', '', '-c'] };
}
