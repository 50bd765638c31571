// The credentials file of `zonestead acme`: lines NAME=value, as in an EnvironmentFile of systemd. It contains an API
// key, so only its owner must be able to read it.
import type { Stats } from 'node:fs';
import { isReadableByOthers, readJudged } from '../private-file.ts';

/**
 * The settings of the file by name.
 * @param uid the user id of this process
 * @throws Error with a message for people if the file is missing, not a file, of another user, readable by others, or
 * malformed
 */
export async function readCredentials(path: string, uid: number): Promise<Record<string, string>> {
  const judge = (found: Stats) => {
    if (!found.isFile()) throw new Error(`${path} is not a file.`);
    if (isReadableByOthers(found)) {
      const mode = (found.mode & 0o777).toString(8);
      throw new Error(
        `${path} contains an API key, and other users can read it (mode ${mode}). Run: chmod 600 ${path}`,
      );
    }
    if (found.uid !== uid && found.uid !== 0)
      throw new Error(`${path} belongs to another user. Run: chown ${uid} ${path}`);
  };
  const text = await readJudged(path, judge).catch((error: NodeJS.ErrnoException) => {
    throw error.code === undefined ? error : new Error(`The credentials file ${path} cannot be read (${error.code}).`);
  });
  return parseSettings(text, path);
}

/**
 * Parses `NAME=value`, with or without `export` and quotes, and no other shell syntax. Pure.
 * @throws Error that names the line
 */
export function parseSettings(text: string, path: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, value = ''] = /^(?:export +)?([A-Z_][A-Z0-9_]*) *= *(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`${path}, line ${index + 1}: write NAME=value.`);
    const [, , inner] = /^(['"])(.*)\1$/.exec(value) ?? [];
    settings[name] = inner ?? value;
  }
  return settings;
}
