// The clients from PyPI (octoDNS, certbot with its plugins, Ansible) in one virtual environment, installed once into
// the cache.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { findCommand, runCommand } from '../../../deploy/local/parts/commands.ts';

const REQUIREMENTS = new URL('requirements.txt', import.meta.url).pathname;
const LIMIT_MS = 15 * 60_000;
const TRIES = 3;
const PAUSE_MS = 5_000;

/** The folder of the environment. @throws Error with pip's last lines, and with how to get Python if it is missing */
export async function ensurePythonTools(progress: Progress, signal: AbortSignal): Promise<string> {
  const python = findCommand('python3');
  if (python === undefined) throw new Error('Python is needed for clients of DNS: apt-get install python3-venv');
  const version = await runCommand({ command: python, args: ['--version'], timeoutMs: 60_000, signal });
  const key = cacheKey({
    requirements: readFileSync(REQUIREMENTS),
    python: version.out,
    platform: `${process.platform}-${process.arch}`,
  });
  return join(await cached({ name: 'python-tools', key, progress, signal, fill }), 'environment');

  async function fill(target: string): Promise<void> {
    // venv refuses a path with a colon, which the folders of unfinished entries have.
    const short = await mkdtemp(join(tmpdir(), 'zonestead-python-'));
    await symlink(target, join(short, 'entry'));
    try {
      await install(python as string, join(short, 'entry', 'environment'));
    } finally {
      await rm(short, { recursive: true });
    }
  }

  async function install(command: string, folder: string): Promise<void> {
    progress('installing octoDNS, certbot and Ansible from PyPI: once, a minute');
    const made = await runCommand({ command, args: ['-m', 'venv', folder], timeoutMs: LIMIT_MS, signal });
    if (made.code !== 0)
      throw new Error(`python3 -m venv failed; on Debian: apt-get install python3-venv\n${made.tail}`);
    const args = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--no-deps'];
    args.push('--require-hashes', '-r', REQUIREMENTS);
    for (let tries = 1; ; tries += 1) {
      const onLine = (line: string) => {
        if (/^(Downloading|Installing|WARNING|ERROR)/.test(line)) progress(`  ${line.slice(0, 160)}`);
      };
      const pip = { command: join(folder, 'bin/python'), args, onLine, timeoutMs: LIMIT_MS, signal };
      const { code, tail } = await runCommand(pip);
      if (code === 0) return;
      if (tries === TRIES) throw new Error(`pip failed ${TRIES} times; can this machine reach PyPI?\n${tail}`);
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}

/**
 * The command of a program of the environment. The scripts name the folder in which pip made them, so Python gets their
 * paths.
 */
export const pythonTool = (environment: string, name: string): [command: string, ...args: string[]] => [
  join(environment, 'bin/python'),
  join(environment, 'bin', name),
];
