// BIND as a part: Debian's named, as a secondary.
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import type { SecondaryServer } from './secondary.ts';

/** named; installed when it is missing and that may be done. */
export async function ensureBind(options: { progress: Progress; signal: AbortSignal }): Promise<SecondaryServer> {
  const { named } = await ensureTools([{ command: 'named', package: 'bind9' }], options);
  // -g: in the foreground, with the log on standard error.
  return { name: 'bind', command: named as string, args: ['-g', '-c'] };
}
