// The process of `zonestead`: runs the command that its command line names.
import type { CommandMap } from './command.ts';
import { printLine, programOf } from './program.ts';
import { createZonesteadProgram } from './zonestead.ts';

/** Ends the process. */
export async function runZonestead(commands: CommandMap): Promise<never> {
  const stop = new AbortController();
  const context = {
    print: printLine,
    // In an image, another module starts this one: deploy/image/start.js.
    program: process.argv[1] ?? '',
    signal: stop.signal,
    stop: (reason: Error) => stop.abort(reason),
  };
  const program = await createZonesteadProgram(commands, context, process.argv.slice(2));
  return programOf(program, stop).run();
}
