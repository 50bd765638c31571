// Knot DNS as a part of the local stack: its programs, its folder, and the start of one knotd.
import { join } from 'node:path';
import type { KnotSettings } from '#nameserver/knot/configuration.ts';
import { knotControl } from '#nameserver/knot/control.ts';
import { KNOTD_ENVIRONMENT } from '#nameserver/knot/environment.ts';
import { type KnotFolder, knotFolder } from '#nameserver/knot/folder.ts';
import { prepareKnot } from '#nameserver/knot/prepare.ts';
import { ensureTools } from './apt.ts';
import type { Progress } from './cache.ts';
import { type Part, startReady } from './process.ts';

export interface KnotPrograms {
  knotd: string;
  keymgr: string;
  knotc: string;
}

export interface KnotOptions {
  programs: KnotPrograms;
  /** The folder `knot` in it holds everything of this knotd, and its log. */
  stateDir: string;
  port: number;
  /** (Default: 127.0.0.1.) */
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

/** The paths of Knot's programs; installed when they are missing and that may be done. */
export async function ensureKnot(options: { progress: Progress; signal: AbortSignal }): Promise<KnotPrograms> {
  const found = await ensureTools(
    ['knotd', 'keymgr', 'knotc'].map((command) => ({ command, package: 'knot' })),
    options,
  );
  return { knotd: found.knotd as string, keymgr: found.keymgr as string, knotc: found.knotc as string };
}

/**
 * Starts knotd and waits until its control socket answers, at most 60 s; zones may still be loading then. The part ends
 * with SIGTERM. @throws with the end of its log
 */
export async function startKnot(options: KnotOptions): Promise<Knot> {
  const { programs, stateDir, port, address = '127.0.0.1', signal, warn } = options;
  const folder = knotFolder(join(stateDir, 'knot'));
  const settings = { identity: 'local', ...options.settings, folder, listen: [{ address, port }] };
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
