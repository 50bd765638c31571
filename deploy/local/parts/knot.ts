// Knot DNS as a part of the local stack: its programs, its folder, and the start of one knotd.
import { dirname, join } from 'node:path';
import type { KnotSettings } from '#nameserver/knot/configuration.ts';
import { knotControl } from '#nameserver/knot/control.ts';
import { KNOTD_ENVIRONMENT } from '#nameserver/knot/environment.ts';
import { type KnotFolder, knotFolder } from '#nameserver/knot/folder.ts';
import { prepareKnot } from '#nameserver/knot/prepare.ts';
import { ensureTools } from './apt.ts';
import { ARCHITECTURES, hostArchitecture } from './architecture.ts';
import type { Progress } from './cache.ts';
import { LOOPBACK } from './loopback.ts';
import { type Part, startReady } from './process.ts';
import { ensureUnpacked } from './unpacked.ts';

export interface KnotPrograms {
  knotd: string;
  keymgr: string;
  knotc: string;
  /** The file of the module that draws by weights; absent: where these programs look for it, or nowhere. */
  weightModule?: string;
}

export interface KnotOptions {
  programs: KnotPrograms;
  /** The folder `knot` in it holds everything of this knotd, and its log. */
  stateDir: string;
  port: number;
  /** (Default: the loopback address.) */
  address?: string;
  /**
   * The settings of the configuration database, from each start on. (Default: see configuration.ts; the identity is
   * `local`.)
   */
  settings?: Partial<Omit<KnotSettings, 'folder' | 'listen'>>;
  /** More variables of its environment. */
  env?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Gets a text for each damaged database. */
  warn?(text: string): void;
}

export interface Knot {
  part: Part;
  folder: KnotFolder;
  address: string;
  port: number;
}

const COMMANDS = ['knotd', 'keymgr', 'knotc'];

/** The version of Debian 13. */
const UNPACKED_VERSION = '3.4';

/**
 * The paths of Knot's programs. @param version those of Debian 13, or those of the machine, which are installed if they
 * are missing and that may be done. (Default: the environment variable KNOT_VERSION; without it the machine's.)
 * @throws the errors of ensureTools and ensureUnpacked; Error if there is no such version
 */
export async function ensureKnot({
  version = process.env.KNOT_VERSION || 'host',
  progress,
  signal,
}: {
  version?: string;
  progress: Progress;
  signal: AbortSignal;
}): Promise<KnotPrograms> {
  if (version !== 'host' && version !== UNPACKED_VERSION)
    throw new Error(
      `KNOT_VERSION is "${version}", and must be ${UNPACKED_VERSION} (from the packages of Debian 13) or host (the version of this machine)`,
    );
  const found =
    version === 'host'
      ? await ensureTools(
          COMMANDS.map((command) => ({ command, package: 'knot' })),
          { progress, signal },
        )
      : await ensureUnpacked({
          packages: ['knot', 'knot-module-geoip'],
          programs: COMMANDS.map((command) => `usr/sbin/${command}`),
          progress,
          signal,
        });
  const names = { knotd: found.knotd as string, keymgr: found.keymgr as string, knotc: found.knotc as string };
  if (version === 'host') return names;
  const { triplet } = ARCHITECTURES[hostArchitecture()];
  const weightModule = join(dirname(names.knotd), '..', `root/usr/lib/${triplet}/knot/modules-${version}/geoip.so`);
  return { ...names, weightModule };
}

/**
 * Starts knotd and waits until its control socket answers, at most 60 s; zones may still be loading then. The part ends
 * with SIGTERM. @throws with the end of its log
 */
export async function startKnot(options: KnotOptions): Promise<Knot> {
  const { programs, stateDir, port, address = LOOPBACK, signal, warn } = options;
  const folder = knotFolder(join(stateDir, 'knot'));
  const { weightModule } = programs;
  const settings = {
    identity: 'local',
    ...(weightModule === undefined ? {} : { weightModule }),
    ...options.settings,
    folder,
    listen: [{ address, port }],
  };
  await prepareKnot({ knotc: programs.knotc, settings, signal, ...(warn ? { warn } : {}) });
  const control = knotControl({ socket: folder.socket, connectMs: 1_000 });
  try {
    const part = await startReady(
      {
        name: 'knot',
        command: programs.knotd,
        args: ['-C', folder.confdb],
        env: { ...KNOTD_ENVIRONMENT, ...process.env, ...options.env },
        logFile: join(folder.root, 'knot.log'),
      },
      async (limit) => {
        await control.run('status', {}, limit);
        return true;
      },
      { what: `knotd on port ${port}`, timeoutMs: 60_000, intervalMs: 20, signal },
    );
    return { part, folder, address, port };
  } finally {
    control.close();
  }
}
