// NSD as a part: Debian's nsd, as a secondary.
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import type { SecondaryServer } from './secondary.ts';
import { ensureUnpacked } from './unpacked.ts';

/**
 * nsd.
 * @param version `host`: that of this machine, installed if it is missing and that may be done. `13`: that of Debian
 * 13, from unpacked packages. (Default: `host`.)
 */
export async function ensureNsd({
  version = 'host',
  progress,
  signal,
}: {
  version?: 'host' | '13';
  progress: Progress;
  signal: AbortSignal;
}): Promise<SecondaryServer> {
  const options = { progress, signal };
  const { nsd } =
    version === 'host'
      ? await ensureTools([{ command: 'nsd', package: 'nsd' }], options)
      : await ensureUnpacked({ packages: ['nsd'], programs: ['usr/sbin/nsd'], ...options });
  // -d: in the foreground. -u with an empty name: as this user, because the account nsd may not write to the folder.
  return { name: 'nsd', command: nsd as string, args: ['-d', '-u', '', '-c'] };
}
