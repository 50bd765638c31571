// A temporary copy of the checkout, in which faults are applied. The checkout itself is never written to.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { applyEdit, type Fault } from './fault.ts';

const run = promisify(execFile);
const GIT_LIMIT_MS = 30_000;
const MAX_NAMES = 64 * 1024 * 1024;

export interface Workspace {
  readonly root: string;
  /** Applies the fault while `work` runs, and then puts the files back. @throws {DoesNotApply} */
  with<T>(fault: Fault, work: () => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

/**
 * Copies all files that git knows or would add, uncommitted changes included. @throws when `checkout` is not a git
 * checkout
 */
export async function copyCheckout(checkout: string): Promise<Workspace> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', args, { cwd: checkout, maxBuffer: MAX_NAMES, timeout: GIT_LIMIT_MS });
  const root = await mkdtemp(join(tmpdir(), 'zonestead-mutate-'));
  try {
    for (const name of new Set(stdout.split('\0').filter(Boolean))) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      // A file that was deleted and not yet committed is listed, too.
      await cp(join(checkout, name), join(root, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
    await symlink(await realpath(join(checkout, 'node_modules')), join(root, 'node_modules'));
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
  return {
    root,
    with: (fault, work) => withFault(root, fault, work),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

async function withFault<T>(root: string, { edits }: Fault, work: () => Promise<T>): Promise<T> {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const edit of edits) {
    const text = after.get(edit.file) ?? (await readFile(join(root, edit.file), 'utf8').catch(() => ''));
    if (!before.has(edit.file)) before.set(edit.file, text);
    after.set(edit.file, applyEdit(text, edit));
  }
  try {
    for (const [file, text] of after) await writeFile(join(root, file), text);
    return await work();
  } finally {
    for (const [file, text] of before) await writeFile(join(root, file), text);
  }
}
