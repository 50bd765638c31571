// The process of `zonestead`: runs the command that its command line names.
import { basename } from 'node:path';
import type { CommandMap } from './command.ts';
import { buildProgram, printLine } from './program.ts';
import { createZonesteadProgram } from './zonestead.ts';

/** kubectl runs a program of this name as `kubectl zonestead`: it is a link to the same file. */
const PLUGIN = 'kubectl-zonestead';

/** Ends the process. @param missing the commands of servers that this program lacks */
export async function runZonestead(commands: CommandMap, missing: readonly string[] = []): Promise<never> {
  if (basename(process.argv[1] ?? '') === PLUGIN) process.argv.splice(2, 0, 'kubectl');
  const stop = new AbortController();
  const context = {
    print: (line: string) => printLine(line),
    warn: (line: string) => printLine(line, process.stderr),
    // In an image, another module starts this one: deploy/image/start.js.
    program: process.argv[1] ?? '',
    signal: stop.signal,
    missing,
    stop: (reason: Error) => stop.abort(reason),
  };
  const program = await createZonesteadProgram(commands, context, process.argv.slice(2));
  return buildProgram(program, stop).run();
}
