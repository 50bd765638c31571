// The commands of `zonestead` in this process, which is faster than a process for each. Settings come from the
// environment of the process: vi.stubEnv.
import { COMMANDS } from '#cli/all-commands.ts';
import { CommandFailed } from '#cli/program.ts';
import { createZonesteadProgram } from '#cli/zonestead.ts';

export interface Ended {
  code: number;
  out: string;
  /** Remarks and the message of the error, as standard error has them. */
  err: string;
}

/** Runs `zonestead …`, for at most 100 s. */
export async function zonestead(...words: string[]): Promise<Ended> {
  const lines: string[] = [];
  const remarks: string[] = [];
  const context = {
    print: (line: string) => void lines.push(line),
    warn: (line: string) => void remarks.push(line),
    program: 'zonestead',
    signal: AbortSignal.timeout(100_000),
    stop: () => undefined,
    missing: [],
  };
  const program = await createZonesteadProgram(COMMANDS, context, words);
  const before = process.exitCode;
  const out = () => lines.map((line) => `${line}\n`).join('');
  const errors = (last: string) => remarks.map((line) => `${line}\n`).join('') + last;
  try {
    process.exitCode = 0;
    await program.parseAsync(words, { from: 'user' });
    return { code: Number(process.exitCode), out: out(), err: errors('') };
  } catch (error) {
    const code = error instanceof CommandFailed ? error.exitCode : 1;
    return { code, out: out(), err: errors((error as Error).message) };
  } finally {
    process.exitCode = before;
  }
}
