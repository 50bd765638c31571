// Earlier versions of this project, out of git: what runs beside a new version, or before it. It must not know what has
// changed since.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../src/cli/up/parts/commands.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const JOURNAL = 'src/store/migrations/meta/_journal.json';
const { signal } = new AbortController();

/** The newest commit that has an older schema of the database than the checkout. @throws as {@link unpackVersion} */
export async function beforeNewestMigration(): Promise<string> {
  return `${await git('log', '-1', '--format=%H', '--', JOURNAL)}^`;
}

/**
 * Unpacks `paths` of a commit below `folder`, which is made, with the packages of the checkout.
 * @throws with what to do when the history does not reach so far
 */
export async function unpackVersion(commit: string, folder: string, paths: readonly string[]): Promise<void> {
  if ((await git('rev-parse', '--verify', '--quiet', commit)) === '')
    throw new Error(`${commit}, an earlier version, is not in this clone: run git fetch --unshallow`);
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'sources.tar');
  await git('archive', '--format=tar', `--output=${archive}`, commit, ...paths);
  const { code, tail } = await runCommand({
    command: 'tar',
    args: ['-xf', archive, '-C', folder],
    timeoutMs: 60_000,
    signal,
  });
  if (code !== 0) throw new Error(`the earlier version cannot be unpacked: ${tail}`);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

async function git(...args: string[]): Promise<string> {
  const { code, out } = await runCommand({ command: 'git', args, cwd: ROOT, timeoutMs: 60_000, signal });
  return code === 0 ? out.trim() : '';
}
