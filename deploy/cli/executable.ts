// The command line as one executable, for machines without Node.js: the program of Node with the single file in it
// (https://nodejs.org/api/single-executable-applications.html), in an archive with the licenses of both.
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parts } from '../image/parts.ts';
import { ARCHITECTURES, type Architecture } from '../local/parts/architecture.ts';
import { runCommand } from '../local/parts/commands.ts';

/** Node writes its program of 150 MB, and gzip reads it. */
const LIMIT_MS = 300_000;

/** For instance zonestead-linux-amd64.tar.gz */
export function archiveName(architecture: Architecture): string {
  return `zonestead-linux-${ARCHITECTURES[architecture].oci}.tar.gz`;
}

/**
 * Writes the archive of one architecture, on a machine of any. The same files give the same archive.
 * @param folder that of buildCommandLine, which gets the archive
 * @returns the name of the archive
 * @throws Error with the last lines of Node or tar, and if the license of Node is not there
 */
export async function packExecutable(
  folder: string,
  { architecture, node }: Pick<Parts, 'architecture' | 'node'>,
  signal: AbortSignal,
): Promise<string> {
  const work = await mkdtemp(join(folder, 'executable-'));
  try {
    const config = {
      main: join(folder, 'zonestead'),
      mainFormat: 'module',
      executable: node.program,
      output: join(work, 'zonestead'),
      disableExperimentalSEAWarning: true,
      // Both are made by the program of the other architecture, which this machine cannot run.
      useSnapshot: false,
      useCodeCache: false,
    };
    await writeFile(join(work, 'sea.json'), JSON.stringify(config));
    await run(process.execPath, ['--build-sea', join(work, 'sea.json')], signal);
    for (const file of ['LICENSE', 'LICENSES-OF-PACKAGES.txt']) await copyFile(join(folder, file), join(work, file));
    await copyFile(node.license, join(work, 'LICENSE-OF-NODE'));
    const name = archiveName(architecture);
    const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
    const files = ['LICENSE', 'LICENSE-OF-NODE', 'LICENSES-OF-PACKAGES.txt', 'zonestead'];
    // Without -n, gzip writes the time into its header.
    const args = ['--create', '--use-compress-program', 'gzip -n', '--file', join(folder, name), ...same];
    await run('tar', [...args, '--directory', work, ...files], signal);
    return name;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function run(command: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const { code, tail } = await runCommand({ command, args: [...args], timeoutMs: LIMIT_MS, signal });
  if (code !== 0) throw new Error(`${command} failed (code ${code}):\n${tail}`);
}
