// BIND as a part: Debian's named, as a secondary.
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import type { SecondaryServer } from './secondary.ts';
import { ensureUnpacked } from './unpacked.ts';

/**
 * named.
 * @param version `host`: that of this machine, installed if it is missing and that may be done. `13`: that of Debian
 * 13, from unpacked packages. (Default: `host`.)
 */
export async function ensureBind({
  version = 'host',
  progress,
  signal,
}: {
  version?: 'host' | '13';
  progress: Progress;
  signal: AbortSignal;
}): Promise<SecondaryServer> {
  const options = { progress, signal };
  const { named } =
    version === 'host'
      ? await ensureTools([{ command: 'named', package: 'bind9' }], options)
      : await ensureUnpacked({ packages: ['bind9'], programs: ['usr/sbin/named'], ...options });
  // -g: in the foreground, with the log on standard error.
  return { name: 'bind', command: named as string, args: ['-g', '-c'] };
}
