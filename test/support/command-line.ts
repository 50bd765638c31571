// The commands of `zonestead` in this process, which is faster than a process for each. Settings come from the environment of the
// process: vi.stubEnv.
import { COMMANDS } from '#cli/all-commands.ts';
import { CommandFailed } from '#cli/program.ts';
import { createZonesteadProgram } from '#cli/zonestead.ts';

export interface Ended {
  code: number;
  out: string;
  /** The message of the error. */
  err: string;
}

/** Runs `zonestead …`, for at most 100 s. */
export async function zonestead(...words: string[]): Promise<Ended> {
  const lines: string[] = [];
  const context = {
    print: (line: string) => void lines.push(line),
    program: 'zonestead',
    signal: AbortSignal.timeout(100_000),
    stop: () => undefined,
  };
  const program = await createZonesteadProgram(COMMANDS, context, words);
  const before = process.exitCode;
  const out = () => lines.map((line) => `${line}\n`).join('');
  try {
    process.exitCode = 0;
    await program.parseAsync(words, { from: 'user' });
    return { code: Number(process.exitCode), out: out(), err: '' };
  } catch (error) {
    const code = error instanceof CommandFailed ? error.exitCode : 1;
    return { code, out: out(), err: (error as Error).message };
  } finally {
    process.exitCode = before;
  }
}
