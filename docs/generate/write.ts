// Writes the reference pages that are made from the code. test/unit/docs/generated.test.ts compares them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { GENERATED } from './pages.ts';

const ROOT = new URL('../../', import.meta.url);

/** @param print names each page that changed */
export async function writePages(print: (line: string) => void): Promise<void> {
  for (const [path, make] of Object.entries(GENERATED)) {
    const file = new URL(path, ROOT);
    const text = await make();
    const before = await readFile(file, 'utf8').catch(() => '');
    if (before === text) continue;
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, text);
    print(path);
  }
}
