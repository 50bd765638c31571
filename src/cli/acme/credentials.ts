// The credentials file of `zonestead acme`: lines NAME=value, as in an EnvironmentFile of systemd. It contains an API
// key, so only its owner must be able to read it.
import { open } from 'node:fs/promises';

const OTHERS = 0o077;

/**
 * The settings of the file by name.
 * @param uid the user id of this process
 * @throws Error with a message for people if the file is missing, not a file, of another user, readable by others, or
 * malformed
 */
export async function readCredentials(path: string, uid: number): Promise<Record<string, string>> {
  // One handle for the check and the read, so that the file cannot be exchanged between them.
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The credentials file ${path} cannot be read (${error.code}).`);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a file.`);
    if ((stat.mode & OTHERS) !== 0) {
      const mode = (stat.mode & 0o777).toString(8);
      throw new Error(
        `${path} contains an API key, and other users can read it (mode ${mode}). Run: chmod 600 ${path}`,
      );
    }
    if (stat.uid !== uid && stat.uid !== 0)
      throw new Error(`${path} belongs to another user. Run: chown ${uid} ${path}`);
    return parseSettings(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
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
