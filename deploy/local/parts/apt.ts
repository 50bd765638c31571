// Programs that npm cannot provide (Knot DNS, dig): found, or installed through apt if that is allowed.
import { existsSync } from 'node:fs';
import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, type Progress, withLock } from './cache.ts';
import { findCommand, runCommand } from './commands.ts';

/**
 * A program, or a file that a program loads (a `*` stands for any part of one folder's name), and its Debian package.
 */
export type Tool = { command: string; package: string } | { file: string; package: string };

const POLICY = '/usr/sbin/policy-rc.d';
/** invoke-rc.d asks this script before it starts a service; 101 means no (invoke-rc.d(8), Debian policy 9.3.3). */
const POLICY_TEXT =
  '#!/bin/sh\n# Made by zonestead while it installs packages: no service may start. Safe to delete.\nexit 101\n';
const APT_LIMIT_MS = 15 * 60_000;

/**
 * The absolute paths of all commands, by name. Missing ones are installed on Debian and Ubuntu when this user is root,
 * without starting any service. @throws with the command to run by hand when it may not install, and with apt's last
 * lines when apt fails
 */
export async function ensureTools(
  tools: readonly Tool[],
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<Record<string, string>> {
  const packages = await missingPackages(tools);
  if (packages.length > 0) {
    const byHand = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
    const aptGet = findCommand('apt-get');
    if (aptGet === undefined) {
      throw new Error(
        `missing: ${describe(packages)}. This is neither Debian nor Ubuntu; install what these packages hold there: ${byHand}`,
      );
    }
    if (process.getuid?.() !== 0) throw new Error(`missing: ${describe(packages)}. Run: sudo ${byHand}`);
    const lock = join(cacheRoot(), 'apt.lock');
    await withLock(lock, { what: 'installing packages', progress, signal }, () =>
      withoutServices(() => install(aptGet, packages, progress, signal)),
    );
    const still = await missingPackages(tools);
    if (still.length > 0)
      throw new Error(`apt installed ${packages.join(', ')}, yet what ${still.join(', ')} should bring is missing`);
  }
  return commandPaths(tools);
}

/** The packages of the missing commands, each once, in the given order. */
export async function missingPackages(tools: readonly Tool[]): Promise<string[]> {
  const packages = new Set<string>();
  for (const tool of tools) if (!(await isPresent(tool))) packages.add(tool.package);
  return [...packages];
}

async function isPresent(tool: Tool): Promise<boolean> {
  if ('command' in tool) return findCommand(tool.command) !== undefined;
  for await (const _ of glob(tool.file)) return true;
  return false;
}

function commandPaths(tools: readonly Tool[]): Record<string, string> {
  const commands = tools.flatMap((tool) => ('command' in tool ? [tool.command] : []));
  return Object.fromEntries(commands.map((command) => [command, findCommand(command) ?? command]));
}

function describe(packages: readonly string[]): string {
  return packages.length === 1 ? `package ${packages[0]}` : `packages ${packages.join(', ')}`;
}

async function install(
  aptGet: string,
  packages: readonly string[],
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const apt = (args: readonly string[], show: Progress) => {
    show(`apt-get ${args.join(' ')}`);
    return runCommand({
      command: aptGet,
      args: ['-o', 'DPkg::Lock::Timeout=120', ...args],
      // dpkg calls ldconfig and start-stop-daemon; root's PATH may lack their folders (su without -).
      env: {
        ...process.env,
        PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
        DEBIAN_FRONTEND: 'noninteractive',
        LC_ALL: 'C',
      },
      onLine: (line) => {
        if (/^(Get:|Unpacking|Setting up|E:|W:)/.test(line)) show(`  ${line}`);
      },
      timeoutMs: APT_LIMIT_MS,
      signal,
    });
  };
  const installArgs = ['install', '-y', '--no-install-recommends', ...packages];
  // The lists are fetched only when apt does not know the packages, or when the mirror no longer has the known
  // versions.
  const known = await apt(['install', '--simulate', '--no-install-recommends', ...packages], () => {});
  if (known.code === 0 && (await apt(installArgs, progress)).code === 0) return;
  const update = await apt(['update'], progress);
  if (update.code !== 0) throw new Error(`apt-get update failed (code ${update.code}):\n${update.tail}`);
  const result = await apt(installArgs, progress);
  if (result.code !== 0) throw new Error(`apt-get install failed (code ${result.code}):\n${result.tail}`);
}

/**
 * Runs `work` while invoke-rc.d refuses to start services. A policy of the machine's own is left alone; ours, left by a
 * killed run, is taken for ours.
 */
export async function withoutServices<T>(work: () => Promise<T>, file = POLICY): Promise<T> {
  const foreign = existsSync(file) && (await readFile(file, 'utf8')) !== POLICY_TEXT;
  if (!foreign) await writeFile(file, POLICY_TEXT, { mode: 0o755 });
  try {
    return await work();
  } finally {
    if (!foreign) await rm(file, { force: true });
  }
}
