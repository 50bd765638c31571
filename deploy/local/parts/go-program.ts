// A program that is built once from Go modules into the cache.
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from './cache.ts';
import { buildGo, sourceInputs } from './go-build.ts';
import { goFlags } from './go-flags.ts';

export interface GoProgram {
  /** The name of the program, and of its entry in the cache. */
  name: string;
  /** The folder with go.mod and go.sum, which name the version of the program. */
  source: string;
  /** Further files of that folder which change the program. */
  files?: readonly string[];
  /** The package with its function main. */
  package: string;
  /** Flags of `go build`. (Default: goFlags()) */
  flags?: readonly string[];
  /** In the words of messages. */
  what: string;
  /** The expected time of a build from nothing, for the first message. */
  costs: string;
  /** Ends the message about missing Go: how to do without, or who needs the program. */
  otherwise: string;
}

/**
 * The path of the program. The first build takes minutes; `progress` gets a line at least every few seconds.
 * @throws Error when Go is missing, or with the last lines of Go: also when its proxy does not answer
 */
export async function ensureGoProgram(program: GoProgram, progress: Progress, signal: AbortSignal): Promise<string> {
  const { name, source, files = [], package: main, flags = goFlags(), what, costs, otherwise } = program;
  const folder = await cached({
    name,
    key: cacheKey({
      ...sourceInputs(source, [...files, 'go.mod', 'go.sum']),
      flags: flags.join(' '),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: (empty) =>
      buildGo({
        source,
        what,
        costs,
        otherwise,
        targets: [{ package: main, file: join(empty, name), flags }],
        progress,
        signal,
      }),
  });
  return join(folder, name);
}
