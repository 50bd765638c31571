// The folder of a knotd before its start: the configuration database is made, or brought up to date. knotc writes the database
// in one transaction, so an interruption at any point leaves the old or the new one, and the next call does the rest.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { configuration, type KnotSettings } from './configuration.ts';
import { configurationFile } from './configuration-file.ts';
import { mergeConfiguration } from './exported.ts';

export interface PrepareOptions {
  /** The path of knotc. */
  readonly knotc: string;
  readonly settings: KnotSettings;
  readonly signal: AbortSignal;
  /** How long a knotd that still ends is waited for, in ms. (Default: 10 s.) */
  readonly endMs?: number;
  /** (Default: the system's.) */
  readonly clock?: Clock;
}

const run = promisify(execFile);
const LIMIT_MS = 60_000;
const RETRY_MS = 100;

/**
 * Gives the folder the settings, with mode 700, and removes the socket and the PID file that a killed knotd left. Zones,
 * remotes, ACLs and keys of a database that is there stay. Only for a folder whose knotd does not run.
 * @throws Error if knotd runs, or if knotc fails, with its words; the database is as before then
 */
export async function prepareKnot(options: PrepareOptions): Promise<'made' | 'updated'> {
  const { settings, signal } = options;
  const { folder } = settings;
  await mkdir(folder.storage, { recursive: true, mode: 0o700 });
  await chmod(folder.root, 0o700);
  await untilStopped(options);
  await rm(folder.pidFile, { force: true });
  await rm(folder.socket, { force: true });
  const items = configuration(settings);
  const isThere = existsSync(join(folder.confdb, 'data.mdb'));
  // The file contains secrets. knotc keeps the mode of a file that is there.
  const file = join(folder.root, 'knot.conf');
  try {
    await rm(file, { force: true });
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    if (isThere) await knotc(options, ['conf-export', file], signal);
    const text = isThere ? mergeConfiguration(await readFile(file, 'utf8'), items) : configurationFile(items);
    await writeFile(file, text);
    await knotc(options, ['-f', 'conf-import', file], signal);
  } finally {
    await rm(file, { force: true });
  }
  return isThere ? 'updated' : 'made';
}

async function untilStopped({ settings, signal, endMs = 10_000, clock = realClock }: PrepareOptions): Promise<void> {
  const { root, socket } = settings.folder;
  const end = clock.now() + endMs;
  while (await isListening(socket)) {
    if (clock.now() >= end) {
      throw new Error(
        `A knotd runs with the folder ${root}. Stop it first: the configuration is written while it does not run.`,
      );
    }
    await sleep(clock, RETRY_MS, signal);
  }
}

/** A socket that a killed process left refuses connections. */
function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect({ path: socket });
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    // EAGAIN: knotd runs, and its queue is full.
    connection.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EAGAIN'));
  });
}

async function knotc({ knotc, settings }: PrepareOptions, args: readonly string[], signal: AbortSignal): Promise<void> {
  const { confdb } = settings.folder;
  try {
    await run(knotc, ['-C', confdb, ...args], { signal, timeout: LIMIT_MS });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { stderr = '', message } = error as Error & { stderr?: string };
    const command = args.find((word) => word.startsWith('conf-'));
    throw new Error(
      `knotc ${command} failed for ${confdb}: ${stderr.trim() || message}. ` +
        'If the database is damaged, you can delete this folder: the node then adds all zones again.',
    );
  }
}
