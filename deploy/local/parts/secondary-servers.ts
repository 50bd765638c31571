// BIND and NSD as parts: the programs of Debian, as secondaries.
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import type { SecondaryServer } from './secondary.ts';
import { ensureUnpacked } from './unpacked.ts';

const SERVERS = {
  // -g: in the foreground, with the log on standard error.
  bind: { command: 'named', package: 'bind9', args: ['-g', '-c'] },
  // -d: in the foreground. -u with an empty name: as this user, because the account nsd may not write to the folder.
  nsd: { command: 'nsd', package: 'nsd', args: ['-d', '-u', '', '-c'] },
};

/**
 * @param version `host`: that of this machine, installed if it is missing and that may be done. `13`: that of Debian
 * 13, from unpacked packages. (Default: `host`.)
 * @throws Error as ensureTools and ensureUnpacked
 */
export async function ensureSecondary(
  name: keyof typeof SERVERS,
  { version = 'host', progress, signal }: { version?: 'host' | '13'; progress: Progress; signal: AbortSignal },
): Promise<SecondaryServer> {
  const { command, package: debianPackage, args } = SERVERS[name];
  const around = { progress, signal };
  const found =
    version === 'host'
      ? await ensureTools([{ command, package: debianPackage }], around)
      : await ensureUnpacked({ packages: [debianPackage], programs: [`usr/sbin/${command}`], ...around });
  return { name, command: found[command] as string, args: [...args] };
}
