// The first module of the single file of the command line.
import { runZonestead } from '#cli/process.ts';
import { MISSING_COMMANDS, STANDALONE_COMMANDS } from '#cli/standalone.ts';

await runZonestead(STANDALONE_COMMANDS, MISSING_COMMANDS);
