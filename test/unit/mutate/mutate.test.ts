// The parts of `npm run mutate` that decide: whether a fault applies, and whether the tests noticed it.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { applyEdit, DoesNotApply, type Fault } from '../../mutate/fault.ts';
import { FAULTS } from '../../mutate/faults/index.ts';
import { judge, type Report } from '../../mutate/verdict.ts';
import { copyCheckout } from '../../mutate/workspace.ts';

const PROJECT = new URL('../../../', import.meta.url).pathname;

const edit = (find: string, replace: string) => ({ file: 'a.ts', find, replace });

test('an edit replaces text that is there once', () => {
  expect(applyEdit('if (a < b) return;', edit('a < b', 'a <= b'))).toBe('if (a <= b) return;');
});

test.each([
  ['is not there', 'c < d', 'x'],
  ['is there twice', 'a', 'x'],
  ['is empty', '', 'x'],
  ['is replaced by itself', 'a < b', 'a < b'],
])('an edit does not apply when the text %s', (_title, find, replace) => {
  expect(() => applyEdit('a < b; a', edit(find, replace))).toThrow(DoesNotApply);
});

const report = (...results: [file: string, status: string, tests: string[]][]): Report => ({
  numTotalTests: 0,
  testResults: results.map(([name, status, tests]) => ({
    name,
    status,
    message: 'it broke',
    assertionResults: tests.map((state, index) => ({ fullName: `test ${index}`, status: state })),
  })),
});

test.each<[string, Report | null, string]>([
  ['killed by a failed test', report(['a', 'passed', ['passed']], ['b', 'failed', ['passed', 'failed']]), 'killed'],
  ['a survivor when all tests pass', report(['a', 'passed', ['passed', 'skipped']]), 'survived'],
  ['not judged by a file that does not load', report(['a', 'failed', []], ['b', 'passed', ['passed']]), 'unjudged'],
  ['not judged by tests that did not run', report(['a', 'passed', ['skipped']]), 'unjudged'],
  ['not judged without a report', null, 'unjudged'],
])('a fault is %s', (_title, given, kind) => {
  expect(judge(given).kind).toBe(kind);
});

describe('the workspace', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  const fault: Fault = {
    name: 'x',
    breaks: 'x',
    edits: [
      { file: 'src/a.ts', find: 'one', replace: 'two' },
      { file: 'src/a.ts', find: 'two three', replace: 'four' },
    ],
    project: 'unit',
    tests: [],
  };

  async function checkout(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'zonestead-checkout-'));
    folders.push(folder);
    await mkdir(join(folder, 'src'));
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, 'src/a.ts'), 'one three');
    await writeFile(join(folder, '.gitignore'), 'node_modules\n');
    execFileSync('git', ['init', '--quiet', folder]);
    return folder;
  }

  test('the workspace holds the fault while the work runs, leaves the checkout alone, and is removed', async () => {
    const folder = await checkout();
    const workspace = await copyCheckout(folder);
    folders.push(workspace.root);
    const copy = join(workspace.root, 'src/a.ts');
    expect(await workspace.with(fault, () => readFile(copy, 'utf8'))).toBe('four');
    expect(await readFile(copy, 'utf8')).toBe('one three');
    await expect(workspace.with(fault, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await readFile(copy, 'utf8')).toBe('one three');
    expect(await readFile(join(folder, 'src/a.ts'), 'utf8')).toBe('one three');
    await workspace.remove();
    expect([existsSync(workspace.root), existsSync(join(folder, 'node_modules'))]).toEqual([false, true]);
  });

  test('the workspace refuses a fault whose text is gone, and runs nothing', async () => {
    const folder = await checkout();
    const workspace = await copyCheckout(folder);
    folders.push(workspace.root);
    const gone = { ...fault, edits: [{ file: 'src/gone.ts', find: 'one', replace: 'two' }] };
    let ran = false;
    await expect(
      workspace.with(gone, async () => {
        ran = true;
      }),
    ).rejects.toThrow(DoesNotApply);
    expect(ran).toBe(false);
  });
});

test('the list of faults has a name of its own for each, and names tests that are there', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  const missing = FAULTS.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(PROJECT, path)));
  expect(missing).toEqual([]);
});

test('the list of faults applies to the code as it is', () => {
  const stale = FAULTS.flatMap(({ name, edits }) =>
    edits.flatMap((edit) => {
      const path = join(PROJECT, edit.file);
      const found = existsSync(path) ? readFileSync(path, 'utf8').split(edit.find).length - 1 : 0;
      return found === 1 ? [] : [`${name}: ${edit.file} has the text ${found} times`];
    }),
  );
  expect(stale).toEqual([]);
});
