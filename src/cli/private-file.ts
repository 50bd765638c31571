// Files with a key, which only one person may read.
import type { Stats } from 'node:fs';
import { constants, open } from 'node:fs/promises';

/** The mode bits of other accounts. */
const OTHERS = 0o077;

export function isReadableByOthers({ mode }: Stats): boolean {
  return (mode & OTHERS) !== 0;
}

/**
 * The text of a file. One handle serves the judgement and the read, so that the file cannot be exchanged between them.
 * @param judge throws if the file must not be read
 * @throws the error of the file system, which has a code, and that of `judge`
 */
export async function readJudged(path: string, judge: (found: Stats) => void): Promise<string> {
  // A pipe without a writer would never be opened otherwise.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    judge(await file.stat());
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
