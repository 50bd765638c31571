// The changed files, from a real git: commits since origin/main or since the last tag, and the work tree.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedFiles } from '../../../support/lanes/changed.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('changed');
const WHO = ['-c', 'user.name=test', '-c', 'user.email=test@example.net'];
const git = (cwd: string, ...args: string[]) => execFileSync('git', [...WHO, ...args], { cwd, stdio: 'pipe' });
const write = (cwd: string, file: string) => writeFileSync(join(cwd, file), file);
const commit = (cwd: string, file: string) => {
  write(cwd, file);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-qm', file);
};

test('changed files are commits since origin/main, and the work tree', async () => {
  const [source, clone] = [join(folder, 'source'), join(folder, 'clone')];
  mkdirSync(source);
  git(source, 'init', '-qb', 'main');
  commit(source, 'first');
  git(folder, 'clone', '-q', source, clone);
  expect(await changedFiles(clone)).toEqual({ since: 'origin/main', files: [] });
  commit(clone, 'second');
  write(clone, 'third');
  write(clone, 'first');
  writeFileSync(join(clone, 'first'), 'other');
  expect(await changedFiles(clone)).toEqual({ since: 'origin/main', files: ['first', 'second', 'third'] });
  // Commits that others pushed meanwhile are not a change of this tree.
  commit(source, 'of-others');
  git(clone, 'fetch', '-q');
  expect((await changedFiles(clone))?.files).toEqual(['first', 'second', 'third']);
});

test('without origin/main, the last tag counts; without both, or without git, nothing is known', async () => {
  const alone = join(folder, 'alone');
  mkdirSync(alone);
  expect(await changedFiles(alone)).toBeNull();
  git(alone, 'init', '-qb', 'main');
  commit(alone, 'first');
  expect(await changedFiles(alone)).toBeNull();
  git(alone, 'tag', 'v1.0.0');
  commit(alone, 'second');
  expect(await changedFiles(alone)).toEqual({ since: 'v1.0.0', files: ['second'] });
});
