// Runs a client to its end.
import { runCommand } from '../../../deploy/local/parts/commands.ts';

const { signal } = new AbortController();
/** Longer than any client waits for DNS on a busy machine. */
const LIMIT_MS = 350_000;

/**
 * @returns both outputs (at most their last 40 lines). @throws Error with them if the client ends with a code other
 * than 0
 */
export async function runClient(
  [command, ...first]: readonly [string, ...string[]],
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const result = await runCommand({
    command,
    args: [...first, ...args],
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LANG: 'C.UTF-8', ...env },
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (result.code !== 0) throw new Error(`${command} ${args.join(' ')} failed (${result.code}):\n${result.tail}`);
  return result.tail;
}
