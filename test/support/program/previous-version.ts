// Earlier versions of this project, taken from git, to run before a new version or next to it.
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const JOURNAL = 'src/store/migrations/meta/_journal.json';
const { signal } = new AbortController();

/**
 * The commit before the one that brought the newest migration of the checkout: the newest version with an older schema,
 * which plays the part of the previous release. @returns null: the checkout has one migration, and every older database
 * is of no release
 * @throws with instructions when the history does not reach that far
 */
export async function beforeNewestMigration(): Promise<string | null> {
  const journal = await readFile(join(ROOT, JOURNAL), 'utf8');
  if (migrationTimes(journal).length === 1) return null;
  const now = lastMigration(journal);
  let newer: string | undefined;
  for (const commit of (await git('log', '--format=%H', '--', JOURNAL)).split('\n')) {
    const text = await git('show', `${commit}:${JOURNAL}`);
    // The newest migration is not committed yet if no commit has it.
    if (text !== '' && lastMigration(text) < now) return newer === undefined ? 'HEAD' : `${newer}^`;
    newer = commit;
  }
  throw new Error('no earlier schema of the database is in this clone: run git fetch --unshallow');
}

/** When the last migration of a journal was made, in ms since the Unix epoch. */
function lastMigration(journal: string): number {
  return Math.max(...migrationTimes(journal));
}

function migrationTimes(journal: string): number[] {
  const { entries } = JSON.parse(journal) as { entries: { when: number }[] };
  return entries.map(({ when }) => when);
}

/**
 * Copies the sources of the checkout into `folder`, which is created, with one migration more.
 * @param number that of the added migration, from 1: a database applies only later ones
 * @returns the folder of the migrations
 */
export async function copyWithMigration(folder: string, number: number, sql: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const path of ['src', 'package.json']) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const journalFile = join(folder, JOURNAL);
  const journal = JSON.parse(await readFile(journalFile, 'utf8')) as { entries: { idx: number; when: number }[] };
  const last = journal.entries.at(-1) as { idx: number; when: number };
  const entry = { ...last, idx: last.idx + 1, when: last.when + number, tag: '9999_next' };
  await writeFile(journalFile, JSON.stringify({ ...journal, entries: [...journal.entries, entry] }));
  const migrations = join(folder, 'src/store/migrations');
  await writeFile(join(migrations, '9999_next.sql'), sql);
  return migrations;
}

/**
 * Unpacks `paths` of a commit into `folder`, which is created, with the packages of the checkout. @throws with
 * instructions when the history does not reach that far
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
