// The rules of the house, as tests: type check, lint with the import table, generated files, sizes, versions.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderCrds } from '../../src/operator/resources/crd.ts';
import journal from '../../src/store/migrations/meta/_journal.json' with { type: 'json' };

const ROOT = new URL('../..', import.meta.url).pathname;
const run = promisify(execFile);
const LIMIT_MS = 120_000;

/** What a program of the project says when it refuses; empty when it is content. */
async function complaints(program: string, ...args: string[]): Promise<string> {
  try {
    await run(`${ROOT}/node_modules/.bin/${program}`, args, { cwd: ROOT, maxBuffer: 32 * 1024 * 1024 });
    return '';
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    return `${stdout ?? ''}${stderr ?? ''}` || message;
  }
}

async function filesBelow(folder: string, ending: string): Promise<string[]> {
  const entries = await readdir(`${ROOT}/${folder}`, { recursive: true });
  return entries.filter((entry) => entry.endsWith(ending)).map((entry) => `${folder}/${entry}`);
}

describe('the house', () => {
  it('passes the type check', async () => expect(await complaints('tsc', '--noEmit')).toBe(''), LIMIT_MS);

  it(
    'keeps to the import table, without circles, and to one form',
    async () => expect(await complaints('biome', 'ci', '--colors=off', '--error-on-warnings', '.')).toBe(''),
    LIMIT_MS,
  );

  it('has in crds/ what the schemas generate, and nothing else', async () => {
    const wanted = renderCrds();
    expect(await readdir(`${ROOT}/crds`)).toEqual(wanted.map(({ file }) => file).sort());
    for (const { file, text } of wanted) expect(await readFile(`${ROOT}/crds/${file}`, 'utf8')).toBe(text);
  });

  it('has no file of more than 400 lines', async () => {
    const long: string[] = [];
    for (const file of [...(await filesBelow('src', '.ts')), ...(await filesBelow('test', '.ts'))]) {
      const lines = (await readFile(`${ROOT}/${file}`, 'utf8')).split('\n').length;
      if (lines > 401) long.push(`${file}: ${lines}`);
    }
    expect(long).toEqual([]);
  });

  it('says at the head of every source file what it is for', async () => {
    const silent: string[] = [];
    for (const file of await filesBelow('src', '.ts')) {
      if (!/^(\/\/|\/\*)/.test(await readFile(`${ROOT}/${file}`, 'utf8'))) silent.push(file);
    }
    expect(silent).toEqual([]);
  });

  it('applies migrations in the order of their numbers', () => {
    const tags = journal.entries.map(({ tag }) => tag);
    expect(tags).toEqual([...tags].sort());
    const times = journal.entries.map(({ when }) => when);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('runs under the Node that the lock file pins', () => {
    expect(process.versions.node.split('.')[0]).toBe('26');
  });
});
