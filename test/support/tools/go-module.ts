// The sources of a published Go module, whose hash is pinned: its go.sum then pins everything that it requires.
import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { findGo, goEnvironment } from '../../../deploy/local/parts/go-flags.ts';

export interface PinnedModule {
  module: string;
  version: string;
  /** The hash of the module, as in a go.sum. */
  sum: string;
}

/** Runs Go in the folder of the sources. @returns its output @throws Error with its last lines */
export type RunGo = (...args: string[]) => Promise<string>;

/**
 * Calls `work` with a copy of the sources that can be changed, and deletes the copy.
 * @param limitMs the limit of each run of Go
 * @param onLine is called with each line of Go's output
 * @throws Error when Go is missing, or when the proxy has the version with another hash
 */
export async function withGoModule(
  { module, version, sum }: PinnedModule,
  { limitMs, onLine, signal }: { limitMs: number; onLine?: (line: string) => void; signal: AbortSignal },
  work: (folder: string, run: RunGo) => Promise<void>,
): Promise<void> {
  const go = findGo(module);
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-module-'));
  const run: RunGo = async (...args) => {
    const { code, out, tail } = await runCommand({
      command: go,
      args,
      cwd: folder,
      env: goEnvironment(),
      ...(onLine === undefined ? {} : { onLine }),
      background: true,
      timeoutMs: limitMs,
      signal,
    });
    if (code !== 0) throw new Error(`go ${args.join(' ')} failed (${code}):\n${tail}`);
    return out;
  };
  try {
    const answer = JSON.parse(await run('mod', 'download', '-json', `${module}@${version}`)) as Record<string, string>;
    if (answer.Sum !== sum)
      throw new Error(
        `${module} ${version} has the hash ${answer.Sum}, and not ${sum}, so it is not built. Compare it with the checksum database of Go`,
      );
    await cp(answer.Dir as string, folder, { recursive: true });
    for (const entry of ['.', ...(await readdir(folder, { recursive: true }))]) await chmod(join(folder, entry), 0o755);
    await work(folder, run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
