// The credentials file of `zonestead acme`: lines NAME=value, as `.local/env` and systemd's EnvironmentFile have them. It
// holds a key, so nobody but its owner may read it. It must not know what the settings mean.
import { open } from 'node:fs/promises';

const OTHERS = 0o077;

/**
 * The settings of the file by name. @param uid of this process
 * @throws Error for people when it is missing, not a file, somebody else's, readable by others, or malformed
 */
export async function readCredentials(path: string, uid: number): Promise<Record<string, string>> {
  // One handle for both: what is checked is what is read.
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The credentials file ${path} cannot be read (${error.code}).`);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a file.`);
    if ((stat.mode & OTHERS) !== 0) {
      const mode = (stat.mode & 0o777).toString(8);
      throw new Error(`${path} holds a key and others may read it (mode ${mode}). Run: chmod 600 ${path}`);
    }
    if (stat.uid !== uid && stat.uid !== 0)
      throw new Error(`${path} belongs to another user. Run: chown ${uid} ${path}`);
    return parseSettings(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
}

/** `NAME=value`, with or without `export` and quotes; other shell is not understood. Pure. @throws Error naming the line */
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
