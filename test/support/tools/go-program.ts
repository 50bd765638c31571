// A program of the tests that is built once from Go modules into the cache: main.go, go.mod and go.sum in a folder of its name.
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { buildGo, sourceInputs } from '../../../deploy/local/parts/go-build.ts';

const FLAGS = ['-trimpath', '-ldflags', '-s -w'];

interface GoProgram {
  /** The folder next to this file, the program, and the entry of the cache. */
  name: string;
  /** In the words of messages. */
  what: string;
  /** The expected time of a build from nothing, for the first message. */
  costs: string;
  /** How to do without Go. */
  otherwise: string;
}

/** The path of the program. @throws Error when Go is missing, or with the compiler's last lines */
export async function ensureGoProgram(
  { name, ...words }: GoProgram,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  const source = new URL(`${name}/`, import.meta.url).pathname;
  const folder = await cached({
    name,
    key: cacheKey({
      ...sourceInputs(source, ['main.go', 'go.mod', 'go.sum']),
      flags: FLAGS.join(' '),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: (target) =>
      buildGo({
        ...words,
        source,
        targets: [{ package: '.', file: join(target, name), flags: FLAGS }],
        progress,
        signal,
      }),
  });
  return join(folder, name);
}
