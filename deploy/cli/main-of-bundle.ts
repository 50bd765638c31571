// The first module of the single file of the command line.
import { runZonestead } from '#cli/process.ts';
import { STANDALONE_COMMANDS } from '#cli/standalone.ts';

await runZonestead(STANDALONE_COMMANDS);
