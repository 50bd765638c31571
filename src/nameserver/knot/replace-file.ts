// Files that a process may read, or crash, at any moment.
import { rename, writeFile } from 'node:fs/promises';

/**
 * Replaces a file at once: a reader sees the former text or the new one. Two calls for one path may not overlap.
 * @param mode (Default: for this user alone, as for keys.)
 * @throws Error of the file system
 */
export async function replaceFile(path: string, text: string | Uint8Array, mode = 0o600): Promise<void> {
  await writeFile(`${path}.new`, text, { mode });
  await rename(`${path}.new`, path);
}
