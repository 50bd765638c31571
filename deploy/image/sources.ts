// The sources as they are in an image: without types, and without the files that only tools read.
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import type { Content, Rootfs } from './rootfs.ts';

const START = new URL('start.js', import.meta.url).pathname;

/**
 * A running program never reads these files: drizzle-kit compares snapshots when it makes a migration, and people read
 * pages.
 */
const isForTools = (file: string) => /_snapshot\.json$|\.md$/.test(file);

/**
 * The files of `src`, package.json, and `app/main.js`, which starts them and is the command `zonestead`. Spaces take
 * the place of the types, so the positions in a stack trace are those of the sources. @param folder a checkout @throws
 * Error of the file system; when a file has syntax that is more than types
 */
export async function sources(folder: string): Promise<Rootfs> {
  const rootfs = new Map<string, Content>([
    ['app/package.json', { file: join(folder, 'package.json') }],
    ['app/main.js', { file: START, mode: 0o755 }],
    // For `kubectl exec … -- zonestead`.
    ['usr/local/bin/zonestead', { link: '../../../app/main.js' }],
  ]);
  for (const entry of await readdir(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || isForTools(file)) continue;
    rootfs.set(join('app', relative(folder, file)), file.endsWith('.ts') ? await withoutTypes(file) : { file });
  }
  return rootfs;
}

async function withoutTypes(file: string): Promise<Content> {
  return { text: stripTypeScriptTypes(await readFile(file, 'utf8')) };
}
