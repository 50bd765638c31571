// Finds the files that changed since the last state that CI has seen. They decide which lanes `npm test` starts.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Changes {
  /** A branch or a tag, for messages. */
  readonly since: string;
  readonly files: readonly string[];
}

const LIMIT_MS = 30_000;

/**
 * Compares the work tree with where it left origin/main, or else with the last tag. Files that git does not track yet
 * are in it.
 * @returns null when there is neither, or no git
 */
export async function changedFiles(root: string): Promise<Changes | null> {
  const git = async (...args: string[]) => {
    const limits = { cwd: root, timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
    return (await promisify(execFile)('git', args, limits)).stdout;
  };
  const tryGit = (...args: string[]) =>
    git(...args).then(
      (text) => text.trim(),
      () => '',
    );
  const branch = await tryGit('merge-base', 'HEAD', 'origin/main');
  const tag = branch === '' ? await tryGit('describe', '--tags', '--abbrev=0') : '';
  if (branch === '' && tag === '') return null;
  const changed = await git('diff', '--name-only', '-z', branch || tag);
  const untracked = await git('ls-files', '--others', '--exclude-standard', '-z');
  const files = `${changed}${untracked}`.split('\0').filter((path) => path !== '');
  return { since: branch === '' ? tag : 'origin/main', files };
}
