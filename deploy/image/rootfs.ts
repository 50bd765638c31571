// The content of an image as data: files, texts, links and folders by their path, and the one function that writes them
// into a folder.
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Content =
  /** Copied from this machine, links followed. (Default mode: 0o644.) */
  | { file: string; mode?: number }
  | { text: string; mode?: number }
  | { link: string }
  /** (Default mode: 0o755.) */
  | { folder: true; mode?: number };

/** Paths in the image without a leading slash. Folders above a path need no entry. */
export type Rootfs = Map<string, Content>;

/** The user of every image: no account of any distribution uses this number, and distroless images made it usual. */
export const USER_ID = 65_532;

/** The files that programs read through the C library: users, name resolution, temporary files. */
export function basics(): Rootfs {
  return new Map<string, Content>([
    ['etc/passwd', { text: accounts('root:x:0:0::/root:/', `nonroot:x:${USER_ID}:${USER_ID}::/nonexistent:/`) }],
    ['etc/group', { text: accounts('root:x:0:', `nonroot:x:${USER_ID}:`) }],
    ['etc/nsswitch.conf', { text: 'passwd: files\ngroup: files\nhosts: files dns\n' }],
    // Debian's merged /usr: programs name their loader in /lib or /lib64.
    ['lib', { link: 'usr/lib' }],
    ['lib64', { link: 'usr/lib64' }],
    ['usr/lib64', { folder: true }],
    ['tmp', { folder: true, mode: 0o1777 }],
  ]);
}

function accounts(...lines: string[]): string {
  return `${lines.join('\n')}\n`;
}

export function merge(...parts: readonly Rootfs[]): Rootfs {
  return new Map(parts.flatMap((part) => [...part]));
}

/**
 * Lays it down below `folder`, with modes that do not depend on the caller's umask. @throws when a file cannot be read
 */
export async function layDown(rootfs: Rootfs, folder: string): Promise<void> {
  await openFolder(folder);
  const made = new Set<string>();
  for (const [path, content] of [...rootfs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await above(path, folder, made);
    await layOne(content, join(folder, path));
    if ('folder' in content) made.add(path);
  }
}

async function above(path: string, folder: string, made: Set<string>): Promise<void> {
  const parent = dirname(path);
  if (parent === '.' || made.has(parent)) return;
  await above(parent, folder, made);
  await openFolder(join(folder, parent));
  made.add(parent);
}

async function layOne(content: Content, target: string): Promise<void> {
  if ('link' in content) return symlink(content.link, target);
  if ('folder' in content) return openFolder(target, content.mode);
  if ('file' in content) await copyFile(content.file, target);
  else await writeFile(target, content.text);
  await chmod(target, content.mode ?? 0o644);
}

async function openFolder(folder: string, mode = 0o755): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, mode);
}
