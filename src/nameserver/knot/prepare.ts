// The folder of a knotd before its start: the configuration database is made, or brought up to date. knotc writes the
// database in one transaction, so an interruption at any point leaves the old or the new one, and the next call does
// the rest.
import { type ExecException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, realClock } from '#base/clock.ts';
import { chooseListenAddresses } from '#base/listen-address.ts';
import { sleep } from '#base/wait.ts';
import { prepareTls, readTls, removeOtherCopies } from './certificate.ts';
import { configuration, type KnotSettings, type ListenAddress } from './configuration.ts';
import { configurationFile } from './configuration-file.ts';
import { databaseFile, setAside, setDamagedAside } from './damaged.ts';
import { mergeConfiguration } from './exported.ts';
import { findSharedModules } from './shared-modules.ts';
import { programVersion } from './version.ts';

export interface PrepareOptions {
  /** The path of knotc. */
  readonly knotc: string;
  readonly settings: KnotSettings;
  readonly signal: AbortSignal;
  /** How long a knotd that still ends is waited for, in ms. (Default: 10 s.) */
  readonly endMs?: number;
  /** (Default: the system's.) */
  readonly clock?: Clock;
  /** Where shared modules are. (Default: see shared-modules.ts.) */
  readonly modules?: readonly string[];
  /** Gets a text for each damaged database that is set aside. */
  warn?(text: string): void;
}

/** knotc ran, and ended with an error or by a signal of its own. */
class KnotcFailure extends Error {}

const run = promisify(execFile);
const LIMIT_MS = 60_000;
const RETRY_MS = 100;

/**
 * Gives the folder the settings, with mode 700, and removes the socket and the PID file that a killed knotd left.
 * Zones, remotes, ACLs and keys of a database that is there stay. Damaged databases are set aside. Only for a folder
 * whose knotd does not run.
 * @throws Error if this knotd would crash, if it cannot serve DNS over TLS as the settings say, if it runs, if a
 * database may not be written, or if knotc fails, with its words; the configuration is as before then
 */
export async function prepareKnot(options: PrepareOptions): Promise<'made' | 'updated'> {
  const { settings, signal } = options;
  const { folder } = settings;
  const fault = await findSharedModules(options.knotc, signal, options.modules);
  if (fault !== null) throw new Error(`${fault}.`);
  await mkdir(folder.storage, { recursive: true, mode: 0o700 });
  await chmod(folder.root, 0o700);
  await untilStopped(options);
  await rm(folder.pidFile, { force: true });
  await rm(folder.socket, { force: true });
  const version = await programVersion(options.knotc, signal);
  const { tls: tlsSettings } = settings;
  const tls = tlsSettings ? await prepareTls(tlsSettings, folder, version, () => readTls(tlsSettings, signal)) : null;
  const items = configuration({ ...settings, version, listen: await expand(settings.listen) }, tls);
  await setDamagedAside(folder, (text) => options.warn?.(text));
  // The file contains secrets. knotc keeps the mode of a file that is there.
  const file = join(folder.root, 'knot.conf');
  try {
    await rm(file, { force: true });
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    const isThere = await exportTo(file, options);
    const text = isThere ? mergeConfiguration(await readFile(file, 'utf8'), items) : configurationFile(items);
    await writeFile(file, text);
    await knotc(options, ['-f', 'conf-import', file], signal);
    await removeOtherCopies(folder, tls);
    return isThere ? 'updated' : 'made';
  } finally {
    await rm(file, { force: true });
  }
}

/** knotd needs an address for each family. */
async function expand(listen: KnotSettings['listen']): Promise<ListenAddress[]> {
  const lists = listen.map(async ({ address, port }) =>
    (await chooseListenAddresses([address])).map((each) => ({ address: each, port })),
  );
  return (await Promise.all(lists)).flat();
}

/** @returns whether there is a configuration. One that knotc cannot read is set aside. */
async function exportTo(file: string, options: PrepareOptions): Promise<boolean> {
  const { settings, signal } = options;
  if (!existsSync(databaseFile(settings.folder, 'configuration'))) return false;
  try {
    await knotc(options, ['conf-export', file], signal);
    return true;
  } catch (error) {
    if (!(error instanceof KnotcFailure)) throw error;
    const text = await setAside(settings.folder, 'configuration', error.message);
    options.warn?.(text);
    return false;
  }
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
    const { stderr = '', message, killed, code } = error as ExecException & { stderr?: string };
    const command = args.find((word) => word.startsWith('conf-'));
    const text = `knotc ${command} failed for ${confdb}: ${stderr.trim() || message}`;
    // A text as code: knotc could not be started.
    throw killed || typeof code === 'string' ? new Error(text) : new KnotcFailure(text);
  }
}
