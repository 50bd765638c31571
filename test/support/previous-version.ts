// The sources of the version before the newest migration, out of git: what still runs while a new version migrates the
// database. It must not know what has changed since.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../src/cli/up/parts/commands.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const JOURNAL = 'src/store/migrations/meta/_journal.json';
const { signal } = new AbortController();

/**
 * Unpacks them below `folder`, with the packages of the checkout.
 * @returns the path of its main.ts
 * @throws with what to do when the history does not reach so far
 */
export async function unpackPreviousVersion(folder: string): Promise<string> {
  const git = async (...args: string[]) => {
    const { code, out } = await runCommand({ command: 'git', args, cwd: ROOT, timeoutMs: 60_000, signal });
    return code === 0 ? out.trim() : '';
  };
  const newest = await git('log', '-1', '--format=%H', '--', JOURNAL);
  const previous = await git('rev-parse', '--verify', '--quiet', `${newest}^`);
  if (newest === '' || previous === '') {
    throw new Error('the version before the newest migration is not in this clone: run git fetch --unshallow');
  }
  const target = join(folder, 'previous');
  const archive = join(folder, 'previous.tar');
  await mkdir(target, { recursive: true });
  await git('archive', '--format=tar', `--output=${archive}`, previous, 'src', 'package.json');
  const { code, tail } = await runCommand({
    command: 'tar',
    args: ['-xf', archive, '-C', target],
    timeoutMs: 60_000,
    signal,
  });
  if (code !== 0) throw new Error(`the previous version cannot be unpacked: ${tail}`);
  await symlink(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  return join(target, 'src', 'main.ts');
}
