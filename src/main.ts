// The program `zonestead`: one of the commands of src/cli/commands.
import { printLine, programOf } from '#cli/program.ts';
import { createZonesteadProgram } from '#cli/zonestead.ts';
import { hastenImports } from '#modules.ts';

hastenImports();

const stop = new AbortController();
const context = {
  print: printLine,
  // In an image, another module starts this one: deploy/image/start.js.
  program: process.argv[1] ?? '',
  signal: stop.signal,
  stop: (reason: Error) => stop.abort(reason),
};
const program = await createZonesteadProgram(context, process.argv.slice(2));

await programOf(program, stop).run();
